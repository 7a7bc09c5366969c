//! Comparing with recorded paths: at which branches threads go the other way than in a recorded run.
//!
//! Where a thread takes another edge than its record has, the branch is flipped. The thread's events until
//! its path and the recorded one meet again belong to that flip. They meet at the branch's immediate
//! post-dominator, or where the function returns (the alignment of Xin, Sumner and Zhang, "Efficient program
//! execution indexing", PLDI 2008). A loop that iterates more often is one flipped branch, too.
//!
//! Anything outside a record is not compared: threads that it does not have, and what comes after its end.

use crate::paths::guide::{Guide, Record};
use crate::paths::passages::Passages;
use crate::state::State;
use crate::threads::kept::Kept;
use crate::threads::reference_cursor::{Apart, Cursor, Flip, Level};
use std::sync::OnceLock;
use symx_ir::program::{LinkedFunction, Program};
use symx_ir::slicing::{PostDominators, terminator};
use symx_ir::{CallTarget, Inst, SpanId};
use symx_trace::profile::{ActivationEnd, ActivationId};
use symx_trace::{ThreadId, ThreadName};

/// How many edges of an activation are looked through for where its path comes to a block: beyond that, a
/// thread that waited in a loop is followed no more. An index of these takes some 200 MB.
const MOST_PASSAGES: usize = 1 << 24;

/// The recorded paths of a run that executions are compared with.
#[derive(Debug)]
pub struct Reference {
    guide: Guide,
    /// By the functions' module index.
    post_dominators: Vec<OnceLock<PostDominators>>,
}

impl Reference {
    /// The paths that a guide would follow, to be compared with.
    pub fn new(guide: Guide, program: &Program) -> Self {
        let indices = program.functions.iter().filter(|function| function.in_program);
        let count = indices.map(|function| function.module_index as usize + 1).max().unwrap_or(0);
        Self { guide, post_dominators: (0..count).map(|_| OnceLock::new()).collect() }
    }

    /// A cursor at the start of a thread's record.
    pub(crate) fn cursor(&self, name: &ThreadName) -> Cursor {
        let is_free = self.guide.record(name).is_none_or(|record| record.is_late);
        Cursor { is_free, ..Cursor::default() }
    }

    /// A thread enters a function.
    pub(crate) fn enter<E: Kept>(&self, state: &mut State<E>, thread: ThreadId, function: &LinkedFunction) {
        self.with_cursor(state, thread, function, |record, cursor| {
            if let Some(apart) = &mut cursor.apart {
                apart.depth += 1;
                return;
            }
            let (calls, at, is_loose, returns) = match cursor.levels.last() {
                None => (record.tree.roots(), cursor.roots, false, false),
                Some(level) => {
                    let activation = record.tree.activation(level.activation);
                    let returns = activation.end == ActivationEnd::Returned;
                    (activation.calls, level.calls, level.is_loose, returns)
                }
            };
            let is_it = |call: &ActivationId| record.tree.activation(*call).function == function.module_index;
            let rest = calls.get(at..).unwrap_or_default();
            let found = match rest.first().is_some_and(is_it) {
                true => Some(0),
                false if is_loose => rest.iter().position(is_it),
                false => None,
            };
            if found.is_none() && rest.is_empty() && !returns {
                cursor.is_free = true;
                return;
            }
            let passed = match found {
                Some(skipped) => at + skipped + 1,
                None => (at + 1).min(calls.len()),
            };
            let activation = found.map(|skipped| rest[skipped]);
            match cursor.levels.back_mut() {
                None => cursor.roots = passed,
                Some(level) => level.calls = passed,
            }
            match activation {
                Some(activation) => {
                    cursor.levels.push_back(Level { activation, position: 0, calls: 0, is_loose: false });
                }
                None => {
                    cursor.apart = Some(Apart { depth: 1, by: Flip::Call });
                    cursor.flipped.push_back(function.spans.first().copied().unwrap_or(SpanId::UNKNOWN));
                }
            }
        });
    }

    /// A thread takes a control-flow edge.
    pub(crate) fn follow<E: Kept>(
        &self,
        program: &Program,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
        edge: u32,
    ) {
        self.with_cursor(state, thread, function, |record, cursor| {
            let target = function.edges[edge as usize].block;
            match cursor.apart {
                Some(Apart { depth: 0, by: Flip::Branch { join } }) if join == Some(target) => {
                    cursor.apart = None;
                    self.meet_again(program, record, cursor, function, target);
                    return;
                }
                Some(_) => return,
                None => {}
            }
            let Some(level) = cursor.levels.back_mut() else {
                cursor.is_free = true;
                return;
            };
            let route = self.guide.route(record, level.activation);
            let block = function.block_of_edge(edge);
            let successor = edge - function.blocks[block as usize].first_edge;
            match route.steps.get(level.position) {
                Some(hop) if (hop.block, hop.successor) == (block, successor) => level.position += 1,
                Some(hop) if hop.block == block => {
                    cursor.flipped.push_back(function.spans[terminator(function, block) as usize]);
                    let join = self.post_dominators(function).and_then(|tree| tree.immediate(block));
                    if join == Some(target) {
                        self.meet_again(program, record, cursor, function, target);
                    } else {
                        cursor.apart = Some(Apart { depth: 0, by: Flip::Branch { join } });
                    }
                }
                // The record is at its end, or has something that was not followed.
                _ => cursor.is_free = true,
            }
        });
    }

    /// A thread returns from a function.
    pub(crate) fn leave<E: Kept>(&self, state: &mut State<E>, thread: ThreadId, function: &LinkedFunction) {
        self.with_cursor(state, thread, function, |record, cursor| {
            let left = cursor.pop();
            let returned = left.is_none_or(|level| self.guide.route(record, level.activation).returned);
            cursor.is_free |= !returned;
        });
    }

    /// A thread leaves a function without returning.
    pub(crate) fn abandon<E: Kept>(&self, state: &mut State<E>, thread: ThreadId, function: &LinkedFunction) {
        self.with_cursor(state, thread, function, |_, cursor| {
            cursor.pop();
        });
    }

    fn with_cursor<E: Kept>(
        &self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
        compare: impl FnOnce(&Record, &mut Cursor),
    ) {
        if !self.guide.is_recorded(function)
            || !state.thread(thread).reference.as_ref().is_some_and(|cursor| cursor.is_compared())
        {
            return;
        }
        let identity = &mut **state.thread_mut(thread);
        if let (Some(cursor), Some(record)) = (&mut identity.reference, self.guide.record(&identity.name)) {
            compare(record, cursor);
        }
    }

    /// The thread is at a block at which its path and the recorded one meet again: goes there in the record.
    fn meet_again(
        &self,
        program: &Program,
        record: &Record,
        cursor: &mut Cursor,
        function: &LinkedFunction,
        join: u32,
    ) {
        let Some(level) = cursor.levels.back_mut() else { return };
        let route = self.guide.route(record, level.activation);
        let passages = route.passages.get_or_init(|| {
            let blocks =
                route.steps.iter().take(MOST_PASSAGES).map(|hop| target(function, hop.block, hop.successor));
            Passages::of(blocks, |block| self.recorded_calls(program, function, block))
        });
        let Some(at) = passages.first_arrival(join, level.position) else {
            cursor.is_free = true;
            return;
        };
        let passed = at + 1 - level.position;
        level.calls += passages.calls_between(level.position, at);
        level.position += passed;
        level.is_loose |= passed > 1;
    }

    /// How many calls of recorded functions there are in a block, those by pointers left out.
    fn recorded_calls(&self, program: &Program, function: &LinkedFunction, block: u32) -> u32 {
        let start = function.blocks[block as usize].start;
        let code = start as usize..=terminator(function, block) as usize;
        let is_recorded = |instruction: &&Inst| match instruction {
            Inst::Call { site } => match function.calls[*site as usize].target {
                CallTarget::Function(id) => self.guide.is_recorded(program.function(id)),
                _ => false,
            },
            _ => false,
        };
        function.code[code].iter().filter(is_recorded).count() as u32
    }

    fn post_dominators(&self, function: &LinkedFunction) -> Option<&PostDominators> {
        let tree = self.post_dominators.get(function.module_index as usize)?;
        Some(tree.get_or_init(|| PostDominators::of(function)))
    }
}

/// The block that an edge leads to.
fn target(function: &LinkedFunction, block: u32, successor: u32) -> u32 {
    function.edges[(function.blocks[block as usize].first_edge + successor) as usize].block
}

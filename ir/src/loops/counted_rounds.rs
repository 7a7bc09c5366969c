//! Loops in which registers count rounds and do nothing else. They decide after how many rounds the loop is
//! left, and perhaps whether a round pauses for longer. They do not decide what a round does, and are not
//! read after the loop.
//!
//! Code that polls a bounded number of times before it goes on has such a loop (`__atomic_spin` of libstdc++,
//! locks that spin before they sleep). Where a round only looks, the number of earlier rounds does not
//! matter. After the loop, the state is as if the last round had been the first, or all rounds had happened
//! when the last did.

use crate::function::{CallSite, CallTarget, Function};
use crate::instruction::{BinaryOp, Extended, Inst, Operand, Slot};
use crate::live::{live_on_entering, live_on_leaving};
use crate::loops::{code, innermost_loop, is_constant, stays};

/// A loop whose rounds are counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedRounds {
    /// By block, whether it belongs to the loop.
    body: Box<[bool]>,
}

/// The effect of a call in a loop, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Does {
    /// Nothing, always with the same answer.
    Nothing,
    /// It reads memory at most.
    Look,
    /// It may do more.
    More,
}

/// The dependence of a register in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// On nothing that a round changes.
    Fixed,
    /// On how many rounds there were.
    Counted,
    /// On what was looked at, or what a call returned.
    Looked,
    /// True if something that was looked at is so and there were not too many or too few rounds.
    Both,
    /// True if something that was looked at is so, or there were too many or too few rounds.
    Either,
}

impl CountedRounds {
    /// The innermost loop around the instruction at `pc`, if `counters`, registers that differ from round to
    /// round, only count there. Each depends on itself and constants alone, and is not read after the loop.
    /// It decides only when the loop is left, and between two ways that differ only in calls that idle,
    /// always with the same answer. Nothing else is carried from one round to the next: values read are dead
    /// by then. `None` also where the loop writes to memory or calls what may, and where it never ends on
    /// account of its count.
    pub fn around(
        function: &Function,
        pc: u32,
        counters: &[Slot],
        calls: impl Fn(&CallSite) -> Does,
    ) -> Option<Self> {
        let (header, body) = innermost_loop(function, function.block_at(pc))?;
        let mut analysis = Analysis {
            function,
            body: &body,
            sources: vec![Source::Fixed; function.slots as usize],
            changed: false,
        };
        for counter in counters {
            *analysis.sources.get_mut(*counter as usize)? = Source::Counted;
        }
        loop {
            analysis.changed = false;
            let mut is_bounded = false;
            for block in (0..function.blocks.len()).filter(|block| body[*block]) {
                is_bounded |= analysis.block(block, &calls)?;
            }
            if !analysis.changed {
                let is_it = is_bounded && analysis.ends_within() && analysis.carries_only_counts(header);
                return is_it.then(|| Self { body: body.clone().into() });
            }
        }
    }

    /// Whether the instruction at `pc` of the function belongs to the loop.
    pub fn contains(&self, function: &Function, pc: u32) -> bool {
        self.body.get(function.block_at(pc)).is_some_and(|is_part| *is_part)
    }
}

struct Analysis<'f> {
    function: &'f Function,
    /// By block, whether it belongs to the loop.
    body: &'f [bool],
    /// By slot.
    sources: Vec<Source>,
    changed: bool,
}

impl Analysis<'_> {
    fn of(&self, operand: Operand) -> Source {
        if operand.is_constant() { Source::Fixed } else { self.sources[operand.index()] }
    }

    /// Of several operands; `None` if a number of rounds and what was looked at come together.
    fn of_all(&self, operands: &[Operand]) -> Option<Source> {
        operands.iter().try_fold(Source::Fixed, |all, operand| together(all, self.of(*operand)))
    }

    /// A register is written.
    fn write(&mut self, dst: Slot, source: Source) -> Option<()> {
        let known = self.sources.get_mut(dst as usize)?;
        let now = together(*known, source)?;
        self.changed |= *known != now;
        *known = now;
        Some(())
    }

    /// Follows a block of the loop. Whether the loop may be left there on account of the count; `None` if the
    /// count does something else.
    fn block(&mut self, block: usize, calls: &impl Fn(&CallSite) -> Does) -> Option<bool> {
        let mut is_bounded = false;
        for inst in code(self.function, block).to_vec() {
            match inst {
                Inst::Branch { cond, edges } => is_bounded |= self.branch(self.of(cond), edges, calls)?,
                Inst::CompareBranch { a, b, edges, .. } => {
                    let source = self.of_all(&[a, b]).filter(|source| is_plain(*source))?;
                    is_bounded |= self.branch(source, edges, calls)?;
                }
                Inst::Switch { value, .. } if is_uncounted(self.of(value)) => {}
                Inst::Jump { .. } => {}
                Inst::Load { dst, address, .. } => self.look(dst, address)?,
                Inst::Call { site } => {
                    let site = &self.function.calls[site as usize];
                    match calls(site) {
                        Does::Nothing => {}
                        Does::Look => self.call(site)?,
                        Does::More => return None,
                    }
                }
                Inst::Extended { index } => match self.function.extended[index as usize] {
                    Extended::AtomicLoad { dst, address, .. } => self.look(dst, address)?,
                    _ => return None,
                },
                inst => self.compute(&inst)?,
            }
        }
        for edge in &self.function.edges[self.function.blocks[block].edges()] {
            if self.body[edge.block as usize] {
                self.moves(edge, Source::Fixed)?;
            }
        }
        Some(is_bounded)
    }

    /// Registers written along an edge that is taken or not depending on `why`.
    fn moves(&mut self, edge: &crate::function::Edge, why: Source) -> Option<()> {
        let first = edge.first_move as usize;
        for step in &self.function.moves[first..first + edge.move_count as usize] {
            self.write(step.dst, together(why, self.of(step.src))?)?;
        }
        Some(())
    }

    fn look(&mut self, dst: Slot, address: Operand) -> Option<()> {
        if !is_uncounted(self.of(address)) {
            return None;
        }
        self.write(dst, Source::Looked)
    }

    fn call(&mut self, site: &CallSite) -> Option<()> {
        let is_uncounted = |operand| is_uncounted(self.of(operand));
        let target = match &site.target {
            CallTarget::Pointer(target) => is_uncounted(*target),
            CallTarget::Assembly(_) | CallTarget::Symbol(_) => false,
            CallTarget::Function(_) | CallTarget::External(_) => true,
        };
        let mut operands = site
            .arguments
            .iter()
            .flat_map(|argument| (0..argument.slots).map(|slot| argument.operand.offset(slot)));
        if !target || !operands.all(is_uncounted) {
            return None;
        }
        (site.dst..site.dst + site.return_slots).try_for_each(|dst| self.write(dst, Source::Looked))
    }

    /// Follows an instruction that has to do with registers only.
    fn compute(&mut self, inst: &Inst) -> Option<()> {
        match *inst {
            Inst::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), bits: 1, dst, a, b, .. } => {
                self.write(dst, self.combined(a, b, op == BinaryOp::And)?)
            }
            Inst::Select { dst, cond, a, b } => match self.of_all(&[cond, a, b]) {
                Some(source) => self.write(dst, source),
                // `a && b` and `a || b` where both are known. Which of the operands are constants does not
                // matter, as the others do not meet in any other way.
                None if is_constant(self.function, b, 0) => self.write(dst, self.combined(cond, a, true)?),
                None if is_constant(self.function, a, 1) => self.write(dst, self.combined(cond, b, false)?),
                None => None,
            },
            Inst::Binary { dst, a, b, .. }
            | Inst::Compare { dst, a, b, .. }
            | Inst::Float { dst, a, b, .. }
            | Inst::FloatCompare { dst, a, b, .. } => self.plain(dst, &[a, b]),
            Inst::Cast { dst, src, .. } | Inst::FloatUnary { dst, src, .. } => self.plain(dst, &[src]),
            Inst::PointerIndex { dst, base, index, .. } => self.plain(dst, &[base, index]),
            Inst::Copy { dst, src, count } => {
                (0..count).try_for_each(|at| self.plain(dst + at, &[src.offset(at)]))
            }
            _ => None,
        }
    }

    fn plain(&mut self, dst: Slot, operands: &[Operand]) -> Option<()> {
        let source = self.of_all(operands).filter(|source| is_plain(*source))?;
        self.write(dst, source)
    }

    /// Two conditions in one: both must be so, or either.
    fn combined(&self, a: Operand, b: Operand, is_both: bool) -> Option<Source> {
        let joint = if is_both { Source::Both } else { Source::Either };
        match (self.of(a), self.of(b)) {
            (Source::Counted, Source::Looked) | (Source::Looked, Source::Counted) => Some(joint),
            (a, b) if a == joint && (b == joint || is_plain(b)) => Some(joint),
            (a, b) if b == joint && is_plain(a) => Some(joint),
            (a, b) => together(a, b),
        }
    }

    /// A branch on a condition. Whether it may leave the loop on account of the count.
    fn branch(&mut self, source: Source, edges: u32, calls: &impl Fn(&CallSite) -> Does) -> Option<bool> {
        let stays = [edges, edges + 1].map(|edge| stays(self.function, &self.body, edge));
        match (source, stays) {
            (Source::Fixed | Source::Looked, _) => Some(false),
            // Whether it goes on is one question, and whether that is for the count or for what was looked
            // at is no matter.
            (Source::Both, [true, false]) | (Source::Either, [false, true]) => Some(true),
            (Source::Counted, [true, true]) => self.arms(edges, calls).map(|()| false),
            (Source::Counted, _) => Some(true),
            (Source::Both | Source::Either, _) => None,
        }
    }

    /// Two ways that meet again at once, taken in turn as the count has it: nothing but
    /// idling may happen there.
    fn arms(&mut self, edges: u32, calls: &impl Fn(&CallSite) -> Does) -> Option<()> {
        let (one, other) = (self.function.edges[edges as usize], self.function.edges[edges as usize + 1]);
        let ends = [self.after_arm(one.block as usize), self.after_arm(other.block as usize)];
        let (mut ways, mut arms) = (Vec::new(), Vec::new());
        match ends {
            [Some(one_end), Some(other_end)] if one_end.block == other_end.block => {
                ways.extend([one_end, other_end]);
                arms.extend([one.block, other.block]);
            }
            [Some(end), _] if end.block == other.block => {
                ways.extend([end, other]);
                arms.push(one.block);
            }
            [_, Some(end)] if end.block == one.block => {
                ways.extend([end, one]);
                arms.push(other.block);
            }
            _ => return None,
        }
        for way in ways {
            self.moves(&way, Source::Counted)?;
        }
        for arm in arms {
            for inst in code(self.function, arm as usize).to_vec() {
                match inst {
                    Inst::Jump { .. } => {}
                    Inst::Call { site } if calls(&self.function.calls[site as usize]) == Does::Nothing => {}
                    _ => return None,
                }
            }
        }
        Some(())
    }

    /// The edge on which a block is left that has one way in and one out, within the loop.
    fn after_arm(&self, block: usize) -> Option<crate::function::Edge> {
        let function = self.function;
        let ways_in = function.edges.iter().filter(|edge| edge.block as usize == block).count();
        let Some(Inst::Jump { edge }) = code(self.function, block).last().copied() else { return None };
        let out = function.edges[edge as usize];
        (ways_in == 1 && self.body[block] && self.body[out.block as usize]).then_some(out)
    }

    /// Whether nothing that was looked at in one round matters in the next.
    fn carries_only_counts(&self, header: usize) -> bool {
        let live = live_on_entering(self.function, header);
        live.iter()
            .zip(&self.sources)
            .all(|(live, source)| !live || matches!(source, Source::Fixed | Source::Counted))
    }

    /// Whether the count is not read after the loop.
    fn ends_within(&self) -> bool {
        let live = live_on_leaving(self.function, self.body);
        live.iter().zip(&self.sources).all(|(live, source)| !live || is_uncounted(*source))
    }
}

/// The dependence on one and the other; `None` if that is a number of rounds and a value read.
fn together(one: Source, other: Source) -> Option<Source> {
    match (one, other) {
        (Source::Fixed, source) | (source, Source::Fixed) => Some(source),
        (one, other) => (one == other).then_some(one),
    }
}

/// Whether it is not both on the count and on what was looked at.
fn is_plain(source: Source) -> bool {
    matches!(source, Source::Fixed | Source::Counted | Source::Looked)
}

fn is_uncounted(source: Source) -> bool {
    matches!(source, Source::Fixed | Source::Looked)
}

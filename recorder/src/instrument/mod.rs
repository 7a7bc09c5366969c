//! The instrumentation pass: every recorded function logs its entry, its paths and its exit.
//!
//! The code it inserts calls the inlined functions of `runtime/paths.h`. An activation keeps its path sum in
//! a stack slot (a register after promotion) and publishes it where it changes. It does so in the mapped
//! shadow stack, or in stretches without calls in the log (`published.rs`).

mod by_alignment;
mod counted_loop;
mod landing_pad;
mod left_out;
mod published;
mod runtime;
mod slack;
mod stretch;
mod time_stamp;

use crate::edge::{after_slots, instructions, place_on_edge};
use crate::module::{Module, is_intrinsic, list, name_of};
use crate::settled::settle;
use by_alignment::ByAlignment;
use counted_loop::CountedLoops;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode, LLVMTailCallKind};
use published::{Publication, Published};
use runtime::{Runtime, add_hash, has_stand_in, stand_in};
use slack::Slack;
use std::collections::{HashMap, HashSet};
use stretch::Stretches;
use symx_ir::path_numbering::{
    Edge, EdgeAction, NumberingError, PATH_LIMIT, PathNumbering, WayRound, returns_twice,
};
use symx_trace::profile::{ProgramHash, Stamp, unit};

/// The passes that the loader runs on a module before it numbers blocks, and so this pass before it
/// instruments. It keeps the control-flow graph as it is, as everything listed here must.
pub const PROMOTION_PASSES: &str = "mem2reg";

/// A module with path logging.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The instrumented module; it needs the runtime that `build` links in.
    pub bitcode: Vec<u8>,
    /// The hash of the module that was instrumented, as it stands in the profiles.
    pub program: ProgramHash,
}

/// Why a module cannot be instrumented.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstrumentError {
    /// LLVM does not read it.
    #[error("not a program LLVM can read: {0}")]
    Unreadable(String),
    /// It was instrumented before.
    #[error("the program is instrumented already")]
    AlreadyInstrumented,
    /// A construct the recorder has no way to record.
    #[error("function {function}: cannot record {what}")]
    Unsupported {
        /// The function it stands in.
        function: String,
        /// The construct.
        what: &'static str,
    },
    /// A function's paths cannot be numbered.
    #[error("function {function}: {source}")]
    Numbering {
        /// The function.
        function: String,
        /// Why.
        source: NumberingError,
    },
    /// A fault of the pass itself: what it made is no valid module.
    #[error("instrumentation made an invalid module: {0}")]
    Invalid(String),
}

/// Adds path logging to a program given as bitcode or textual IR.
pub fn instrument(program: &[u8]) -> Result<Instrumented, InstrumentError> {
    let mut module = Module::parse(program).map_err(InstrumentError::Unreadable)?;
    if module.function("symx_recorder_enter").is_some() {
        return Err(InstrumentError::AlreadyInstrumented);
    }
    module.verify().map_err(InstrumentError::Unreadable)?;
    module.run_passes(PROMOTION_PASSES).map_err(InstrumentError::Invalid)?;
    settle(&module);
    let defined: Vec<_> = module.functions().into_iter().filter(|&function| is_defined(function)).collect();
    let runtime = Runtime::declare(&module);
    let mut by_alignment = ByAlignment::default();
    for (index, &function) in defined.iter().enumerate() {
        if left_out::is_left_out(function) {
            left_out::leave_out(&module, function);
        } else if !by_alignment.is_one(function) {
            FunctionPass::new(&module, &runtime, function)?.run(index as u32)?;
        }
    }
    stand_in(&module)?;
    let program = ProgramHash::of(program);
    add_hash(&module, program);
    module.verify().map_err(InstrumentError::Invalid)?;
    Ok(Instrumented { bitcode: module.bitcode(), program })
}

/// Attributes of functions and calls that no longer hold once they write a log. Relying on them, the compiler
/// would merge, move or drop calls the record must have.
const BROKEN_PROMISES: [&str; 5] = ["memory", "speculatable", "willreturn", "nosync", "nofree"];

/// A call found in a function before anything was inserted.
struct Call {
    block: u32,
    instruction: LLVMValueRef,
    returns_twice: bool,
    is_timed: bool,
    acquires: bool,
}

/// The pass over one function.
struct FunctionPass<'a> {
    module: &'a Module,
    runtime: &'a Runtime,
    function: LLVMValueRef,
    name: String,
    blocks: Vec<LLVMBasicBlockRef>,
    successors: Vec<Vec<u32>>,
    calls: Vec<Call>,
    builder: LLVMBuilderRef,
}

impl Drop for FunctionPass<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

/// What is known of a function's edges before code is put on them.
struct EdgePlan<'p> {
    numbering: &'p PathNumbering,
    /// The loops whose runs are counted.
    ways_round: HashMap<Edge, WayRound>,
    /// How many edges lead into each block.
    edges_into: Vec<u32>,
    loops: CountedLoops,
    stretches: Stretches,
    published: Published,
    /// Whether the function's paths do not fit a unit.
    is_wide: bool,
}

impl<'a> FunctionPass<'a> {
    fn new(
        module: &'a Module,
        runtime: &'a Runtime,
        function: LLVMValueRef,
    ) -> Result<Self, InstrumentError> {
        // SAFETY: the module passed the verifier; nothing is changed while it is read.
        unsafe {
            let blocks = list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block));
            let index: HashMap<_, _> =
                blocks.iter().enumerate().map(|(i, &block)| (block, i as u32)).collect();
            let successors = blocks.iter().map(|&block| {
                let terminator = LLVMGetBasicBlockTerminator(block);
                (0..LLVMGetNumSuccessors(terminator))
                    .map(|i| index[&LLVMGetSuccessor(terminator, i)])
                    .collect()
            });
            let mut pass = FunctionPass {
                successors: successors.collect(),
                builder: LLVMCreateBuilderInContext(module.context),
                name: name_of(function),
                calls: Vec::new(),
                module,
                runtime,
                function,
                blocks,
            };
            if has_attribute(function, "naked") {
                return Err(pass.unsupported("a naked function"));
            }
            for promise in BROKEN_PROMISES {
                LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute_kind(promise));
            }
            pass.find_calls()?;
            Ok(pass)
        }
    }

    fn unsupported(&self, what: &'static str) -> InstrumentError {
        InstrumentError::Unsupported { function: self.name.clone(), what }
    }

    fn find_calls(&mut self) -> Result<(), InstrumentError> {
        for (block, &reference) in self.blocks.iter().enumerate() {
            for instruction in instructions(reference) {
                // SAFETY: an instruction of the function; the opcode is that of a call where it
                // is used as one.
                unsafe {
                    let opcode = LLVMGetInstructionOpcode(instruction);
                    if !matches!(
                        opcode,
                        LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr
                    ) {
                        continue;
                    }
                    let callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
                    let name = if callee.is_null() { String::new() } else { name_of(callee) };
                    if !callee.is_null() && is_intrinsic(callee) {
                        continue;
                    }
                    let is_marked = (!callee.is_null() && has_attribute(callee, "returns_twice"))
                        || call_has_attribute(instruction, "returns_twice");
                    let returns_twice = returns_twice(&name);
                    let is_plain =
                        opcode == LLVMOpcode::LLVMCall && LLVMTypeOf(instruction) == self.runtime.int;
                    if (returns_twice && !is_plain) || (is_marked && !returns_twice && !has_stand_in(&name)) {
                        return Err(self.unsupported("this way of calling a function that returns twice"));
                    }
                    for promise in BROKEN_PROMISES {
                        let kind = attribute_kind(promise);
                        LLVMRemoveCallSiteEnumAttribute(instruction, LLVMAttributeFunctionIndex, kind);
                    }
                    let is_external = !callee.is_null() && LLVMIsDeclaration(callee) != 0;
                    let stamp = if is_external { Stamp::of(&name) } else { Stamp::No };
                    // The code after an invoke is another block's.
                    let acquires = stamp == Stamp::After && opcode == LLVMOpcode::LLVMCall;
                    self.calls.push(Call {
                        block: block as u32,
                        instruction,
                        returns_twice,
                        is_timed: stamp.is_timed(),
                        acquires,
                    });
                }
            }
        }
        Ok(())
    }

    fn run(self, index: u32) -> Result<(), InstrumentError> {
        let resume: Vec<u32> = self.calls.iter().filter(|c| c.returns_twice).map(|c| c.block).collect();
        let numbering = PathNumbering::with_resume_blocks(&self.successors, &resume, PATH_LIMIT)
            .map_err(|source| InstrumentError::Numbering { function: self.name.clone(), source })?;
        if !numbering.is_recorded(!self.calls.is_empty()) {
            return Ok(());
        }
        let is_wide = numbering.paths() - 1 > unit::NARROW_MAX;
        let wide = self.int(u32::from(is_wide));
        let mut edges_into = vec![0; self.blocks.len()];
        self.successors.iter().flatten().for_each(|&target| edges_into[target as usize] += 1);
        let mut ways_round = self.ways_round(&numbering);
        let mut slack = Slack::new();
        let loops = self.counted_loops(&numbering, &mut ways_round, &edges_into, &mut slack);
        let stretches = self.stretches(is_wide);
        let slots = self.enter(index, !ways_round.is_empty(), !loops.is_empty(), !stretches.is_empty());
        if stretches.contains(0) {
            self.begin_stretch(&slots);
        }
        let published = self.published(&numbering, &ways_round, &loops, &stretches);
        for call in &self.calls {
            self.around_call(call, &numbering, &slots)?;
        }
        let plan =
            EdgePlan { numbering: &numbering, ways_round, edges_into, loops, stretches, published, is_wide };
        for (block, successors) in (0..).zip(&self.successors) {
            for (successor, &target) in (0..).zip(successors) {
                self.at_edge(Edge { block, successor }, target, &plan, &mut slack, &slots)?;
            }
        }
        for (pad, _) in plan.edges_into.iter().enumerate().filter(|(_, count)| **count > 1) {
            if self.is_landing_pad(pad as u32) {
                self.at_shared_pad(pad as u32, &numbering, is_wide, &slots)?;
            }
        }
        for (index, &block) in self.blocks.iter().enumerate() {
            self.at_landing_pad(index as u32, &slots);
            self.at_exit(block, wide, plan.stretches.contains(index as u32), &slots);
        }
        Ok(())
    }

    /// Where the path so far is recorded in stretches.
    fn published(
        &self,
        numbering: &PathNumbering,
        ways_round: &HashMap<Edge, WayRound>,
        loops: &CountedLoops,
        stretches: &Stretches,
    ) -> Published {
        Published::new(&self.successors, stretches, |edge, target| {
            let role = loops.role(edge, target);
            match numbering.edge_action(edge) {
                _ if role.is_within || role.closes => Publication::Nothing,
                _ if role.enters_one() => Publication::Publishes,
                EdgeAction::Cut { add: 0, .. } if role.is_plain() && !ways_round.contains_key(&edge) => {
                    Publication::Completes
                }
                EdgeAction::Cut { .. } => Publication::BeginsAnew,
                EdgeAction::Continue { add: 0 } if role.is_plain() => Publication::Nothing,
                EdgeAction::Continue { .. } => Publication::Publishes,
            }
        })
    }

    /// Inserts what an edge does to the path, the log and the loops.
    fn at_edge(
        &self,
        edge: Edge,
        target: u32,
        plan: &EdgePlan<'_>,
        slack: &mut Slack,
        slots: &Slots,
    ) -> Result<(), InstrumentError> {
        let action = plan.numbering.edge_action(edge);
        let is_only = plan.edges_into[target as usize] == 1;
        let role = plan.loops.role(edge, target);
        if role.is_within || (!is_only && self.is_landing_pad(target)) {
            return Ok(());
        }
        let (enters, leaves) =
            (plan.stretches.enters(edge.block, target), plan.stretches.leaves(edge.block, target));
        let in_stretch = plan.stretches.contains(edge.block);
        let is_silent = role.is_plain() && action == (EdgeAction::Continue { add: 0 });
        let tells = is_silent
            && plan.stretches.goes_on(edge.block, target)
            && plan.published.at(target)
            && !plan.published.at(edge.block);
        if is_silent && !enters && !leaves && !tells {
            return Ok(());
        }
        let place =
            place_on_edge(self.module.context, self.blocks[edge.block as usize], edge.successor, is_only)
                .ok_or_else(|| self.unsupported("a computed branch to a shared block"))?;
        self.place_before(place);
        let is_cut = matches!(action, EdgeAction::Cut { .. });
        let log = LogPlace {
            cursor: slots.cursor.filter(|_| in_stretch),
            is_published: plan.published.at(edge.block),
            enters_stretch: enters,
            is_wide: plan.is_wide,
            is_in_slack: is_cut && slack.take_for(edge, plan.numbering, plan.is_wide),
        };
        match (action, plan.ways_round.get(&edge)) {
            _ if tells => self.tell(self.load_sum(slots), &log, slots),
            _ if is_silent => {}
            _ if !role.is_plain() => self.at_counted_loop(place, &role, action, &log, slots),
            (EdgeAction::Cut { add, restart }, Some(way)) => {
                self.on_way_round(place, Round { add, restart, path: way.path }, &log, slots)
            }
            _ => self.on_edge(place, action, &log, slots),
        }
        if leaves {
            self.end_stretch(slots);
        }
        if enters {
            self.begin_stretch(slots);
            self.tell_loop(&role, slots);
        }
        Ok(())
    }

    fn int(&self, value: u32) -> LLVMValueRef {
        // SAFETY: a constant of the runtime's integer type.
        unsafe { LLVMConstInt(self.runtime.int, u64::from(value), 0) }
    }

    fn call(&self, name: &str, arguments: &mut [LLVMValueRef]) -> LLVMValueRef {
        let (function, kind) = self.runtime.functions[name];
        // SAFETY: the builder has a position; the arguments are those of the declaration.
        unsafe {
            let (start, count) = (arguments.as_mut_ptr(), arguments.len() as u32);
            LLVMBuildCall2(self.builder, kind, function, start, count, c"".as_ptr())
        }
    }

    fn place_before(&self, instruction: LLVMValueRef) {
        // SAFETY: an instruction of the function. Inserted code has no line of its own.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, instruction);
            LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
        }
    }

    fn load_sum(&self, slots: &Slots) -> LLVMValueRef {
        // SAFETY: the slot dominates the whole function.
        unsafe { LLVMBuildLoad2(self.builder, self.runtime.int, slots.sum, c"".as_ptr()) }
    }

    fn store(&self, slot: LLVMValueRef, value: LLVMValueRef) {
        // SAFETY: as above; the slot is of the value's type.
        unsafe { LLVMBuildStore(self.builder, value, slot) };
    }

    fn store_sum(&self, slots: &Slots, value: LLVMValueRef) {
        self.store(slots.sum, value);
    }

    fn add_to_sum(&self, slots: &Slots, add: u32) -> LLVMValueRef {
        let sum = self.load_sum(slots);
        // SAFETY: two integers of one type.
        unsafe { LLVMBuildAdd(self.builder, sum, self.int(add), c"".as_ptr()) }
    }

    /// The loops whose runs are counted: one way round, and nothing on it that could log in between.
    fn ways_round(&self, numbering: &PathNumbering) -> HashMap<Edge, WayRound> {
        let calls: HashSet<u32> = self.calls.iter().map(|call| call.block).collect();
        if numbering.paths() - 1 > unit::NARROW_MAX || self.calls.iter().any(|call| call.returns_twice) {
            return HashMap::new();
        }
        let ways = numbering.ways_round().iter();
        ways.filter(|(_, way)| way.blocks.iter().all(|block| !calls.contains(block))).cloned().collect()
    }

    fn slot(&self, name: &std::ffi::CStr) -> LLVMValueRef {
        // SAFETY: the builder stands in the entry block.
        unsafe { LLVMBuildAlloca(self.builder, self.runtime.int, name.as_ptr()) }
    }

    fn enter(&self, index: u32, counts_runs: bool, counts_rounds: bool, has_stretches: bool) -> Slots {
        self.place_before(after_slots(self.module.context, self.blocks[0]));
        let sum = self.slot(c"path.sum");
        let run = counts_runs.then(|| Run { path: self.slot(c"run.path"), unit: self.slot(c"run.unit") });
        let rounds = counts_rounds.then(|| self.rounds_slot());
        let cursor = has_stretches.then(|| self.cursor_slot());
        let wide = self.int(u32::from(index > unit::NARROW_MAX));
        let frame = self.call("enter", &mut [self.int(index), wide]);
        let slots = Slots { frame, sum, run, rounds, cursor };
        self.store_sum(&slots, self.int(0));
        if let Some(run) = &slots.run {
            self.store(run.unit, self.int(0));
        }
        self.end_run(&slots);
        slots
    }

    /// Events logged from here on do not follow the path logged last.
    fn end_run(&self, slots: &Slots) {
        if let Some(run) = &slots.run {
            self.store(run.path, self.int(0));
        }
    }

    fn on_way_round(&self, place: LLVMValueRef, round: Round, log: &LogPlace, slots: &Slots) {
        let Some(run) = &slots.run else { return };
        let Round { add, restart, path: whole } = round;
        self.place_before(place);
        let path = self.add_to_sum(slots, add);
        let keeps_sum = self.int(u32::from(whole == restart + add));
        let (restart, whole) = (self.int(restart), self.int(whole));
        let cursor = log.cursor.unwrap_or_else(|| self.no_cursor());
        self.call("round", &mut [slots.frame, path, restart, whole, keeps_sum, run.path, run.unit, cursor]);
        self.store_sum(slots, restart);
    }

    fn on_edge(&self, place: LLVMValueRef, action: EdgeAction, log: &LogPlace, slots: &Slots) {
        self.place_before(place);
        match action {
            EdgeAction::Continue { add } => {
                let sum = self.add_to_sum(slots, add);
                self.store_sum(slots, sum);
                self.tell(sum, log, slots);
            }
            EdgeAction::Cut { add, restart } => {
                let path = self.add_to_sum(slots, add);
                self.log_path(path, add == 0 && log.is_published, restart, log, slots);
                self.store_sum(slots, self.int(restart));
                self.end_run(slots);
            }
        }
    }

    /// Has the path so far published.
    fn tell(&self, sum: LLVMValueRef, log: &LogPlace, slots: &Slots) {
        match log.cursor {
            Some(cursor) => self.call("so_far", &mut [sum, cursor]),
            None => self.call("sum", &mut [slots.frame, sum]),
        };
    }

    /// Has a path logged, which in a stretch may be published already. Stores `word` in the frame, if that is
    /// where the path so far is published.
    fn log_path(&self, path: LLVMValueRef, is_published: bool, word: u32, log: &LogPlace, slots: &Slots) {
        let [is_wide, is_in_slack] = [log.is_wide, log.is_in_slack].map(|is| self.int(u32::from(is)));
        let Some(cursor) = log.cursor else {
            self.call("path", &mut [slots.frame, path, self.int(word), is_wide, is_in_slack]);
            return;
        };
        if !is_published {
            self.tell(path, log, slots);
        }
        self.call("complete", &mut [is_in_slack, cursor]);
    }

    fn around_call(
        &self,
        call: &Call,
        numbering: &PathNumbering,
        slots: &Slots,
    ) -> Result<(), InstrumentError> {
        // SAFETY: the call is an instruction of the function; one that is no terminator has a successor.
        unsafe {
            let opcode = LLVMGetInstructionOpcode(call.instruction);
            if opcode == LLVMOpcode::LLVMCall
                && LLVMGetTailCallKind(call.instruction) == LLVMTailCallKind::LLVMTailCallKindMustTail
            {
                // The function must log its exit after the call; forwarding `...` needs the tail call.
                if LLVMIsFunctionVarArg(LLVMGlobalGetValueType(self.function)) != 0 {
                    return Err(self.unsupported("a tail call that forwards variable arguments"));
                }
                LLVMSetTailCallKind(call.instruction, LLVMTailCallKind::LLVMTailCallKindNone);
            }
            if call.is_timed {
                self.place_before(call.instruction);
                self.call("before_call", &mut [self.int(u32::from(call.acquires))]);
            }
            if opcode == LLVMOpcode::LLVMCall && call.acquires {
                self.place_before(LLVMGetNextInstruction(call.instruction));
                self.call("after_call", &mut []);
            }
            if call.returns_twice
                && let Some(restart) = numbering.resume_value(call.block)
            {
                self.place_before(LLVMGetNextInstruction(call.instruction));
                self.call("returned", &mut [slots.frame, call.instruction, self.int(restart)]);
                let sum = self.call("saved_sum", &mut [slots.frame]);
                self.store_sum(slots, sum);
            }
        }
        Ok(())
    }

    fn at_exit(&self, block: LLVMBasicBlockRef, wide: LLVMValueRef, ends_stretch: bool, slots: &Slots) {
        // SAFETY: every block has a terminator.
        let terminator = unsafe { LLVMGetBasicBlockTerminator(block) };
        // SAFETY: as above.
        let opcode = unsafe { LLVMGetInstructionOpcode(terminator) };
        if matches!(opcode, LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume) {
            self.place_before(terminator);
            if ends_stretch {
                self.end_stretch(slots);
            }
            let sum = self.load_sum(slots);
            self.call("leave", &mut [slots.frame, sum, wide]);
        }
    }
}

/// A way once round a loop.
#[derive(Clone, Copy)]
struct Round {
    /// What the last edge adds to the sum.
    add: u32,
    /// The sum at the loop's beginning.
    restart: u32,
    /// The number of the path.
    path: u32,
}

/// Where and how a path is logged.
struct LogPlace {
    /// The register that keeps the place of the next event, in a stretch.
    cursor: Option<LLVMValueRef>,
    /// Whether the path so far is published there.
    is_published: bool,
    /// Whether a stretch begins after it.
    enters_stretch: bool,
    /// Whether the function's paths do not fit a unit.
    is_wide: bool,
    /// Whether there is room for sure.
    is_in_slack: bool,
}

/// Where an activation keeps its state.
struct Slots {
    /// Its frame in the shadow stack.
    frame: LLVMValueRef,
    /// The stack slot of the path sum.
    sum: LLVMValueRef,
    /// Where it keeps count of paths that follow themselves, if the function has a loop with one way round.
    run: Option<Run>,
    /// Where it counts the rounds of the loop it is in, if it has one whose rounds are counted.
    rounds: Option<LLVMValueRef>,
    /// Where it keeps the place of the next event in stretches without calls, if it has one.
    cursor: Option<LLVMValueRef>,
}

/// The stack slots of a run of equal paths.
struct Run {
    /// The path of the run + 1; 0 if what was logged last is no path of such a loop.
    path: LLVMValueRef,
    /// The unit that counts the run in the log.
    unit: LLVMValueRef,
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: the name is valid for its length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

fn has_attribute(function: LLVMValueRef, name: &str) -> bool {
    // SAFETY: a function.
    unsafe {
        !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute_kind(name)).is_null()
    }
}

fn call_has_attribute(call: LLVMValueRef, name: &str) -> bool {
    // SAFETY: a call instruction.
    unsafe { !LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, attribute_kind(name)).is_null() }
}

/// Whether a function counts among the defined ones, as the loader sees it. A copy of a body elsewhere
/// (`available_externally`) does not, unless it takes the place of each call.
pub(crate) fn is_defined(function: LLVMValueRef) -> bool {
    // SAFETY: reading a function's body list and linkage.
    unsafe {
        LLVMCountBasicBlocks(function) > 0
            && (LLVMGetLinkage(function) != llvm_sys::LLVMLinkage::LLVMAvailableExternallyLinkage
                || has_attribute(function, "alwaysinline"))
    }
}

//! What is known of places in the code: the registers that matter there, and the rounds of loops around them.

use crate::environment::Environment;
use crate::machine::Machine;
use crate::threads::modelled::Role;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::FunctionId;
use symx_ir::function::{CallSite, CallTarget};
use symx_ir::instruction::{Extended, Inst, Slot};
use symx_ir::live::live_registers;
use symx_ir::loops::counted_rounds::{CountedRounds, Does};
use symx_ir::loops::pacing::pacing_registers;
use symx_ir::registers::comparisons::{Comparison, only_compared};

/// Registers that matter at a place, by slot.
pub type Live = FxHashMap<(FunctionId, u32), Box<[bool]>>;

/// Comparisons in which alone the result of the update at a place is used.
pub type Comparisons = FxHashMap<(FunctionId, u32), Option<Arc<[Comparison]>>>;

/// Loops looked at: around which place, and which registers differed.
pub(crate) type Spins = FxHashMap<(FunctionId, u32, SmallVec<[Slot; 2]>), Option<Arc<CountedRounds>>>;

/// Branches on symbolic values, by place, and whether their first edge
/// [goes on](symx_ir::loops::goes_on_first) in a loop that the second one leaves.
pub(crate) type LoopBranches = FxHashMap<(FunctionId, u32), bool>;

/// Calls within calls that are followed to see what they do.
const DEEPEST: u32 = 5;

/// The registers that matter at a place, by slot: those that may be read and do more than
/// [pace](symx_ir::loops::pacing) a loop.
pub(crate) fn registers_at<'l, E: Environment>(
    machine: &Machine<E>,
    live: &'l mut Live,
    function: FunctionId,
    pc: u32,
) -> &'l [bool] {
    live.entry((function, pc)).or_insert_with(|| {
        let read = live_registers(machine.program.function(function), pc);
        without_pacing(machine, function, pc, read)
    })
}

/// Whether a register matters at a place.
pub fn is_live<E: Environment>(
    machine: &Machine<E>,
    live: &mut Live,
    function: FunctionId,
    pc: u32,
    slot: Slot,
) -> bool {
    registers_at(machine, live, function, pc).get(slot as usize).copied().unwrap_or(true)
}

/// The comparisons in which alone the result, of `bits` bits in `slot`, of the update at a place is used, if
/// there is no other use.
pub fn comparisons_of<E: Environment>(
    machine: &Machine<E>,
    known: &mut Comparisons,
    (function, pc): (FunctionId, u32),
    (slot, bits): (Slot, u8),
) -> Option<Arc<[Comparison]>> {
    let find = || only_compared(machine.program.function(function), slot, bits).map(Arc::from);
    known.entry((function, pc)).or_insert_with(find).clone()
}

/// Registers at a place, by slot, without those that only pace the loop around it.
pub(crate) fn without_pacing<E: Environment>(
    machine: &Machine<E>,
    function: FunctionId,
    pc: u32,
    mut registers: Vec<bool>,
) -> Box<[bool]> {
    let is_idle = |site: &CallSite| does(machine, site) == Does::Nothing;
    for slot in pacing_registers(machine.program.function(function), pc, &registers, is_idle) {
        registers[slot as usize] = false;
    }
    registers.into()
}

/// The effect of a call, as far as its callees show.
pub(crate) fn does<E: Environment>(machine: &Machine<E>, site: &CallSite) -> Does {
    does_within(machine, site, DEEPEST)
}

fn does_within<E: Environment>(machine: &Machine<E>, site: &CallSite, deepest: u32) -> Does {
    if machine.has_role(&site.target, Role::Yields) {
        return Does::Nothing;
    }
    let CallTarget::Function(id) = site.target else { return Does::More };
    let function = machine.program.function(id);
    if deepest == 0 {
        return Does::More;
    }
    let effect = |inst: &Inst| match inst {
        Inst::Return { .. } => Does::Nothing,
        Inst::Store { .. } | Inst::Alloca { .. } => Does::More,
        Inst::Call { site } => does_within(machine, &function.calls[*site as usize], deepest - 1),
        Inst::Extended { index } => match function.extended[*index as usize] {
            Extended::AtomicLoad { .. } | Extended::LandingPad { .. } => Does::Look,
            _ => Does::More,
        },
        _ => Does::Look,
    };
    let no_more = |most: Does, does| (does < Does::More).then(|| most.max(does));
    match function.code.iter().map(effect).try_fold(Does::Nothing, no_more) {
        Some(Does::Nothing) if site.arguments.is_empty() => Does::Nothing,
        Some(_) => Does::Look,
        None => Does::More,
    }
}

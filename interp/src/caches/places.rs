//! What is known of places in the code: the registers that matter there, and the rounds of loops around them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::counted_rounds::CountedRounds;
use symx_ir::instruction::Slot;
use symx_ir::live::live_registers;
use symx_ir::{FunctionId, Program};

/// Registers that matter at a place, by slot.
pub(crate) type Live = FxHashMap<(FunctionId, u32), Box<[bool]>>;

/// Loops looked at: around which place, and which registers differed.
pub(crate) type Spins = FxHashMap<(FunctionId, u32, SmallVec<[Slot; 2]>), Option<Arc<CountedRounds>>>;

/// Whether a register matters at a place.
pub fn is_live(program: &Program, live: &mut Live, function: FunctionId, pc: u32, slot: Slot) -> bool {
    let live =
        live.entry((function, pc)).or_insert_with(|| live_registers(program.function(function), pc).into());
    live.get(slot as usize).copied().unwrap_or(true)
}

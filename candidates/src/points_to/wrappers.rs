//! Functions that allocate and return what they have allocated, and do nothing else with it. Such memory is
//! distinguished by their caller, as if it had called the allocator itself.

use crate::budget::Budget;
use crate::externals::{Effect, effect};
use rustc_hash::{FxHashMap, FxHashSet};
use symx_expr::StopReason;
use symx_ir::program::LinkedFunction;
use symx_ir::{CallTarget, FunctionId, Inst, Operand, Program, Slot};

/// The effect of a call, if that is known of a function without a body.
pub(crate) fn external_effect(program: &Program, target: &CallTarget) -> Option<Effect> {
    let CallTarget::External(id) = *target else { return None };
    let external = &program.externals[id.0 as usize];
    effect(&external.name, external.fallback.is_some())
}

/// The functions that only hand new memory on.
pub(super) fn wrappers(program: &Program, budget: &Budget) -> Result<FxHashSet<FunctionId>, StopReason> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for (function, id) in program.functions.iter().zip(0..) {
            budget.weigh(function.code.len());
            budget.proceed()?;
            let id = FunctionId(id);
            if !found.contains(&id) && is_wrapper(program, function, &found) {
                found.insert(id);
            }
        }
        if found.len() == before {
            return Ok(found);
        }
    }
}

fn is_wrapper(program: &Program, function: &LinkedFunction, known: &FxHashSet<FunctionId>) -> bool {
    if function.return_slots != 1 {
        return false;
    }
    let mut definitions: FxHashMap<Slot, Vec<Option<Operand>>> = FxHashMap::default();
    let mut open = Vec::new();
    for inst in &function.code {
        match *inst {
            Inst::Copy { dst, src, count: 1 } => definitions.entry(dst).or_default().push(Some(src)),
            Inst::Select { dst, a, b, .. } => {
                definitions.entry(dst).or_default().extend([Some(a), Some(b)]);
            }
            Inst::Call { site } => {
                let call = &function.calls[site as usize];
                let allocates = match call.target {
                    CallTarget::Function(id) => known.contains(&id),
                    _ => external_effect(program, &call.target) == Some(Effect::Allocate),
                };
                if allocates && call.return_slots == 1 {
                    definitions.entry(call.dst).or_default().push(None);
                }
            }
            Inst::Return { value } => open.push(value),
            _ => {}
        }
    }
    for step in &function.moves {
        definitions.entry(step.dst).or_default().push(Some(step.src));
    }
    let (mut seen, mut allocates) = (FxHashSet::default(), false);
    while let Some(operand) = open.pop() {
        if operand.is_constant() {
            if function.constants[operand.index()] != 0 {
                return false;
            }
            continue;
        }
        let slot = operand.index() as Slot;
        if !seen.insert(slot) {
            continue;
        }
        let Some(sources) = definitions.get(&slot) else { return false };
        allocates |= sources.contains(&None);
        open.extend(sources.iter().flatten());
    }
    allocates && function.code.iter().all(|inst| leaves_alone(program, function, inst, &seen))
}

/// Whether an instruction does nothing with the registers but compare, copy or return them, or fill what
/// they point to.
fn leaves_alone(program: &Program, function: &LinkedFunction, inst: &Inst, slots: &FxHashSet<Slot>) -> bool {
    let uses = |operand: &Operand| !operand.is_constant() && slots.contains(&(operand.index() as Slot));
    match *inst {
        Inst::PointerIndex { base, index, .. } => !uses(&base) && !uses(&index),
        Inst::Binary { a, b, .. } => !uses(&a) && !uses(&b),
        Inst::Store { address, value, .. } => !uses(&address) && !uses(&value),
        Inst::Call { site } => {
            let call = &function.calls[site as usize];
            let is_harmless = matches!(
                external_effect(program, &call.target),
                Some(Effect::Nothing | Effect::Fill | Effect::Free | Effect::Allocate)
            );
            is_harmless || call.arguments.iter().all(|argument| !uses(&argument.operand))
        }
        // Rarer instructions may store what they read.
        Inst::Extended { index } => {
            use symx_ir::instruction::Extended::*;
            matches!(function.extended[index as usize], Lifetime { .. } | MemorySet { .. } | Assume { .. })
                || slots.is_empty()
                || !function.extended.iter().any(|other| {
                    matches!(
                        other,
                        AtomicStore { .. }
                            | AtomicRmw { .. }
                            | CompareExchange { .. }
                            | StorePieces { .. }
                            | InsertElement { .. }
                    )
                })
        }
        _ => true,
    }
}

//! Stack variables that may be read before they are written.
//!
//! Promotion to registers would make such a read `undef`, whatever it denotes; kept in memory, the variable
//! is uninitialised there, and has a name.

use super::{Block, Opcode, Value};
use llvm_sys::core::*;
use rustc_hash::FxHashMap;

/// Loads of variables that promotion would take, each of which a path from the function's start reaches on
/// which the variable is not written.
pub(super) fn early_loads<'m>(function: Value<'m>) -> Vec<Value<'m>> {
    let blocks = function.blocks();
    let mut variables: FxHashMap<Value<'m>, usize> = FxHashMap::default();
    for block in &blocks {
        for instruction in block.instructions() {
            if instruction.opcode() == Opcode::LLVMAlloca && is_promotable(instruction) {
                let number = variables.len();
                variables.insert(instruction, number);
            }
        }
    }
    if variables.is_empty() {
        return Vec::new();
    }
    let actions: Vec<Vec<(Action, usize, Value<'m>)>> =
        blocks.iter().map(|block| actions(*block, &variables)).collect();
    let numbers: FxHashMap<Block<'m>, usize> = blocks.iter().copied().zip(0..).collect();
    // Variables written for sure where a block begins, a bit each: all where nothing is known yet.
    let words = variables.len().div_ceil(64);
    let mut written: Vec<Vec<u64>> = vec![vec![u64::MAX; words]; blocks.len()];
    written[0] = vec![0; words];
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        let mut after = written[number].clone();
        perform(&actions[number], &mut after, |_| ());
        let Some(last) = blocks[number].instructions().pop() else { continue };
        for successor in last.successors() {
            let Some(&next) = numbers.get(&successor) else { continue };
            let mut changed = false;
            for (word, after) in written[next].iter_mut().zip(&after) {
                changed |= *word & !after != 0;
                *word &= after;
            }
            if changed {
                open.push(next);
            }
        }
    }
    let mut found = Vec::new();
    let mut seen = vec![false; blocks.len()];
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        if std::mem::replace(&mut seen[number], true) {
            continue;
        }
        perform(&actions[number], &mut written[number].clone(), |load| found.push(load));
        let successors = blocks[number].instructions().pop().map(Value::successors).unwrap_or_default();
        open.extend(successors.iter().filter_map(|successor| numbers.get(successor)));
    }
    found
}

/// The effect of an instruction on a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Read,
    Write,
    /// Its scope begins anew.
    Begin,
}

/// Follows a block through; calls `early` with reads of what is not written for sure.
fn perform<'m>(
    actions: &[(Action, usize, Value<'m>)],
    written: &mut [u64],
    mut early: impl FnMut(Value<'m>),
) {
    for (action, variable, instruction) in actions {
        let (word, bit) = (variable / 64, 1 << (variable % 64));
        match action {
            Action::Write => written[word] |= bit,
            Action::Begin => written[word] &= !bit,
            Action::Read if written[word] & bit == 0 => early(*instruction),
            Action::Read => {}
        }
    }
}

fn actions<'m>(block: Block<'m>, variables: &FxHashMap<Value<'m>, usize>) -> Vec<(Action, usize, Value<'m>)> {
    let action = |instruction: Value<'m>| {
        let (action, variable) = match instruction.opcode() {
            Opcode::LLVMLoad => (Action::Read, instruction.operand(0)),
            Opcode::LLVMStore => (Action::Write, instruction.operand(1)),
            Opcode::LLVMCall if instruction.callee().name().starts_with("llvm.lifetime.start") => {
                (Action::Begin, instruction.operand(instruction.operand_count() - 2))
            }
            _ => return None,
        };
        Some((action, *variables.get(&variable)?, instruction))
    };
    block.instructions().into_iter().filter_map(action).collect()
}

/// Whether promotion would take the variable: it is only read and written as a whole.
fn is_promotable(variable: Value<'_>) -> bool {
    let whole = variable.allocated_type();
    variable.users().into_iter().all(|user| match user.opcode() {
        Opcode::LLVMLoad => !user.is_volatile() && user.type_of() == whole,
        Opcode::LLVMStore => {
            !user.is_volatile() && user.operand(0) != variable && user.operand(0).type_of() == whole
        }
        Opcode::LLVMCall => user.callee().name().starts_with("llvm.lifetime."),
        _ => false,
    })
}

/// Marks an access volatile, or not.
pub(super) fn set_volatile(access: Value<'_>, volatile: bool) {
    call!(LLVMSetVolatile(access.raw(), volatile.into()));
}

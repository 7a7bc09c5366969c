//! Where a module operates on locks and condition variables of Rust's standard library.

use crate::llvm::{Block, Opcode, Parsed, Value, ValueKind};
use symx_ir::known_functions::rust_conditions::operates_on_condition;
use symx_ir::known_functions::rust_locks::{LOCK_CONTENDED, RustLockOperation, WAKE, inlined_operation};
use symx_ir::known_functions::rust_names::{is_atomic_update, is_of_atomics, library_path};

/// The operation that an instruction was inlined from, as debug information says.
fn operation_at<'m>(instruction: Value<'m>, parsed: &'m Parsed) -> Option<RustLockOperation> {
    let functions = instruction.location()?.subprograms(parsed);
    let symbols: Vec<String> = functions.filter_map(|function| function.linkage_name(parsed)).collect();
    inlined_operation(symbols.iter().map(String::as_str))
}

/// The operation whose access to the lock's word an instruction is.
pub fn operation<'m>(instruction: Value<'m>, parsed: &'m Parsed) -> Option<RustLockOperation> {
    let is_access = match instruction.opcode() {
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        // Without optimisation.
        Opcode::LLVMCall | Opcode::LLVMInvoke => is_atomic_update(&instruction.callee().name()),
        _ => false,
    };
    is_access.then(|| operation_at(instruction, parsed)).flatten()
}

/// Whether an instruction has the form of an access to a lock's word: what it expects or writes is a lock
/// that is free.
fn may_be_access(instruction: Value<'_>) -> bool {
    let is_update = matches!(instruction.opcode(), Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg);
    let is_free =
        |word: Value<'_>| word.kind() == ValueKind::LLVMConstantIntValueKind && word.low_bits() == 0;
    is_update && is_free(instruction.operand(1))
}

/// Whether an atomic access lies where `core` has it. One that the optimiser made of several lies in the
/// function that has these. They may have been operations of different kinds: to lock, and to try.
fn is_in_its_place(access: Value<'_>, parsed: &Parsed) -> bool {
    let function = access.location().and_then(|location| location.scope()?.subprogram(parsed));
    let symbol = function.and_then(|function| function.linkage_name(parsed));
    symbol.is_some_and(|symbol| is_of_atomics(&symbol))
}

/// Whether the module operates on such locks, and debug information knows of each operation. Of each one's
/// second part, which is a call, it says what that belongs to, and so it does of an access to the same word.
/// An access that is out of place may belong to any.
pub fn are_known(parsed: &Parsed) -> bool {
    let is_second_part = |function: &Value<'_>| {
        matches!(library_path(&function.name()).as_deref(), Some(LOCK_CONTENDED | WAKE))
    };
    let is_known = |user: Value<'_>| {
        let of = user.is_call().then(|| operation_at(user, parsed)).flatten();
        let accesses = || user.operand(0).users().into_iter();
        of.is_some() && accesses().any(|access| operation(access, parsed) == of)
    };
    let second_parts: Vec<Value<'_>> = parsed.functions().into_iter().filter(is_second_part).collect();
    let instructions = || {
        parsed.functions().into_iter().flat_map(|function| function.blocks()).flat_map(Block::instructions)
    };
    !second_parts.is_empty()
        && second_parts.into_iter().all(|function| function.users().into_iter().all(is_known))
        && instructions()
            .filter(|access| may_be_access(*access))
            .all(|access| is_in_its_place(access, parsed))
}

/// Whether parts of functions of condition variables were inlined into others: a model of these functions
/// would know half of what happens. Each one has an atomic update: of the counter, or of the lock.
pub fn has_inlined_conditions(parsed: &Parsed) -> bool {
    let operates = |function: Value<'_>| operates_on_condition(&function.name());
    let comes_from_one = |update: Value<'_>| {
        let symbols = update.location().into_iter().flat_map(|location| location.subprograms(parsed));
        symbols
            .filter_map(|function| function.linkage_name(parsed))
            .any(|symbol| operates_on_condition(&symbol))
    };
    let is_update = |instruction: &Value<'_>| {
        matches!(instruction.opcode(), Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg)
    };
    let functions = parsed.functions();
    functions.iter().copied().any(operates)
        && functions.into_iter().filter(|function| !operates(*function)).any(|function| {
            function.blocks().into_iter().flat_map(Block::instructions).filter(is_update).any(comes_from_one)
        })
}

//! Where a module operates on locks of Rust's standard library.

use crate::llvm::{Opcode, Parsed, Value};
use symx_ir::known_functions::rust_locks::{LOCK_CONTENDED, RustLockOperation, WAKE, inlined_operation};
use symx_ir::known_functions::rust_names::{AtomicFunction, library_path};

/// The operation that an instruction was inlined from, as debug information says.
fn operation_at<'m>(instruction: Value<'m>, parsed: &'m Parsed) -> Option<RustLockOperation> {
    let locations = std::iter::successors(instruction.location(), |location| location.inlined_at());
    let functions = locations.filter_map(|location| location.scope()?.subprogram(parsed));
    let symbols: Vec<String> = functions.filter_map(|function| function.linkage_name(parsed)).collect();
    inlined_operation(symbols.iter().map(String::as_str))
}

/// The operation whose access to the lock's word an instruction is.
pub fn operation<'m>(instruction: Value<'m>, parsed: &'m Parsed) -> Option<RustLockOperation> {
    let is_access = match instruction.opcode() {
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        // Without optimisation.
        Opcode::LLVMCall | Opcode::LLVMInvoke => AtomicFunction::of(&instruction.callee().name()).is_some(),
        _ => false,
    };
    is_access.then(|| operation_at(instruction, parsed)).flatten()
}

/// Whether debug information knows of each operation in the module: of each one's second part, which is a call,
/// it says what that belongs to.
pub fn are_all_known(parsed: &Parsed) -> bool {
    let is_second_part = |function: &Value<'_>| {
        matches!(library_path(&function.name()).as_deref(), Some(LOCK_CONTENDED | WAKE))
    };
    let is_known = |user: Value<'_>| user.is_call() && operation_at(user, parsed).is_some();
    parsed
        .functions()
        .into_iter()
        .filter(is_second_part)
        .all(|function| function.users().into_iter().all(is_known))
}

//! Whether a program may call the kernel to send a signal, by what stands in its code.

use crate::kernel::dispatch::signals;
use crate::kernel::{OF_LIBRARY, OF_PROGRAM};
use symx_ir::Program;
use symx_ir::function::{CallSite, CallTarget, ExternalId};
use symx_ir::program::LinkedFunction;

/// Whether a thread may get a signal that it does not send itself, by a system call.
///
/// libc's functions call the kernel by constant numbers where they send signals. The program may compute
/// the number, or have libc's `syscall` called through a pointer or by its name.
pub(crate) fn may_call_to_signal(program: &Program) -> bool {
    let of_library = program.external_named(OF_LIBRARY);
    let of_program = program.external_named(OF_PROGRAM);
    let sends = |function: &LinkedFunction, site: &CallSite| {
        let CallTarget::External(callee) = site.target else { return false };
        match number(function, site) {
            Some(number) => (Some(callee) == of_library || Some(callee) == of_program) && signals(number),
            None => Some(callee) == of_program,
        }
    };
    let any_sends = |function: &LinkedFunction| function.calls.iter().any(|site| sends(function, site));
    program.functions.iter().any(any_sends) || of_program.is_some_and(|callee| is_pointed_to(program, callee))
}

/// The constant number by which a call site calls the kernel.
fn number(function: &LinkedFunction, site: &CallSite) -> Option<u64> {
    let operand = site.arguments.first()?.operand;
    operand.is_constant().then(|| function.constants[operand.index()])
}

/// Whether the program has the address of a function: in its code, in a variable, or by a name that it looks
/// up.
fn is_pointed_to(program: &Program, callee: ExternalId) -> bool {
    let address = program.external_address(callee);
    program.functions.iter().any(|function| function.constants.contains(&address))
        || program
            .globals
            .iter()
            .any(|global| global.bytes.windows(8).any(|word| word == address.to_le_bytes()))
        || program.names.library.values().any(|looked_up| *looked_up == address)
}

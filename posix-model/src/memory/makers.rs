//! Blocks of C++'s operators remember which of them made them.

use crate::answer::PosixCall;
use symx_interp::stop::{Fault, Stop};
use symx_trace::{FailureDetail, FailureKind, Forgivable};

/// The maker of a block, where it was not `malloc` or one of its kin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Maker {
    /// `new`.
    New,
    /// `new[]`.
    NewArray,
}

/// The names of an operator's variants, plain and nothrow.
pub(super) const NEW: [&str; 2] = ["_Znwm", "_ZnwmRKSt9nothrow_t"];
pub(super) const NEW_ARRAY: [&str; 2] = ["_Znam", "_ZnamRKSt9nothrow_t"];
/// The same with an alignment after the size.
pub(super) const NEW_ALIGNED: [&str; 2] = ["_ZnwmSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t"];
pub(super) const NEW_ARRAY_ALIGNED: [&str; 2] =
    ["_ZnamSt11align_val_t", "_ZnamSt11align_val_tRKSt9nothrow_t"];
/// Plain, nothrow, aligned, aligned and nothrow, with size, with size and alignment.
pub(super) const DELETE: [&str; 6] = [
    "_ZdlPv",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t",
    "_ZdlPvm",
    "_ZdlPvmSt11align_val_t",
];
pub(super) const DELETE_ARRAY: [&str; 6] = [
    "_ZdaPv",
    "_ZdaPvRKSt9nothrow_t",
    "_ZdaPvSt11align_val_t",
    "_ZdaPvSt11align_val_tRKSt9nothrow_t",
    "_ZdaPvm",
    "_ZdaPvmSt11align_val_t",
];

/// Whether the program defines one of the operators itself. The others then are the library's, made of those.
pub(super) fn are_replaced(call: &PosixCall<'_, '_>) -> bool {
    let program = call.program();
    let own = |name: &&str| program.function_named(name).is_some_and(|id| program.function(id).in_program);
    let operators = [&NEW[..], &NEW_ALIGNED, &NEW_ARRAY, &NEW_ARRAY_ALIGNED, &DELETE, &DELETE_ARRAY];
    operators.iter().any(|names| names.iter().any(own))
}

/// A fault if the block at `address` was made by something else than what `releaser`
/// goes with (`None`: `malloc`).
pub(super) fn check_maker(
    call: &PosixCall<'_, '_>,
    address: u64,
    releaser: Option<Maker>,
) -> Result<(), Stop> {
    let maker = call.state().data.own.makers.get(&address).copied();
    let Some(object) = call.object_near(address) else { return Ok(()) };
    // Programs that define some operators by `malloc` mix as they please.
    let is_forgiven = call.forgives(Forgivable::Release);
    if maker == releaser || object.base != address || are_replaced(call) || is_forgiven {
        return Ok(());
    }
    let made = match maker {
        None => "malloc",
        Some(Maker::New) => "new",
        Some(Maker::NewArray) => "new[]",
    };
    let releasing = match releaser {
        None => "free",
        Some(Maker::New) => "delete",
        Some(Maker::NewArray) => "delete[]",
    };
    let name = call.describe(object);
    let message = format!("mismatched release: `{releasing}` of {name}, which `{made}` made");
    let mut fault = Fault::new(FailureKind::Memory, FailureDetail::MismatchedFree, message);
    fault.notes.push(("allocated here".to_owned(), object.origin.span, Some(object.origin.thread)));
    Err(fault.into())
}

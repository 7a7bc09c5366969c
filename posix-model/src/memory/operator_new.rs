//! C++'s `operator new` and `operator delete`: blocks that remember which of them made them.
//!
//! Where memory is short, or where the program defines some of them itself, the library's own definitions go
//! on. They call the handler, throw, or call the program's.

use crate::answer::{PosixCall, Step, word};
use crate::memory::heap;
use crate::row::{Row, fast_path};
use symx_interp::environment::Outcome;
use symx_interp::memory::Contents;
use symx_interp::stop::{Fault, Stop};
use symx_trace::{CallEffect, FailureDetail, FailureKind, Forgivable};

/// The maker of a block, where it was not `malloc` or one of its kin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Maker {
    /// `new`.
    New,
    /// `new[]`.
    NewArray,
}

/// The names of an operator's variants, plain and nothrow.
const NEW: [&str; 2] = ["_Znwm", "_ZnwmRKSt9nothrow_t"];
const NEW_ARRAY: [&str; 2] = ["_Znam", "_ZnamRKSt9nothrow_t"];
/// The same with an alignment after the size.
const NEW_ALIGNED: [&str; 2] = ["_ZnwmSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t"];
const NEW_ARRAY_ALIGNED: [&str; 2] = ["_ZnamSt11align_val_t", "_ZnamSt11align_val_tRKSt9nothrow_t"];
/// Plain, nothrow, aligned, aligned and nothrow, with size, with size and alignment.
const DELETE: [&str; 6] = [
    "_ZdlPv",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t",
    "_ZdlPvm",
    "_ZdlPvmSt11align_val_t",
];
const DELETE_ARRAY: [&str; 6] = [
    "_ZdaPv",
    "_ZdaPvRKSt9nothrow_t",
    "_ZdaPvSt11align_val_t",
    "_ZdaPvSt11align_val_tRKSt9nothrow_t",
    "_ZdaPvm",
    "_ZdaPvmSt11align_val_t",
];

pub(crate) const ROWS: &[Row] = &[
    fast_path(&NEW, |call| allocate(call, Maker::New, ALIGNMENT)).titled("operator new"),
    fast_path(&NEW_ALIGNED, |call| allocate_aligned(call, Maker::New)).titled("operator new"),
    fast_path(&NEW_ARRAY, |call| allocate(call, Maker::NewArray, ALIGNMENT)).titled("operator new[]"),
    fast_path(&NEW_ARRAY_ALIGNED, |call| allocate_aligned(call, Maker::NewArray)).titled("operator new[]"),
    fast_path(&DELETE, |call| release(call, Maker::New)).which(CallEffect::Free).titled("operator delete"),
    fast_path(&DELETE_ARRAY, |call| release(call, Maker::NewArray))
        .which(CallEffect::Free)
        .titled("operator delete[]"),
];

/// The alignment of blocks where none is asked for, in bytes: `__STDCPP_DEFAULT_NEW_ALIGNMENT__`.
const ALIGNMENT: u64 = 16;

/// Whether the program defines one of the operators itself. The others then are the library's, made of those.
fn are_replaced(call: &PosixCall<'_, '_>) -> bool {
    let program = call.program();
    let own = |name: &&str| program.function_named(name).is_some_and(|id| program.function(id).recorded);
    let operators = [&NEW[..], &NEW_ALIGNED, &NEW_ARRAY, &NEW_ARRAY_ALIGNED, &DELETE, &DELETE_ARRAY];
    operators.iter().any(|names| names.iter().any(own))
}

fn allocate_aligned(call: &mut PosixCall<'_, '_>, maker: Maker) -> Step {
    // The size first, as where no alignment is given: each may fork.
    call.argument(0)?;
    let alignment = call.argument(1)?;
    allocate(call, maker, alignment)
}

fn allocate(call: &mut PosixCall<'_, '_>, maker: Maker, alignment: u64) -> Step {
    let size = call.argument(0)?;
    if are_replaced(call) || !alignment.is_power_of_two() {
        return Ok(Outcome::Fallback);
    }
    let Some(address) = call.allocate(size, alignment.trailing_zeros().max(4) as u8, Contents::Unwritten)?
    else {
        return Ok(Outcome::Fallback);
    };
    call.data().makers.insert(address, maker);
    word(address)
}

fn release(call: &mut PosixCall<'_, '_>, maker: Maker) -> Step {
    if are_replaced(call) {
        return Ok(Outcome::Fallback);
    }
    heap::free_made_by(call, Some(maker))
}

/// A fault if the block at `address` was made by something else than what `releaser`
/// goes with (`None`: `malloc`).
pub(crate) fn check_maker(
    call: &PosixCall<'_, '_>,
    address: u64,
    releaser: Option<Maker>,
) -> Result<(), Stop> {
    let maker = call.state().data.makers.get(&address).copied();
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

//! C++'s `operator new` and `operator delete`.
//!
//! Where memory is short, or where the program defines some of them itself, the library's own definitions go
//! on. They call the handler, throw, or call the program's.

use crate::answer::{PosixCall, Step, word};
use crate::memory::heap;
use crate::memory::makers::{
    DELETE, DELETE_ARRAY, Maker, NEW, NEW_ALIGNED, NEW_ARRAY, NEW_ARRAY_ALIGNED, are_replaced,
};
use crate::row::{Row, fast_path};
use symx_interp::environment::Outcome;
use symx_interp::memory::Contents;
use symx_trace::CallEffect;

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
    call.data().own.makers.insert(address, maker);
    word(address)
}

fn release(call: &mut PosixCall<'_, '_>, maker: Maker) -> Step {
    if are_replaced(call) {
        return Ok(Outcome::Fallback);
    }
    heap::free_made_by(call, Some(maker))
}

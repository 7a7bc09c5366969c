//! `malloc` and its kin: every block is an object of its own.
//!
//! Freeing memory that another thread may be using is a visible operation.

use crate::answer::{
    PosixCall, Step, announced, announced_synchronisation, fail, finish_failure, int, nothing, word,
};
use crate::errno::{EINVAL, ENOMEM};
use crate::memory::makers::{Maker, check_maker};
use crate::row::{Row, row};
use symx_interp::access::Purpose;
use symx_interp::memory::{Contents, Life, SiteKind};
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_ir::address::LARGE_LIMIT;
use symx_trace::{Access, CallEffect, Footprint};

/// Alignment of ordinary blocks, log2 of bytes.
const ORDINARY_ALIGNMENT: u8 = 4;

pub(crate) const ROWS: &[Row] = &[
    row(&["malloc", "valloc"], |call| {
        let size = size(call, 0)?;
        allocate(call, size, Contents::Unwritten)
    }),
    row(&["calloc"], |call| {
        let (count, size) = (call.argument(0)?, call.argument(1)?);
        allocate(call, count.checked_mul(size), Contents::Zeros)
    }),
    row(&["realloc"], |call| {
        let size = size(call, 1)?;
        reallocate(call, size)
    })
    .which(CallEffect::Free),
    row(&["reallocarray"], |call| {
        let (count, size) = (call.argument(1)?, call.argument(2)?);
        reallocate(call, count.checked_mul(size))
    })
    .which(CallEffect::Free),
    row(&["free", "cfree"], |call| free_made_by(call, None)).which(CallEffect::Free),
    row(&["aligned_alloc", "memalign"], |call| {
        let (alignment, size) = (call.argument(0)?, call.argument(1)?);
        allocate_aligned(call, alignment, size)
    }),
    row(&["posix_memalign"], allocate_posix_aligned),
    row(&["malloc_usable_size"], usable_size),
    row(&["malloc_trim"], |_| int(0)),
];

/// Argument `index` as a size. A symbolic one forks over its values; all that no block can have are one way,
/// the last one. What follows a refused block is mostly short, but may repeat for each of very many sizes.
fn size(call: &mut PosixCall<'_, '_>, index: usize) -> Result<Option<u64>, Stop> {
    if let Value::Symbolic(size) = call.value(index) {
        let terms = call.terms();
        let most = terms.constant(terms.width(size), LARGE_LIMIT);
        let fits = Value::of(terms, terms.not(terms.unsigned_less(most, size)));
        if !call.decide(fits)? {
            return Ok(None);
        }
    }
    call.argument(index).map(Some)
}

/// `None` denotes a size beyond what a number of bytes can be.
fn allocate(call: &mut PosixCall<'_, '_>, size: Option<u64>, contents: Contents) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let made = match size {
        Some(size) => call.allocate(size, ORDINARY_ALIGNMENT, contents)?,
        None => None,
    };
    match made {
        Some(address) => word(address),
        None => fail(call, ENOMEM, Value::Concrete(0)),
    }
}

fn allocate_aligned(call: &mut PosixCall<'_, '_>, alignment: u64, size: u64) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    if !alignment.is_power_of_two() {
        return fail(call, EINVAL, Value::Concrete(0));
    }
    match call.allocate(
        size,
        alignment.trailing_zeros().max(u32::from(ORDINARY_ALIGNMENT)) as u8,
        Contents::Unwritten,
    )? {
        Some(address) => word(address),
        None => fail(call, ENOMEM, Value::Concrete(0)),
    }
}

fn allocate_posix_aligned(call: &mut PosixCall<'_, '_>) -> Step {
    let (result, alignment, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    if !alignment.is_power_of_two() || alignment < 8 {
        return int(EINVAL);
    }
    call.object(result, 8, Purpose::Write)?;
    match call.allocate(size, alignment.trailing_zeros() as u8, Contents::Unwritten)? {
        Some(address) => {
            call.write(result, 8, Value::Concrete(address))?;
            int(0)
        }
        None => int(ENOMEM),
    }
}

/// Frees the block at the first argument, which must come from `maker` (`None` is `malloc`).
pub(crate) fn free_made_by(call: &mut PosixCall<'_, '_>, maker: Option<Maker>) -> Step {
    let address = call.argument(0)?;
    if address == 0 {
        return nothing();
    }
    if let Some(footprint) = visible_end(call, address)
        && let Some(park) = announced(call, footprint)
    {
        return Ok(park);
    }
    check_live_maker(call, address, maker)?;
    release(call, address)?;
    nothing()
}

/// [`check_maker`] of a block that is not freed yet; freeing another says what is wrong.
fn check_live_maker(call: &PosixCall<'_, '_>, address: u64, maker: Option<Maker>) -> Result<(), Stop> {
    match call.object_near(address) {
        Some(object) if object.life == Life::Live && matches!(object.site.kind(), SiteKind::Heap(..)) => {
            check_maker(call, address, maker)
        }
        _ => Ok(()),
    }
}

/// The footprint of the end of a block that other threads may be using; `None` if there are
/// none, or no block.
fn visible_end(call: &mut PosixCall<'_, '_>, address: u64) -> Option<Footprint> {
    let object = call.object_near(address)?;
    let end = Access::end_of_life(object.base, object.size);
    (call.phase() > 0 || call.is_shared(address)).then(|| Footprint::from(end))
}

fn release(call: &mut PosixCall<'_, '_>, address: u64) -> Result<(), Stop> {
    let size = call.object_near(address).map_or(0, |object| object.size);
    call.free(address)?;
    call.data().forget(address, size);
    Ok(())
}

fn reallocate(call: &mut PosixCall<'_, '_>, size: Option<u64>) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    let address = call.argument(0)?;
    if address == 0 {
        return allocate(call, size, Contents::Unwritten);
    }
    let Some(size) = size else { return fail(call, ENOMEM, Value::Concrete(0)) };
    // The copy includes the thread's own stores: they must have reached memory.
    if let Some(footprint) = visible_end(call, address)
        && let Some(park) = announced_synchronisation(call, footprint)
    {
        return Ok(park);
    }
    let old = match call.object_near(address) {
        Some(object)
            if object.base == address
                && object.life == Life::Live
                && matches!(object.site.kind(), SiteKind::Heap(..)) =>
        {
            object.size
        }
        // Not a live block: freeing it says what is wrong.
        _ => return call.free(address).and_then(|()| nothing()),
    };
    check_live_maker(call, address, None)?;
    if size == 0 {
        // As glibc: the block ends, and no other comes in its place.
        release(call, address)?;
        return word(0);
    }
    let Some(moved) = call.allocate(size, ORDINARY_ALIGNMENT, Contents::Unwritten)? else {
        return fail(call, ENOMEM, Value::Concrete(0));
    };
    call.copy(moved, address, old.min(size))?;
    release(call, address)?;
    word(moved)
}

fn usable_size(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    if address == 0 {
        return word(0);
    }
    let object = call.object(address, 0, Purpose::Read)?;
    word(object.size)
}

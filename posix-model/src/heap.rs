//! `malloc` and its kin, and C++'s `new` and `delete`: every block is an object of its own.
//!
//! Freeing memory that another thread may be using is a visible operation.

use crate::answer::{
    PosixCall, Step, announced, announced_synchronisation, fail, finish_failure, int, nothing, touching, word,
};
use crate::errno::{EINVAL, ENOMEM};
use crate::registry::{Row, row};
use symx_interp::access::Purpose;
use symx_interp::memory::{Contents, Life, SiteKind};
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Footprint};

/// Alignment of ordinary blocks, log2 of bytes.
const ORDINARY_ALIGNMENT: u8 = 4;

pub(crate) const ROWS: &[Row] = &[
    row(&["malloc", "valloc"], |call| {
        let size = call.argument(0)?;
        allocate(call, Some(size), Contents::Unwritten)
    }),
    row(&["calloc"], |call| {
        let (count, size) = (call.argument(0)?, call.argument(1)?);
        allocate(call, count.checked_mul(size), Contents::Zeros)
    }),
    row(&["realloc"], |call| {
        let size = call.argument(1)?;
        reallocate(call, Some(size))
    }),
    row(&["reallocarray"], |call| {
        let (count, size) = (call.argument(1)?, call.argument(2)?);
        reallocate(call, count.checked_mul(size))
    }),
    row(&["free", "cfree"], free),
    row(&["aligned_alloc", "memalign"], |call| {
        let (alignment, size) = (call.argument(0)?, call.argument(1)?);
        allocate_aligned(call, alignment, size)
    }),
    row(&["posix_memalign"], allocate_posix_aligned),
    row(&["malloc_usable_size"], usable_size),
    row(&["malloc_trim"], |_| int(0)),
    // operator new(unsigned long), new[], their nothrow and aligned variants
    row(&["_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t"], new),
    row(
        &[
            "_ZnwmSt11align_val_t",
            "_ZnamSt11align_val_t",
            "_ZnwmSt11align_val_tRKSt9nothrow_t",
            "_ZnamSt11align_val_tRKSt9nothrow_t",
        ],
        |call| {
            let (size, alignment) = (call.argument(0)?, call.argument(1)?);
            allocate_aligned(call, alignment, size)
        },
    ),
    // operator delete(void*), delete[], with size, nothrow, alignment
    row(
        &[
            "_ZdlPv",
            "_ZdaPv",
            "_ZdlPvm",
            "_ZdaPvm",
            "_ZdlPvRKSt9nothrow_t",
            "_ZdaPvRKSt9nothrow_t",
            "_ZdlPvSt11align_val_t",
            "_ZdaPvSt11align_val_t",
            "_ZdlPvmSt11align_val_t",
            "_ZdaPvmSt11align_val_t",
        ],
        free,
    ),
];

/// `None` stands for a size beyond what a number of bytes can be.
fn allocate(call: &mut PosixCall<'_, '_>, size: Option<u64>, contents: Contents) -> Step {
    if let Some(failed) = finish_failure(call) {
        return failed;
    }
    match size.and_then(|size| call.allocate(size, ORDINARY_ALIGNMENT, contents)) {
        Some(address) => word(address),
        None => fail(call, ENOMEM, Value::Concrete(0)),
    }
}

fn new(call: &mut PosixCall<'_, '_>) -> Step {
    let size = call.argument(0)?;
    match call.allocate(size, ORDINARY_ALIGNMENT, Contents::Unwritten) {
        Some(address) => word(address),
        None if call.argument_count() > 1 => word(0),
        None => Err(call.unsupported("operator new that throws std::bad_alloc")),
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
    ) {
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
    match call.allocate(size, alignment.trailing_zeros() as u8, Contents::Unwritten) {
        Some(address) => {
            call.write(result, 8, Value::Concrete(address))?;
            int(0)
        }
        None => int(ENOMEM),
    }
}

fn free(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    if address == 0 {
        return nothing();
    }
    if let Some(footprint) = visible_end(call, address)
        && let Some(park) = announced(call, footprint)
    {
        return Ok(park);
    }
    release(call, address)?;
    nothing()
}

/// The footprint of the end of a block that other threads may be using; `None` if there are none, or no block.
fn visible_end(call: &mut PosixCall<'_, '_>, address: u64) -> Option<Footprint> {
    let object = call.object_near(address)?;
    let whole = Access::write(object.base, object.size.max(1));
    (call.phase() > 0 || call.is_shared(address)).then(|| touching(whole))
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
    // What is copied includes the thread's own stores: they must have reached memory.
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
    let Some(moved) = call.allocate(size, ORDINARY_ALIGNMENT, Contents::Unwritten) else {
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

//! Atomic objects of any size: what compilers call where the machine has no instruction that is wide enough.
//!
//! libatomic takes a lock for the object's address. Whatever it does is one step here, and all that is done
//! to one object is in order, whatever order was asked for. Races go by the order that was asked for.

use crate::answer::{PosixCall, Step, int, nothing};
use crate::row::{Row, row};
use smallvec::smallvec;
use symx_expr::Term;
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, Mode};

pub(crate) const ROWS: &[Row] = &[
    row(&["__atomic_load"], load),
    row(&["__atomic_store"], store),
    row(&["__atomic_exchange"], exchange),
    row(&["__atomic_compare_exchange"], compare_exchange),
];

/// Parks before the operation on `size` bytes at `object`, which also touches `others`: what may be read and
/// written of the caller's own. Nothing where no other thread uses any of that, or the operation may take
/// place now.
fn turn(
    call: &mut PosixCall<'_, '_>,
    size: u64,
    (object, writes): (u64, bool),
    others: [(u64, Purpose); 2],
) -> Result<Option<Outcome<crate::Posix>>, Stop> {
    if call.phase() != 0 {
        return Ok(None);
    }
    call.object(object, size, if writes { Purpose::Write } else { Purpose::Read })?;
    let mode = if writes { Mode::Write } else { Mode::Read };
    let memory = if writes { Access::write(object, size) } else { Access::read(object, size) };
    let mut footprint = smallvec![Access::object(object, mode), memory];
    let mut is_observed = call.is_observed(object);
    for (address, purpose) in others {
        call.object(address, size, purpose)?;
        if call.is_observed(address) {
            is_observed = true;
            footprint.push(match purpose {
                Purpose::Read => Access::read(address, size),
                _ => Access::write(address, size),
            });
        }
    }
    if !is_observed {
        return Ok(None);
    }
    call.is_beyond_traces("an atomic object that is wider than the machine's");
    Ok(Some(call.synchronise(footprint, None)))
}

/// Bytes read, or written, without asking in between: some ten-thousandths of a second's work.
const BETWEEN: u64 = 1 << 12;

/// Asks whether work is to continue, now and then.
fn proceed(call: &PosixCall<'_, '_>, index: u64) -> Result<(), Stop> {
    if (index + 1).is_multiple_of(BETWEEN) { call.proceed() } else { Ok(()) }
}

fn bytes(call: &mut PosixCall<'_, '_>, address: u64, size: u64) -> Result<Vec<Value>, Stop> {
    call.ask(size.saturating_mul(size_of::<Value>() as u64))?;
    let mut bytes = Vec::with_capacity(size as usize);
    for index in 0..size {
        proceed(call, index)?;
        bytes.push(call.read(address + index, 1)?);
    }
    Ok(bytes)
}

fn put(call: &mut PosixCall<'_, '_>, address: u64, bytes: &[Value]) -> Result<(), Stop> {
    for (byte, index) in bytes.iter().zip(0..) {
        proceed(call, index)?;
        call.write(address + index, 1, *byte)?;
    }
    Ok(())
}

/// `void __atomic_load(size_t size, void *object, void *to, int order)`
fn load(call: &mut PosixCall<'_, '_>) -> Step {
    let (size, object, to) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let order = call.argument(3)?;
    if size == 0 {
        return nothing();
    }
    let own = [(to, Purpose::Write); 2];
    if let Some(parked) = turn(call, size, (object, false), own)? {
        return Ok(parked);
    }
    let value = bytes(call, object, size)?;
    call.access_atomic(object, size, (true, false), order);
    put(call, to, &value)?;
    nothing()
}

/// `void __atomic_store(size_t size, void *object, void *from, int order)`
fn store(call: &mut PosixCall<'_, '_>) -> Step {
    let (size, object, from) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    let order = call.argument(3)?;
    if size == 0 {
        return nothing();
    }
    let own = [(from, Purpose::Read); 2];
    if let Some(parked) = turn(call, size, (object, true), own)? {
        return Ok(parked);
    }
    let value = bytes(call, from, size)?;
    put(call, object, &value)?;
    call.access_atomic(object, size, (false, true), order);
    nothing()
}

/// `void __atomic_exchange(size_t size, void *object, void *from, void *to, int order)`
fn exchange(call: &mut PosixCall<'_, '_>) -> Step {
    let (size, object) = (call.argument(0)?, call.argument(1)?);
    let (from, to, order) = (call.argument(2)?, call.argument(3)?, call.argument(4)?);
    if size == 0 {
        return nothing();
    }
    let own = [(from, Purpose::Read), (to, Purpose::Write)];
    if let Some(parked) = turn(call, size, (object, true), own)? {
        return Ok(parked);
    }
    let (old, new) = (bytes(call, object, size)?, bytes(call, from, size)?);
    put(call, object, &new)?;
    call.access_atomic(object, size, (true, true), order);
    put(call, to, &old)?;
    nothing()
}

/// `bool __atomic_compare_exchange(size_t size, void *object, void *expected, void *desired, int success, int
/// failure)`
fn compare_exchange(call: &mut PosixCall<'_, '_>) -> Step {
    let (size, object) = (call.argument(0)?, call.argument(1)?);
    let (expected, desired) = (call.argument(2)?, call.argument(3)?);
    let (success, failure) = (call.argument(4)?, call.argument(5)?);
    if size == 0 {
        return int(1);
    }
    let own = [(expected, Purpose::Write), (desired, Purpose::Read)];
    if let Some(parked) = turn(call, size, (object, true), own)? {
        return Ok(parked);
    }
    let (old, wanted) = (bytes(call, object, size)?, bytes(call, expected, size)?);
    let terms = call.terms();
    let mut equal = Term::TRUE;
    for ((old, wanted), index) in old.iter().zip(&wanted).zip(0..) {
        proceed(call, index)?;
        equal = terms.and(equal, terms.equal(old.term(terms, 8), wanted.term(terms, 8)));
    }
    let equal = Value::of(terms, equal);
    if call.decide(equal)? {
        let new = bytes(call, desired, size)?;
        put(call, object, &new)?;
        call.access_atomic(object, size, (true, true), success);
        return int(1);
    }
    call.access_atomic(object, size, (true, false), failure);
    put(call, expected, &old)?;
    int(0)
}

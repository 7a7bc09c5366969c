//! Fast paths of the memory and string functions.
//!
//! Each answers in one step where that is unobservable: no other thread uses the memory, and the bytes that
//! decide are concrete. In every other case libc's own definition is interpreted.

use crate::answer::{PosixCall, Step, int, word};
use crate::row::{Row, fast_path};
use symx_interp::access::Purpose;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

pub(crate) const ROWS: &[Row] = &[
    fast_path(&["memcpy", "memmove"], |call| copy(call, false)),
    fast_path(&["mempcpy"], |call| copy(call, true)),
    fast_path(&["memset"], |call| {
        let (Some(address), Some(byte), Some(length)) = (plain(call, 0), plain(call, 1), plain(call, 2))
        else {
            return Ok(Outcome::Fallback);
        };
        fill(call, address, byte as u8, length)
    }),
    fast_path(&["bzero"], |call| {
        let (Some(address), Some(length)) = (plain(call, 0), plain(call, 1)) else {
            return Ok(Outcome::Fallback);
        };
        fill(call, address, 0, length)
    }),
    fast_path(&["memcmp", "bcmp"], compare_memory),
    fast_path(&["memchr"], |call| find_byte(call, false)),
    fast_path(&["memrchr", "__memrchr"], |call| find_byte(call, true)),
    fast_path(&["strlen"], length),
    fast_path(&["strnlen"], bounded_length),
    fast_path(&["strcpy"], |call| copy_string(call, false)),
    fast_path(&["stpcpy", "__stpcpy"], |call| copy_string(call, true)),
    fast_path(&["strcmp"], |call| compare_strings(call, u64::MAX)),
    fast_path(&["strncmp"], |call| match plain(call, 2) {
        Some(most) => compare_strings(call, most),
        None => Ok(Outcome::Fallback),
    }),
    fast_path(&["strchr", "index"], |call| find_character(call, Search::First)),
    fast_path(&["strchrnul", "__strchrnul"], |call| find_character(call, Search::FirstOrEnd)),
    fast_path(&["strrchr", "rindex"], |call| find_character(call, Search::Last)),
];

/// Argument `index`, if concrete.
fn plain(call: &PosixCall<'_, '_>, index: usize) -> Option<u64> {
    call.value(index).concrete()
}

/// Checks that all of a range may be used: the fault is that of its first bad byte, as a loop
/// over it would meet.
fn check(call: &PosixCall<'_, '_>, address: u64, length: u64, purpose: Purpose) -> Result<(), Stop> {
    let Err(whole) = call.object(address, length, purpose) else { return Ok(()) };
    if length == 0 {
        return Ok(());
    }
    call.object(address, 1, purpose)?;
    let Some(object) = call.object_near(address) else { return Err(whole) };
    call.object(object.base + object.size, 1, purpose)?;
    Err(whole)
}

fn copy(call: &mut PosixCall<'_, '_>, to_end: bool) -> Step {
    let (Some(to), Some(from), Some(length)) = (plain(call, 0), plain(call, 1), plain(call, 2)) else {
        return Ok(Outcome::Fallback);
    };
    if length > 0 {
        if call.is_observed(to) || call.is_observed(from) {
            return Ok(Outcome::Fallback);
        }
        check(call, from, length, Purpose::Read)?;
        check(call, to, length, Purpose::Write)?;
        call.copy(to, from, length)?;
    }
    word(if to_end { to + length } else { to })
}

fn fill(call: &mut PosixCall<'_, '_>, address: u64, byte: u8, length: u64) -> Step {
    if length > 0 {
        if call.is_observed(address) {
            return Ok(Outcome::Fallback);
        }
        check(call, address, length, Purpose::Write)?;
        call.fill(address, byte, length)?;
    }
    word(address)
}

/// The bytes of a range that is concrete and not shared.
fn bytes(call: &mut PosixCall<'_, '_>, address: u64, length: u64) -> Result<Option<Vec<u8>>, Stop> {
    if length == 0 {
        return Ok(Some(Vec::new()));
    }
    if call.is_observed(address) {
        return Ok(None);
    }
    check(call, address, length, Purpose::Read)?;
    if call.has_symbolic(address, length)? {
        return Ok(None);
    }
    call.read_bytes(address, length).map(Some)
}

/// Bytes looked at together.
const CHUNK: u64 = 64;

/// Bytes looked at before it is asked whether to continue.
const BETWEEN: u64 = 1 << 16;

/// The bytes from `address` up to the first for which `is_last` holds, which is included, or `most` of them.
/// `None` if some are symbolic or shared. Running past the end of the object is the fault of the byte there.
fn bytes_until(
    call: &mut PosixCall<'_, '_>,
    address: u64,
    most: u64,
    is_last: impl Fn(u8) -> bool,
) -> Result<Option<Vec<u8>>, Stop> {
    let mut found = Vec::new();
    if most == 0 {
        return Ok(Some(found));
    }
    if call.is_observed(address) {
        return Ok(None);
    }
    loop {
        let at = address + found.len() as u64;
        let object = call.object(at, 1, Purpose::Read)?;
        let offset = at - object.base;
        let count = CHUNK.min(object.size - offset).min(most - found.len() as u64);
        let mut chunk = [0; CHUNK as usize];
        let chunk = &mut chunk[..count as usize];
        object.copy_out(offset, chunk);
        let end = if object.has_symbolic(offset, count) {
            // Concrete bytes before the first symbolic one may decide.
            let concrete = (0..count).take_while(|index| !object.has_symbolic(offset + index, 1)).count();
            match chunk[..concrete].iter().position(|byte| is_last(*byte)) {
                Some(end) => Some(end),
                None => return Ok(None),
            }
        } else {
            chunk.iter().position(|byte| is_last(*byte))
        };
        match end {
            Some(end) => {
                found.extend_from_slice(&chunk[..=end]);
                return Ok(Some(found));
            }
            None => found.extend_from_slice(chunk),
        }
        if (found.len() as u64).is_multiple_of(BETWEEN) {
            call.proceed()?;
            call.ask(BETWEEN)?;
        }
        if found.len() as u64 == most {
            return Ok(Some(found));
        }
    }
}

fn string(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Option<Vec<u8>>, Stop> {
    bytes_until(call, address, u64::MAX, |byte| byte == 0)
}

/// The sign of a comparison, as an `int`.
fn sign(ordering: std::cmp::Ordering) -> Step {
    int(ordering as i32)
}

fn compare_memory(call: &mut PosixCall<'_, '_>) -> Step {
    let (Some(left), Some(right), Some(length)) = (plain(call, 0), plain(call, 1), plain(call, 2)) else {
        return Ok(Outcome::Fallback);
    };
    let (Some(left), Some(right)) = (bytes(call, left, length)?, bytes(call, right, length)?) else {
        return Ok(Outcome::Fallback);
    };
    sign(left.cmp(&right))
}

fn find_byte(call: &mut PosixCall<'_, '_>, last: bool) -> Step {
    let (Some(address), Some(byte), Some(length)) = (plain(call, 0), plain(call, 1), plain(call, 2)) else {
        return Ok(Outcome::Fallback);
    };
    let byte = byte as u8;
    let found = if last {
        let Some(bytes) = bytes(call, address, length)? else { return Ok(Outcome::Fallback) };
        bytes.iter().rposition(|other| *other == byte)
    } else {
        // Only bytes up to the one found must exist: the length may be generous.
        let Some(bytes) = bytes_until(call, address, length, |other| other == byte)? else {
            return Ok(Outcome::Fallback);
        };
        (bytes.last() == Some(&byte)).then(|| bytes.len() - 1)
    };
    word(found.map_or(0, |index| address + index as u64))
}

fn length(call: &mut PosixCall<'_, '_>) -> Step {
    let Some(address) = plain(call, 0) else { return Ok(Outcome::Fallback) };
    match string(call, address)? {
        Some(text) => word(text.len() as u64 - 1),
        None => Ok(Outcome::Fallback),
    }
}

fn bounded_length(call: &mut PosixCall<'_, '_>) -> Step {
    let (Some(address), Some(most)) = (plain(call, 0), plain(call, 1)) else { return Ok(Outcome::Fallback) };
    match bytes_until(call, address, most, |byte| byte == 0)? {
        Some(text) => word(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()) as u64),
        None => Ok(Outcome::Fallback),
    }
}

fn copy_string(call: &mut PosixCall<'_, '_>, to_end: bool) -> Step {
    let (Some(to), Some(from)) = (plain(call, 0), plain(call, 1)) else { return Ok(Outcome::Fallback) };
    if call.is_observed(to) {
        return Ok(Outcome::Fallback);
    }
    let Some(text) = string(call, from)? else { return Ok(Outcome::Fallback) };
    check(call, to, text.len() as u64, Purpose::Write)?;
    call.write_bytes(to, &text)?;
    word(if to_end { to + text.len() as u64 - 1 } else { to })
}

/// Compares at most `most` characters. Like a loop over both, it looks no further than the first difference.
fn compare_strings(call: &mut PosixCall<'_, '_>, most: u64) -> Step {
    let (Some(left), Some(right)) = (plain(call, 0), plain(call, 1)) else { return Ok(Outcome::Fallback) };
    if most == 0 {
        return int(0);
    }
    if call.is_observed(left) || call.is_observed(right) {
        return Ok(Outcome::Fallback);
    }
    for index in 0..most {
        if (index + 1).is_multiple_of(BETWEEN) {
            call.proceed()?;
        }
        let (first, second) = (call.read(left + index, 1)?, call.read(right + index, 1)?);
        let (Value::Concrete(first), Value::Concrete(second)) = (first, second) else {
            return Ok(Outcome::Fallback);
        };
        if first != second || first == 0 {
            return sign(first.cmp(&second));
        }
    }
    int(0)
}

/// Which occurrence of a character is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    First,
    /// The end of the string if there is none.
    FirstOrEnd,
    Last,
}

fn find_character(call: &mut PosixCall<'_, '_>, search: Search) -> Step {
    let (Some(address), Some(character)) = (plain(call, 0), plain(call, 1)) else {
        return Ok(Outcome::Fallback);
    };
    let character = character as u8;
    let wanted_or_end = move |byte: u8| byte == 0 || byte == character;
    let text = match search {
        Search::Last => string(call, address)?,
        _ => bytes_until(call, address, u64::MAX, wanted_or_end)?,
    };
    let Some(text) = text else { return Ok(Outcome::Fallback) };
    let found = match search {
        Search::FirstOrEnd => Some(text.len() - 1),
        _ => text.iter().rposition(|byte| *byte == character),
    };
    word(found.map_or(0, |index| address + index as u64))
}

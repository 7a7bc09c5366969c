//! Buffers of calls that transfer bytes: one, or an array of them (`struct iovec`).

use crate::answer::PosixCall;
use crate::errno::EINVAL;
use crate::kernel::system_calls::argument;
use symx_interp::stop::Stop;

/// Buffers, by address and length.
pub(crate) type Buffers = Vec<(u64, u64)>;

/// Buffers of one call (`UIO_MAXIOV`).
const MOST: u64 = 1024;
/// Bytes that one call transfers (`MAX_RW_COUNT`): buffers beyond are not looked at.
pub(crate) const MOST_BYTES: u64 = 0x7fff_f000;
/// Bytes of a `struct iovec`.
const ENTRY: u64 = 16;

/// The address and length in arguments 1 and 2.
pub(crate) fn one(call: &mut PosixCall<'_, '_>) -> Result<Buffers, Stop> {
    Ok(cut(vec![(argument(call, 1)?, argument(call, 2)?)]))
}

/// The buffers of an array of `count` at `vector`. The error is `too_many` if there are too many, and
/// `EINVAL` if one has no length.
pub(crate) fn array(
    call: &mut PosixCall<'_, '_>,
    (vector, count): (u64, u64),
    too_many: i32,
) -> Result<Result<Buffers, i32>, Stop> {
    if count > MOST {
        return Ok(Err(too_many));
    }
    let mut buffers = Vec::new();
    for index in 0..count {
        let entry = vector + ENTRY * index;
        let (address, length) = (call.read_number(entry, 8)?, call.read_number(entry + 8, 8)?);
        if length > i64::MAX as u64 {
            return Ok(Err(EINVAL));
        }
        buffers.push((address, length));
    }
    Ok(Ok(cut(buffers)))
}

/// Buffers up to the most bytes.
fn cut(mut buffers: Buffers) -> Buffers {
    let mut left = MOST_BYTES;
    for (_, length) in &mut buffers {
        *length = left.min(*length);
        left -= *length;
    }
    buffers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_bytes_are_transferred_than_one_call_may() {
        assert_eq!(cut(vec![(8, 3), (16, 0)]), [(8, 3), (16, 0)]);
        let cut = cut(vec![(8, 16), (16, u64::MAX), (24, 5)]);
        assert_eq!(cut, [(8, 16), (16, MOST_BYTES - 16), (24, 0)]);
    }
}

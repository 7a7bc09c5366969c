//! Processors of the machine, and sets of them (`cpu_set_t`).

use crate::answer::PosixCall;
use symx_interp::stop::Stop;

/// The processors the program may use, a bit each.
pub(crate) fn processor_mask(call: &PosixCall<'_, '_>) -> u64 {
    let count = call.environment().options().processors.clamp(1, 64);
    u64::MAX >> (64 - count)
}

/// The processors in the set of `size` bytes at `address`, as a word; `None` if it names some beyond.
pub(crate) fn processor_set(
    call: &mut PosixCall<'_, '_>,
    size: u64,
    address: u64,
) -> Result<Option<u64>, Stop> {
    let bytes = call.read_bytes(address, size)?;
    let (head, tail) = bytes.split_at(bytes.len().min(8));
    let word = head.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    Ok(tail.iter().all(|byte| *byte == 0).then_some(word))
}

/// Writes the set of processors `word` as `size` bytes; `None` if that is too few.
pub(crate) fn put_processor_set(
    call: &mut PosixCall<'_, '_>,
    word: u64,
    size: u64,
    address: u64,
) -> Result<Option<()>, Stop> {
    let mut bytes = word.to_le_bytes().to_vec();
    let too_few = size < 8 && bytes[size as usize..].iter().any(|byte| *byte != 0);
    bytes.resize(size as usize, 0);
    if too_few {
        return Ok(None);
    }
    call.write_bytes(address, &bytes)?;
    Ok(Some(()))
}

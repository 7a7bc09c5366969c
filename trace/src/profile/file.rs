//! The `path.prof` format.
//!
//! All numbers are little-endian. The file is the 8 bytes `SYMXPROF`, the format version (32 bits), and
//! blocks. A block is a header of 24 bytes and a payload:
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0 | 4 | kind: `PROC`, `THRD`, `CALL` or `UNIT` |
//! | 4 | 4 | payload length in bytes |
//! | 8 | 8 | first bytes of BLAKE3 over bytes 0 to 8 |
//! | 16 | 8 | first bytes of BLAKE3 over the payload |
//!
//! `PROC` (first, once) is a [`ProcessRecord`], `THRD` a [`ThreadProfile`] without its units, both in
//! postcard's encoding. `CALL` holds more of the thread's [`RecordedCall`]s. `UNIT` holds more units of the
//! thread before it. A unit that is followed by `n` more of the same is written as [`REPEAT`], `n` (16 bits),
//! the unit. So is each unit that looks like [`REPEAT`]. The last block has the kind `DONE` and no payload. A
//! file that stops before it is truncated: complete blocks are read, the rest is missing.

use symx_expr::{StopReason, StopToken};

use super::{ProcessRecord, Profile, ProgramHash, RecordedCall, ThreadProfile, creation_order};

/// The version this build writes and reads.
pub const FORMAT_VERSION: u32 = 6;
const MAGIC: &[u8; 8] = b"SYMXPROF";
const HEADER_BYTES: usize = 24;
/// Units in one block, at most; a loss costs no more.
const BLOCK_UNITS: usize = 1 << 18;
/// Calls in one block, at most.
const BLOCK_CALLS: usize = 1 << 12;
/// Repeated units that are asked for; fewer are not many times as long as what says them.
const ASKED_FOR: usize = 1 << 10;
/// A list that grows takes up to this many times what is added.
const GROWING: u64 = 2;
/// Stands before a count and the unit that repeats.
const REPEAT: u16 = 0xFFFF;

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The bytes do not begin as a profile does.
    #[error("not a path profile")]
    NotAProfile,
    /// It was written by a newer symx.
    #[error("path profile of format version {found}; this symx reads up to {supported}", supported = FORMAT_VERSION)]
    NewerVersion {
        /// The version of the file.
        found: u32,
    },
    /// It was written by an older symx.
    #[error("path profile of format version {found}; this symx reads version {supported}: record again", supported = FORMAT_VERSION)]
    OlderVersion {
        /// The version of the file.
        found: u32,
    },
    /// It was recorded from another program.
    #[error("the profile was recorded from program {recorded}, not from {given}")]
    WrongProgram {
        /// The program it was recorded from.
        recorded: ProgramHash,
        /// The program it is to be used with.
        given: ProgramHash,
    },
    /// Bytes were changed.
    #[error("path profile damaged: the checksum of the block at byte {offset} does not match")]
    ChecksumMismatch {
        /// Where the block begins.
        offset: usize,
    },
    /// A block whose checksum is right holds something else than it should.
    #[error("path profile malformed: {what} at byte {offset}")]
    Malformed {
        /// Where the block begins.
        offset: usize,
        /// The error.
        what: &'static str,
    },
    /// Reading was ended from outside: a log folded in few bytes may unfold to more than there is memory for.
    #[error("not read to its end: {0}")]
    Stopped(StopReason),
    /// Not even the description of the process is there.
    #[error("path profile cut off before its first thread ({bytes} bytes)")]
    TooShort {
        /// How long it is.
        bytes: usize,
    },
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    first
}

pub(super) fn write_block(out: &mut Vec<u8>, kind: &[u8; 4], payload: &[u8]) {
    let start = out.len();
    out.extend_from_slice(kind);
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    let of_header = checksum(&out[start..]);
    out.extend_from_slice(&of_header);
    out.extend_from_slice(&checksum(payload));
    out.extend_from_slice(payload);
}

pub(super) fn encode<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("plain data encodes into memory")
}

/// Units with runs of three or more folded.
pub(super) fn fold(units: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len() * 2);
    for run in units.chunk_by(|a, b| a == b) {
        for part in run.chunks(usize::from(u16::MAX)) {
            match part.len() {
                1..=3 if part[0] != REPEAT => {
                    part.iter().for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes()))
                }
                count => {
                    for word in [REPEAT, count as u16 - 1, part[0]] {
                        bytes.extend_from_slice(&word.to_le_bytes());
                    }
                }
            }
        }
    }
    bytes
}

/// Why units were not unfolded.
enum NotUnfolded {
    Malformed(&'static str),
    Stopped(StopReason),
}

impl From<StopReason> for NotUnfolded {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

fn unfold(payload: &[u8], units: &mut Vec<u16>, stop: &StopToken) -> Result<(), NotUnfolded> {
    let malformed = NotUnfolded::Malformed;
    if !payload.len().is_multiple_of(2) {
        return Err(malformed("half a unit"));
    }
    let mut words = payload.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    while let Some(word) = words.next() {
        if word == REPEAT {
            let (Some(count), Some(unit)) = (words.next(), words.next()) else {
                return Err(malformed("half a run of units"));
            };
            let count = usize::from(count) + 1;
            if count >= ASKED_FOR {
                stop.check()?;
                stop.ask(GROWING * 2 * count as u64)?;
            }
            units.extend(std::iter::repeat_n(unit, count));
        } else {
            units.push(word);
        }
    }
    Ok(())
}

/// The bytes before the first block.
pub(super) fn begin() -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    out
}

impl Profile {
    /// The bytes of a `path.prof` file.
    pub fn write(&self) -> Vec<u8> {
        let mut out = begin();
        write_block(&mut out, b"PROC", &encode(&self.process));
        for thread in &self.threads {
            write_block(&mut out, b"THRD", &encode(thread));
            for calls in thread.inputs.chunks(BLOCK_CALLS) {
                write_block(&mut out, b"CALL", &encode(&calls));
            }
            for units in thread.units.chunks(BLOCK_UNITS) {
                write_block(&mut out, b"UNIT", &fold(units));
            }
        }
        if !self.is_truncated {
            write_block(&mut out, b"DONE", &[]);
        }
        out
    }

    /// Reads a `path.prof` file.
    pub fn read(bytes: &[u8]) -> Result<Self, ProfileError> {
        Self::read_until(bytes, &StopToken::default())
    }

    /// As [`read`](Self::read), ended from outside: few bytes can say very much.
    pub fn read_until(bytes: &[u8], stop: &StopToken) -> Result<Self, ProfileError> {
        let head = bytes.get(..12).ok_or(ProfileError::NotAProfile)?;
        if &head[..8] != MAGIC {
            return Err(ProfileError::NotAProfile);
        }
        let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if version > FORMAT_VERSION {
            return Err(ProfileError::NewerVersion { found: version });
        }
        if version < FORMAT_VERSION {
            return Err(ProfileError::OlderVersion { found: version });
        }
        let mut process: Option<ProcessRecord> = None;
        let mut threads: Vec<ThreadProfile> = Vec::new();
        let mut blocks = Blocks { bytes, offset: 12 };
        let mut is_truncated = true;
        while let Some(block) = blocks.next()? {
            let malformed = |what| ProfileError::Malformed { offset: block.offset, what };
            match &block.kind {
                b"PROC" if process.is_none() => {
                    process = Some(
                        postcard::from_bytes(block.payload).map_err(|_| malformed("no process record"))?,
                    );
                }
                b"THRD" => {
                    threads.push(
                        postcard::from_bytes(block.payload).map_err(|_| malformed("no thread record"))?,
                    );
                }
                b"CALL" => {
                    let thread = threads.last_mut().ok_or(malformed("calls without a thread"))?;
                    let calls: Vec<RecordedCall> =
                        postcard::from_bytes(block.payload).map_err(|_| malformed("no recorded calls"))?;
                    thread.inputs.extend(calls);
                }
                b"UNIT" => {
                    let thread = threads.last_mut().ok_or(malformed("units without a thread"))?;
                    unfold(block.payload, &mut thread.units, stop).map_err(|why| match why {
                        NotUnfolded::Malformed(what) => malformed(what),
                        NotUnfolded::Stopped(reason) => ProfileError::Stopped(reason),
                    })?;
                }
                b"DONE" => {
                    is_truncated = false;
                    break;
                }
                _ => return Err(malformed("a block of unknown kind")),
            }
        }
        let process = process.ok_or(ProfileError::TooShort { bytes: bytes.len() })?;
        if let Some(last) = threads.last_mut() {
            last.is_cut = is_truncated;
        }
        threads.sort_by(|a, b| creation_order(&a.name, &b.name));
        Ok(Profile { process, threads, is_truncated })
    }
}

struct Block<'a> {
    offset: usize,
    kind: [u8; 4],
    payload: &'a [u8],
}

struct Blocks<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Blocks<'a> {
    /// The next whole block; `None` where the file ends, be it in the middle of one.
    fn next(&mut self) -> Result<Option<Block<'a>>, ProfileError> {
        let offset = self.offset;
        let Some(header) = self.bytes.get(offset..offset + HEADER_BYTES) else { return Ok(None) };
        let mismatch = ProfileError::ChecksumMismatch { offset };
        if checksum(&header[..8]) != header[8..16] {
            return Err(mismatch);
        }
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let start = offset + HEADER_BYTES;
        let Some(payload) = self.bytes.get(start..start + length) else { return Ok(None) };
        if checksum(payload) != header[16..24] {
            return Err(mismatch);
        }
        self.offset = start + length;
        Ok(Some(Block { offset, kind: [header[0], header[1], header[2], header[3]], payload }))
    }
}

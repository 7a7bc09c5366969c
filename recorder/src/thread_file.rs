//! Reading the file that a thread of a recorded program leaves.
//!
//! Numbers are in the machine's byte order. The file is a page with the header, the shadow stack (8 bytes a
//! frame: path sum, function index + 1), and the log. The log begins at `log_offset`, in windows. Full
//! windows follow each other in a ring that has two places more than those it is to keep. The log goes on
//! after the last of them. If the whole log is kept there are two places, and after them those that became
//! full, in order. The log ends with the first unit that is 0; older units may follow it.
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0 | 8 | `SYMXTHRD`; absent while the thread is being set up |
//! | 8 | 4 | version |
//! | 12 | 4 | log_offset |
//! | 16 | 32 | hash of the program |
//! | 48 | 8 | ticks at the start |
//! | 56 | 8 | ticks at the end, 0 if it did not end |
//! | 64 | 8 | ticks at the fatal signal |
//! | 72 | 4 | the fatal signal, or 0 |
//! | 76, 80 | 4, 4 | signal handlers entered, left |
//! | 84 | 4 | how many full windows the ring keeps; 0 if the whole log is kept |
//! | 88 | 4 | bytes of a window |
//! | 92 | 4 | how many windows became full |
//!
//! With a ring, windows from the second on begin with the functions active there, so that what came
//! before can be missing.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use symx_trace::profile::unit::{self, Event, Events};
use symx_trace::profile::{OpenFrame, ProgramHash, ThreadProfile};

/// The version of the layout that this build writes and reads.
pub(crate) const VERSION: u32 = 6;
const STACK_OFFSET: u64 = 4096;
/// How many places there are for windows beside those that are kept.
const PLACES: u64 = 2;
const HEADER_BYTES: usize = 96;

/// The record of one thread.
pub(crate) struct ThreadFile {
    pub(crate) program: ProgramHash,
    pub(crate) thread: ThreadProfile,
}

/// The content of a thread's file.
pub(crate) enum Left {
    /// Nothing: the thread did not get as far as to record anything.
    Nothing,
    /// A layout of this version, which is not this build's.
    OtherVersion(u32),
    /// The thread's record.
    Log(Box<ThreadFile>),
}

/// Reads a thread's file. Of one that is mostly holes only what was written is read.
pub(crate) fn read(name: &str, file: &File) -> io::Result<Left> {
    let header = read_at(file, 0, HEADER_BYTES)?;
    // The version has stood at the same place in all of them.
    if header.len() >= 12 && &header[..8] == b"SYMXTHRD" {
        let version = u32::from_ne_bytes([header[8], header[9], header[10], header[11]]);
        if version != VERSION {
            return Ok(Left::OtherVersion(version));
        }
    }
    let Some((word, long)) = numbers(&header) else { return Ok(Left::Nothing) };
    if &header[..8] != b"SYMXTHRD" {
        return Ok(Left::Nothing);
    }
    let (log, started) = (u64::from(word(12)), long(48));
    let Log { mut units, lost_units, is_cut } = read_log(file, log, [word(84), word(88), word(92)])?;
    let (length, depth) = measure(&units, started);
    units.truncate(length);
    let stack = read_at(file, STACK_OFFSET, depth.saturating_mul(8))?;
    let frames = stack.chunks_exact(8).map_while(|frame| {
        let half = |at: usize| u32::from_ne_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
        Some(OpenFrame { function: half(4).checked_sub(1)?, sum: half(0) })
    });
    let mut program = [0; 32];
    program.copy_from_slice(&header[16..48]);
    Ok(Left::Log(Box::new(ThreadFile {
        program: ProgramHash(program),
        thread: ThreadProfile {
            name: name.to_string(),
            started,
            ended: Some(long(56)).filter(|&ticks| ticks != 0),
            signal: Some(word(72)).filter(|&signal| signal != 0),
            signal_handlers: word(76),
            ends_in_handler: word(76) != word(80),
            open: frames.collect(),
            lost_units,
            inputs: Vec::new(),
            is_cut,
            units,
        },
    })))
}

/// How to read the numbers of a header, if it is whole.
fn numbers(header: &[u8]) -> Option<(impl Fn(usize) -> u32, impl Fn(usize) -> u64)> {
    let header: &[u8; HEADER_BYTES] = header.try_into().ok()?;
    let part = |at: usize| [header[at], header[at + 1], header[at + 2], header[at + 3]];
    let word = move |at: usize| u32::from_ne_bytes(part(at));
    let long = move |at: usize| {
        let (first, second) = (part(at), part(at + 4));
        u64::from_ne_bytes([
            first[0], first[1], first[2], first[3], second[0], second[1], second[2], second[3],
        ])
    };
    Some((word, long))
}

/// At most this many bytes from there, fewer where the file ends.
fn read_at(mut file: &File, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut read = Vec::new();
    file.take(bytes as u64).read_to_end(&mut read)?;
    Ok(read)
}

fn units_of(log: &[u8]) -> Vec<u16> {
    log.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect()
}

/// A log as it is in the file.
struct Log {
    units: Vec<u16>,
    /// How many units came before those.
    lost_units: u64,
    /// Whether the file ends before the log does.
    is_cut: bool,
}

/// The windows in order: the full ones there are and the one that was written at the end.
fn read_log(file: &File, log: u64, [ring, window_bytes, full]: [u32; 3]) -> io::Result<Log> {
    let bytes = u64::from(window_bytes);
    let first = if ring == 0 { 0 } else { full.saturating_sub(ring) };
    let mut all = Log { units: Vec::new(), lost_units: u64::from(first) * bytes / 2, is_cut: false };
    for number in first..=full {
        let place = match number {
            _ if ring != 0 => u64::from(number) % (PLACES + u64::from(ring)),
            _ if number == full => u64::from(number) % PLACES,
            _ => PLACES + u64::from(number),
        };
        let part = read_at(file, log.saturating_add(place * bytes), window_bytes as usize)?;
        let units = units_of(&part);
        let known = if ring == 0 || number == first { 0 } else { preface(&units) };
        all.units.extend_from_slice(&units[known..]);
        if part.is_empty() || part.len() < window_bytes as usize {
            all.is_cut = true;
            break;
        }
    }
    Ok(all)
}

/// How many units at the beginning of a window say what was active.
fn preface(units: &[u16]) -> usize {
    let mut length = 0;
    while matches!(units.get(length), Some(&(unit::OUTER | unit::ACTIVE))) {
        length += 3;
    }
    length.min(units.len())
}

/// How many units of the log were written, and how many functions are active at its end.
fn measure(units: &[u16], started: u64) -> (usize, usize) {
    let mut events = Events::new(units, started);
    let mut depth = 0usize;
    while let Some(Ok(event)) = events.next() {
        match event {
            Event::Enter(_) | Event::Active(_) => depth += 1,
            Event::Outer(functions) => depth += functions as usize,
            Event::Return(_) | Event::Abandoned(_) => depth = depth.saturating_sub(1),
            Event::Stopped => break,
            _ => {}
        }
    }
    (events.position(), depth)
}

//! Reading the file a thread of a recorded program leaves behind.
//!
//! Numbers are in the machine's byte order. The file is a page with the header, the shadow stack (8 bytes a
//! frame: function index + 1, path sum), and the log from `log_offset` to the first unit that is 0.
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
//! | 84 | 4 | bytes of a chunk of the ring; 0 if the log is no ring |
//! | 88 | 4 each | for each chunk of the ring, when it was begun, counted from 1; 0 if it is empty |
//!
//! A ring's chunks from the second on begin with the functions active there, so that what came before can be missing.

use symx_trace::profile::unit::{self, Event, Events};
use symx_trace::profile::{OpenFrame, ProgramHash, ThreadProfile};

const VERSION: u32 = 2;
const STACK_OFFSET: usize = 4096;

/// What one thread left.
pub(crate) struct ThreadFile {
    pub(crate) program: ProgramHash,
    pub(crate) thread: ThreadProfile,
}

/// Reads a thread's file; `None` if the thread did not get as far as to record anything.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Option<ThreadFile> {
    let word = |offset: usize| Some(u32::from_ne_bytes(bytes.get(offset..offset + 4)?.try_into().ok()?));
    let long = |offset: usize| Some(u64::from_ne_bytes(bytes.get(offset..offset + 8)?.try_into().ok()?));
    if bytes.get(..8)? != b"SYMXTHRD" || word(8)? != VERSION {
        return None;
    }
    let log = bytes.get(word(12)? as usize..)?;
    let started = long(48)?;
    let (mut units, lost_units) = match word(84)? as usize {
        0 => (units_of(log), 0),
        chunk_bytes => unroll(log, chunk_bytes, |chunk| word(88 + 4 * chunk)),
    };
    let (length, depth) = measure(&units, started);
    units.truncate(length);
    let frames = (0..depth).map_while(|frame| {
        let at = STACK_OFFSET + 8 * frame;
        Some(OpenFrame { function: word(at)?.checked_sub(1)?, sum: word(at + 4)? })
    });
    let (entered, left) = (word(76)?, word(80)?);
    Some(ThreadFile {
        program: ProgramHash(bytes.get(16..48)?.try_into().ok()?),
        thread: ThreadProfile {
            name: name.to_string(),
            started,
            ended: Some(long(56)?).filter(|&ticks| ticks != 0),
            signal: Some(word(72)?).filter(|&signal| signal != 0),
            signal_handlers: entered,
            ends_in_handler: entered != left,
            open: frames.collect(),
            lost_units,
            is_cut: false,
            units,
        },
    })
}

fn units_of(log: &[u8]) -> Vec<u16> {
    log.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect()
}

/// A ring's chunks in order, and how many units came before them.
fn unroll(log: &[u8], chunk_bytes: usize, serial: impl Fn(usize) -> Option<u32>) -> (Vec<u16>, u64) {
    let chunks = log.chunks(chunk_bytes).enumerate();
    let mut chunks: Vec<_> = chunks.map(|(slot, chunk)| (serial(slot).unwrap_or(0), chunk)).collect();
    chunks.retain(|&(serial, _)| serial != 0);
    chunks.sort_unstable_by_key(|&(serial, _)| serial);
    let mut all = Vec::new();
    for (position, (_, chunk)) in chunks.iter().enumerate() {
        let units = units_of(chunk);
        let known = if position == 0 { 0 } else { preface(&units) };
        all.extend_from_slice(&units[known..]);
    }
    let before = chunks.first().map_or(0, |&(serial, _)| u64::from(serial - 1));
    (all, before * (chunk_bytes / 2) as u64)
}

/// How many units at the beginning of a chunk say what was active.
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
            _ => {}
        }
    }
    (events.position(), depth)
}

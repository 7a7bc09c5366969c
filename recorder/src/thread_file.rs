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

use symx_trace::profile::unit::{Event, Events};
use symx_trace::profile::{OpenFrame, ProgramHash, ThreadProfile};

const VERSION: u32 = 1;
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
    let mut units: Vec<u16> =
        log.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect();
    let started = long(48)?;
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
            is_cut: false,
            units,
        },
    })
}

/// How many units of the log were written, and how many functions are active at its end.
fn measure(units: &[u16], started: u64) -> (usize, usize) {
    let mut events = Events::new(units, started);
    let mut depth = 0usize;
    while let Some(Ok(event)) = events.next() {
        match event {
            Event::Enter(_) => depth += 1,
            Event::Return(_) | Event::Abandoned(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (events.position(), depth)
}

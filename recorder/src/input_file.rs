//! Reading the file with the inputs of a thread of a recorded program.
//!
//! Numbers are in the machine's byte order. An entry is 32 bytes and a buffer filled up to 32 bytes; the
//! first whose kind is 0 ends the file.
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0 | 2 | function, counted from 1 in `symx_trace::profile::FUNCTIONS`; 0 fills the rest of a chunk |
//! | 2 | 1 | kind: 1 answered so, 2 to be answered anew |
//! | 4 | 4 | `errno` after the call |
//! | 8 | 8 | bytes in the buffer |
//! | 16 | 8 | what it returned |
//! | 24 | 8 | how many such calls, of those to be answered anew |

use symx_trace::profile::{Answer, FUNCTIONS, RecordedCall};

const ENTRY: usize = 32;
const ANSWERED: u8 = 1;

/// The calls noted, as far as they are whole.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<RecordedCall> {
    let mut calls = Vec::new();
    while let Some((call, rest)) = next(bytes) {
        calls.extend(call);
        bytes = rest;
    }
    calls
}

fn next(bytes: &[u8]) -> Option<(Option<RecordedCall>, &[u8])> {
    let (entry, rest) = bytes.split_at_checked(ENTRY)?;
    let long = |at: usize| Some(u64::from_ne_bytes(entry[at..at + 8].try_into().ok()?));
    let kind = entry[2];
    let count = usize::try_from(long(8)?).ok()?;
    let (buffer, rest) = rest.split_at_checked(count.checked_next_multiple_of(32)?)?;
    if kind == 0 {
        return None;
    }
    let function = usize::from(u16::from_ne_bytes([entry[0], entry[1]]));
    let Some(function) = function.checked_sub(1).and_then(|index| FUNCTIONS.get(index)) else {
        return Some((None, rest));
    };
    let answer = Answer {
        result: long(16)? as i64,
        error: i32::from_ne_bytes([entry[4], entry[5], entry[6], entry[7]]),
        bytes: buffer[..count].to_vec(),
    };
    let call = RecordedCall {
        function: function.name.to_string(),
        answer: (kind == ANSWERED).then_some(answer),
        times: u32::try_from(long(24)?).unwrap_or(u32::MAX),
    };
    Some((Some(call), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(function: u16, kind: u8, result: i64, times: u64, buffer: &[u8]) -> Vec<u8> {
        let mut bytes = function.to_ne_bytes().to_vec();
        bytes.extend([kind, 0, 7, 0, 0, 0]);
        for word in [buffer.len() as u64, result as u64, times] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend(buffer);
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        bytes
    }

    #[test]
    fn a_torn_file_loses_its_tail() {
        let mut bytes = entry(1, ANSWERED, -1, 1, b"now");
        bytes.extend(entry(0, ANSWERED, 0, 1, &[0; 64]));
        bytes.extend(entry(11, 2, 0, 500, b""));
        let whole = bytes.clone();
        bytes.extend([0; 96]);
        let answer = Answer { result: -1, error: 7, bytes: b"now".to_vec() };
        let time = RecordedCall { function: "time".into(), answer: Some(answer), times: 1 };
        let read_again = RecordedCall { function: "read".into(), answer: None, times: 500 };
        assert_eq!(read(&bytes), [time.clone(), read_again]);
        for length in 0..whole.len() {
            let expected = if length < 64 { vec![] } else { vec![time.clone()] };
            assert_eq!(read(&whole[..length]), expected, "{length} bytes");
        }
        // A count larger than any file.
        let mut endless = entry(1, ANSWERED, 0, 1, b"");
        endless[8..16].fill(0xFF);
        assert_eq!(read(&endless), []);
    }
}

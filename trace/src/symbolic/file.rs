//! The compact encoding of a symbolic trace.
//!
//! All numbers are little-endian. The file is the 8 bytes `SYMXSYMT`, the format version (32 bits), and
//! blocks. A block is a header of 24 bytes and a payload in postcard's encoding:
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0 | 4 | name: `HEAD`, `TERM`, `THRD` or `DONE` |
//! | 4 | 4 | payload length in bytes |
//! | 8 | 8 | first bytes of BLAKE3 over bytes 0 to 8 |
//! | 16 | 8 | first bytes of BLAKE3 over the payload |
//!
//! `HEAD` (first, once) is a trace without terms and threads. Each `TERM` holds more nodes of the
//! [`TermTable`], each `THRD` one [`ThreadTrace`]. `DONE` is last and empty, and nothing follows it.

use super::{SymbolicTrace, TermNode, TermTable, ThreadTrace, TraceError};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MAGIC: &[u8; 8] = b"SYMXSYMT";
const HEADER_BYTES: usize = 24;
/// Nodes in one block, at most.
const BLOCK_NODES: usize = 1 << 16;

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    first
}

fn write_block<T: Serialize>(out: &mut Vec<u8>, name: &[u8; 4], content: &T) {
    let payload = postcard::to_allocvec(content).expect("plain data encodes into memory");
    let start = out.len();
    out.extend_from_slice(name);
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    let of_header = checksum(&out[start..]);
    out.extend_from_slice(&of_header);
    out.extend_from_slice(&checksum(&payload));
    out.extend_from_slice(&payload);
}

/// The bytes of a file that holds the trace.
pub fn write(trace: &SymbolicTrace) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&trace.version.to_le_bytes());
    let head = SymbolicTrace { terms: TermTable::default(), threads: Vec::new(), ..trace.clone() };
    write_block(&mut out, b"HEAD", &head);
    for nodes in trace.terms.nodes.chunks(BLOCK_NODES) {
        write_block(&mut out, b"TERM", &nodes);
    }
    for thread in &trace.threads {
        write_block(&mut out, b"THRD", thread);
    }
    write_block(&mut out, b"DONE", &());
    out
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<SymbolicTrace, TraceError> {
    let head = bytes.get(..12).ok_or(TraceError::NotATrace)?;
    if &head[..8] != MAGIC {
        return Err(TraceError::NotATrace);
    }
    let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    TraceError::refuse_other(version)?;
    let mut offset = 12;
    let mut trace: Option<SymbolicTrace> = None;
    loop {
        let block = Block::at(bytes, offset)?;
        match (&block.name, &mut trace) {
            (b"HEAD", None) => {
                let head: SymbolicTrace = block.content()?;
                if head.version != version {
                    return Err(block.malformed("another version than the file"));
                }
                trace = Some(head);
            }
            (b"TERM", Some(trace)) => trace.terms.nodes.extend(block.content::<Vec<TermNode>>()?),
            (b"THRD", Some(trace)) => trace.threads.push(block.content::<ThreadTrace>()?),
            (b"DONE", Some(_)) => break,
            _ => return Err(block.malformed("a block of unknown kind or order")),
        }
        offset = block.end;
    }
    let done = offset + HEADER_BYTES;
    if bytes.len() != done {
        return Err(TraceError::MalformedBlock { offset: done, what: "bytes after the end" });
    }
    let trace = trace.ok_or(TraceError::CutOff { offset })?;
    trace.check()?;
    Ok(trace)
}

struct Block<'a> {
    offset: usize,
    end: usize,
    name: [u8; 4],
    payload: &'a [u8],
}

impl<'a> Block<'a> {
    fn at(bytes: &'a [u8], offset: usize) -> Result<Self, TraceError> {
        let header = bytes.get(offset..offset + HEADER_BYTES).ok_or(TraceError::CutOff { offset })?;
        let name = [header[0], header[1], header[2], header[3]];
        let damaged = || TraceError::ChecksumMismatch {
            block: String::from_utf8_lossy(&name).escape_default().to_string(),
            offset,
        };
        if checksum(&header[..8]) != header[8..16] {
            return Err(damaged());
        }
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let start = offset + HEADER_BYTES;
        let payload = bytes.get(start..start + length).ok_or(TraceError::CutOff { offset })?;
        if checksum(payload) != header[16..24] {
            return Err(damaged());
        }
        Ok(Self { offset, end: start + length, name, payload })
    }

    fn malformed(&self, what: &'static str) -> TraceError {
        TraceError::MalformedBlock { offset: self.offset, what }
    }

    fn content<T: DeserializeOwned>(&self) -> Result<T, TraceError> {
        match postcard::take_from_bytes(self.payload) {
            Ok((content, [])) => Ok(content),
            _ => Err(self.malformed("a block with another content than its name says")),
        }
    }
}

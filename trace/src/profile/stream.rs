//! A profile written while its run goes on, whose logs are not held in memory.
//!
//! A `path.prof` begins with how the process ended and has one thread after the other, none of which is known
//! before the end. Until then the blocks of logs, each as it will stand in the file, wait in another.

use super::file::{begin, encode, fold, write_block};
use super::{ProcessRecord, RecordedCall, ThreadProfile};
use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The logs of a profile that is being recorded.
#[derive(Debug)]
pub struct ProfileStream<S> {
    /// Where the blocks wait.
    waiting: S,
    /// How many bytes wait.
    bytes: u64,
    /// For each thread by its name, its blocks: where they begin, and how many bytes they have.
    blocks: HashMap<String, Vec<(u64, u64)>>,
}

impl<S: Read + Write + Seek> ProfileStream<S> {
    /// A profile without threads, whose blocks are to wait in `waiting`, an empty file.
    pub fn new(waiting: S) -> Self {
        ProfileStream { waiting, bytes: 0, blocks: HashMap::new() }
    }

    /// Adds units to a thread's log.
    pub fn units(&mut self, thread: &str, units: &[u16]) -> io::Result<()> {
        self.block(thread, b"UNIT", &fold(units))
    }

    /// Adds calls through which input entered to a thread's.
    pub fn calls(&mut self, thread: &str, calls: &[RecordedCall]) -> io::Result<()> {
        self.block(thread, b"CALL", &encode(&calls))
    }

    fn block(&mut self, thread: &str, kind: &[u8; 4], payload: &[u8]) -> io::Result<()> {
        let mut block = Vec::with_capacity(payload.len() + 24);
        write_block(&mut block, kind, payload);
        self.waiting.seek(SeekFrom::Start(self.bytes))?;
        self.waiting.write_all(&block)?;
        let length = block.len() as u64;
        self.blocks.entry(thread.to_owned()).or_default().push((self.bytes, length));
        self.bytes += length;
        Ok(())
    }

    /// Writes the profile. The logs and calls in `threads` come after those they were given before.
    pub fn finish(
        mut self,
        process: &ProcessRecord,
        threads: &[ThreadProfile],
        out: &mut impl Write,
    ) -> io::Result<()> {
        for thread in threads.iter() {
            if !thread.inputs.is_empty() {
                self.calls(&thread.name, &thread.inputs)?;
            }
            if !thread.units.is_empty() {
                self.units(&thread.name, &thread.units)?;
            }
        }
        let mut head = begin();
        write_block(&mut head, b"PROC", &encode(process));
        out.write_all(&head)?;
        for thread in threads {
            let mut head = Vec::new();
            write_block(&mut head, b"THRD", &encode(thread));
            out.write_all(&head)?;
            for &(start, length) in self.blocks.get(&thread.name).into_iter().flatten() {
                self.waiting.seek(SeekFrom::Start(start))?;
                let copied = io::copy(&mut Read::by_ref(&mut self.waiting).take(length), out)?;
                if copied != length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        let mut done = Vec::new();
        write_block(&mut done, b"DONE", &[]);
        out.write_all(&done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ProcessEnd, Profile, ProgramHash};
    use std::io::Cursor;

    fn thread(name: &str) -> ThreadProfile {
        ThreadProfile {
            name: name.to_string(),
            started: 1,
            ended: None,
            signal: None,
            signal_handlers: 0,
            ends_in_handler: false,
            open: Vec::new(),
            lost_units: 0,
            inputs: Vec::new(),
            is_cut: false,
            units: Vec::new(),
        }
    }

    #[test]
    fn threads_that_were_written_in_turns_are_read_one_by_one() {
        let call = |times| RecordedCall { function: "read".into(), answer: None, times };
        let mut stream = ProfileStream::new(Cursor::new(Vec::new()));
        stream.units("0", &[1, 2, 2, 2, 2]).unwrap();
        stream.units("0.1", &[7]).unwrap();
        stream.calls("0", &[call(3)]).unwrap();
        stream.units("0", &[3]).unwrap();
        let process = ProcessRecord {
            program: ProgramHash::of(b"program"),
            path_limit: 8,
            arguments: Vec::new(),
            environment: Vec::new(),
            working_directory: Vec::new(),
            stdin: None,
            end: ProcessEnd::Exited(0),
            stderr_tail: Vec::new(),
            unrecorded: Vec::new(),
        };
        let mut threads = vec![thread("0"), thread("0.1"), thread("0.2")];
        threads[0].units = vec![4];
        threads[1].inputs = vec![call(1)];
        let mut out = Vec::new();
        stream.finish(&process, &threads, &mut out).unwrap();
        threads[0].units = vec![1, 2, 2, 2, 2, 3, 4];
        threads[0].inputs = vec![call(3)];
        threads[1].units = vec![7];
        assert_eq!(Profile::read(&out), Ok(Profile { process, threads, is_truncated: false }));
    }
}

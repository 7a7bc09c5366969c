//! `--write-paths`: a test case for each path explored.

use crate::files::test_case::{Ending, TestCase};
use crate::refusal::Refusal;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use symx_posix_explore::PathCase;
use symx_trace::Input;

/// Writes test cases, each set of inputs once: executions that differ in their schedule only are one path.
pub struct PathFiles {
    folder: PathBuf,
    arguments: Vec<String>,
    standard_input: Vec<u8>,
    /// By inputs: the number of their files, and whether their path had ended.
    written: HashMap<[u8; 32], (usize, bool)>,
    /// Why a file was not written.
    failed: Option<Refusal>,
}

impl PathFiles {
    /// Into `folder`, which is made; of a process that is given these, the program's name first.
    pub fn new(folder: &Path, arguments: &[String], standard_input: &[u8]) -> Result<Self, Refusal> {
        std::fs::create_dir_all(folder).map_err(|error| Refusal::unwritable(folder, error))?;
        Ok(Self {
            folder: folder.into(),
            arguments: arguments.to_vec(),
            standard_input: standard_input.to_vec(),
            written: HashMap::new(),
            failed: None,
        })
    }

    /// Writes `path-NNNNNN.json` and `path-NNNNNN.ktest`; again once a path with these inputs has ended.
    pub fn add(&mut self, case: &PathCase) {
        let has_ended = case.exit_status.is_some() || case.failure.is_some();
        let next = self.written.len() + 1;
        let (number, is_final) = self.written.entry(fingerprint(&case.inputs)).or_insert((next, false));
        let is_new = *number == next || has_ended && !*is_final;
        *is_final |= has_ended;
        let number = *number;
        if self.failed.is_none() && is_new {
            self.failed = self.write(number, case).err();
        }
    }

    fn write(&self, number: usize, path: &PathCase) -> Result<(), Refusal> {
        let name = format!("path-{number:06}");
        let case = TestCase::new(&self.arguments, &self.standard_input, &path.inputs);
        let failure = path.failure.as_ref().map(|failure| failure.message.as_str());
        let ending = Ending { exit_status: path.exit_status, failure };
        case.write_json(&self.folder.join(format!("{name}.json")), ending)?;
        case.write_ktest(&self.folder.join(format!("{name}.ktest")))
    }

    /// Whether all could be written.
    pub fn finish(self) -> Result<(), Refusal> {
        self.failed.map_or(Ok(()), Err)
    }
}

fn fingerprint(inputs: &[Input]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for input in inputs {
        for part in [input.name.as_bytes(), &input.bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
    }
    *hasher.finalize().as_bytes()
}

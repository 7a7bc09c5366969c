//! The input of a program in one execution, as files. They are JSON for people and scripts, plain files for a
//! native run, KLEE's `.ktest` for its tools.

use crate::files::own::{make_inner_folder, write};
use crate::refusal::Refusal;
use serde::Serialize;
use std::path::Path;
use symx_trace::{Input, InputOrigin};

/// Bytes in two forms.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Bytes {
    hex: String,
    /// The text; bytes that are not text are replaced.
    text: String,
}

/// A file's or an input's name and bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Named {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<InputOrigin>,
    /// Its type and value as people write them.
    #[serde(flatten)]
    shown: Option<Shown>,
    #[serde(flatten)]
    bytes: Bytes,
}

/// An input for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Shown {
    #[serde(rename = "type")]
    of: String,
    value: String,
}

/// The JSON form.
#[derive(Serialize)]
struct Described<'a> {
    args: Vec<Bytes>,
    stdin: Bytes,
    files: Vec<Named>,
    inputs: Vec<Named>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_status: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
}

/// The input of a program in one execution.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The program's name, then its arguments.
    arguments: Vec<Vec<u8>>,
    standard_input: Vec<u8>,
    /// Symbolic files by path.
    files: Vec<(String, Vec<u8>)>,
    inputs: Vec<Input>,
}

/// How an execution ended: its exit status, or the message of its failure.
#[derive(Clone, Copy, Default)]
pub struct Ending<'a> {
    /// The exit status.
    pub exit_status: Option<u8>,
    /// The failure.
    pub failure: Option<&'a str>,
}

impl TestCase {
    /// What a process was given, with the bytes that symbolic inputs have.
    pub fn new(arguments: &[String], standard_input: &[u8], inputs: &[Input]) -> Self {
        let mut case = Self {
            arguments: arguments.iter().map(|text| text.clone().into_bytes()).collect(),
            standard_input: standard_input.to_vec(),
            files: Vec::new(),
            inputs: inputs.to_vec(),
        };
        for input in inputs {
            match &input.origin {
                InputOrigin::Argument(_) => {
                    let text = input.bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                    case.arguments.push(text.to_vec());
                }
                InputOrigin::StandardInput => case.standard_input.extend_from_slice(&input.bytes),
                InputOrigin::File(path) => case.files.push((path.clone(), input.bytes.clone())),
                InputOrigin::Program | InputOrigin::External(_) | InputOrigin::Parameter(_) => {}
            }
        }
        case
    }

    /// Writes the JSON form to `path`.
    pub fn write_json(&self, path: &Path, ending: Ending<'_>) -> Result<(), Refusal> {
        let file = |(name, bytes): &(String, Vec<u8>)| Named {
            name: name.clone(),
            origin: None,
            shown: None,
            bytes: Bytes::new(bytes),
        };
        let input = |input: &Input| Named {
            name: input.name.clone(),
            origin: Some(input.origin.clone()),
            shown: Some(Shown { of: input.type_for_people(), value: input.value_for_people() }),
            bytes: Bytes::new(&input.bytes),
        };
        let described = Described {
            args: self.arguments.iter().map(|argument| Bytes::new(argument)).collect(),
            stdin: Bytes::new(&self.standard_input),
            files: self.files.iter().map(file).collect(),
            inputs: self.inputs.iter().map(input).collect(),
            exit_status: ending.exit_status,
            failure: ending.failure,
        };
        let text = serde_json::to_vec_pretty(&described).expect("plain data with string keys");
        write(path, &text)
    }

    /// Writes plain files into `folder`: `args.bin` (the arguments, a zero byte after each), `stdin.bin`, and
    /// the symbolic files below `files/`.
    pub fn write_plain(&self, folder: &Path) -> Result<(), Refusal> {
        make_inner_folder(folder)?;
        let arguments = self.arguments.iter().skip(1);
        let arguments: Vec<u8> =
            arguments.flat_map(|argument| argument.iter().chain(&[0])).copied().collect();
        write(&folder.join("args.bin"), &arguments)?;
        write(&folder.join("stdin.bin"), &self.standard_input)?;
        for (path, bytes) in &self.files {
            // Paths are absolute and normal, so they stay inside.
            let mut place = folder.join("files");
            for part in path.split('/').filter(|part| !part.is_empty()) {
                make_inner_folder(&place)?;
                place.push(part);
            }
            write(&place, bytes)?;
        }
        Ok(())
    }

    /// Writes KLEE's format to `path`.
    pub fn write_ktest(&self, path: &Path) -> Result<(), Refusal> {
        write(path, &self.ktest())
    }

    /// KLEE's test format, version 3: all numbers big-endian.
    fn ktest(&self) -> Vec<u8> {
        const VERSION: u32 = 3;
        let mut out = b"KTEST".to_vec();
        let number = |out: &mut Vec<u8>, value: u32| out.extend_from_slice(&value.to_be_bytes());
        let counted = |out: &mut Vec<u8>, bytes: &[u8]| {
            number(out, bytes.len() as u32);
            out.extend_from_slice(bytes);
        };
        number(&mut out, VERSION);
        number(&mut out, self.arguments.len() as u32);
        for argument in &self.arguments {
            counted(&mut out, argument);
        }
        // Count and length of symbolic arguments: only tools older than version 2's runtime look at them.
        number(&mut out, 0);
        number(&mut out, 0);
        number(&mut out, self.inputs.len() as u32);
        for input in &self.inputs {
            // Without the number that makes it unique here: the runtime compares it with the
            // one in the program.
            let name = input.name.rsplit_once('#').map_or(input.name.as_str(), |(name, _)| name);
            counted(&mut out, name.as_bytes());
            counted(&mut out, &input.bytes);
        }
        out
    }
}

impl Bytes {
    fn new(bytes: &[u8]) -> Self {
        Self {
            hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            text: String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> TestCase {
        let input = |name: &str, bytes: &[u8], origin| Input {
            name: name.into(),
            bytes: bytes.into(),
            origin,
            declared: None,
        };
        let inputs = [
            input("stdin#0", b"\xff", InputOrigin::StandardInput),
            input("a#1", b"xy", InputOrigin::File("/d/a".into())),
            input("arg2#2", b"ab\0c", InputOrigin::Argument(2)),
            input("n#3", &[1, 0, 0, 0], InputOrigin::Program),
        ];
        TestCase::new(&["prog".into(), "-v".into()], b"in", &inputs)
    }

    #[test]
    fn inputs_go_where_they_enter() {
        let folder = tempfile::tempdir().unwrap();
        case().write_plain(folder.path()).unwrap();
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(read("args.bin"), b"-v\0ab\0");
        assert_eq!(read("stdin.bin"), b"in\xff");
        assert_eq!(read("files/d/a"), b"xy");
        let path = folder.path().join("inputs.json");
        case().write_json(&path, Ending { exit_status: Some(3), failure: None }).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(json["args"][2]["text"], "ab");
        assert_eq!(json["stdin"]["hex"], "696eff");
        assert_eq!(
            (&json["inputs"][3]["hex"], &json["inputs"][3]["origin"]),
            (&"01000000".into(), &"program".into())
        );
        assert_eq!(json["exit_status"], 3);
    }

    #[test]
    fn the_ktest_format_is_big_endian_and_names_are_the_programs() {
        let bytes = case().ktest();
        assert!(bytes.starts_with(b"KTEST\0\0\0\x03\0\0\0\x03\0\0\0\x04prog\0\0\0\x02-v\0\0\0\x02ab"));
        assert!(bytes.ends_with(b"\0\0\0\x01n\0\0\0\x04\x01\0\0\0"));
    }
}

//! Paths with symbolic bytes: an execution for each name that is there, and one for all that are not.
//!
//! The walk takes a component at a time. What the bytes may name in its directory is decided name by name. If
//! they name nothing, they stay symbolic: no later byte can change where the path leads.

use crate::answer::PosixCall;
use crate::file_names_as_text::{file_name_bytes, file_name_text};
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Place;

/// A path in memory: its bytes without the end, some of them symbolic.
pub(super) struct SymbolicPath(Vec<Value>);

/// What is decided of a path.
pub(super) enum Decided {
    /// Its text.
    Text(String),
    /// A component names nothing in the directory at this absolute, normal path.
    NotIn(String),
    /// What is before a component is no directory that can be looked into.
    Error(i32),
}

/// The most bytes of a name; one that is longer has an error of its own.
const LONGEST_NAME: usize = 255;
/// Its files are not all listed: some paths in it are known by their text.
const PROCESSES: &str = "/proc";

impl SymbolicPath {
    /// The one at `address`, cut off at `most` bytes.
    pub fn read(call: &mut PosixCall<'_, '_>, address: u64, most: u64) -> Result<Self, Stop> {
        Ok(Self(call.read_symbolic_string_within(address, most)?))
    }

    /// Its number of bytes.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Decides whether the path is `text`.
    pub fn is(&self, call: &mut PosixCall<'_, '_>, text: &[u8]) -> Result<bool, Stop> {
        let equal = if self.length() == text.len() { self.names(call, 0, text) } else { Value::Concrete(0) };
        decide(call, equal)
    }

    /// Decides whether the path starts at the root.
    pub fn is_absolute(&self, call: &mut PosixCall<'_, '_>) -> Result<bool, Stop> {
        self.has(call, 0, b'/')
    }

    /// Decides what the path names, from the absolute, normal path `base`. `looked` gets the names on the
    /// way. With `may_be_new`, the name of what is not there is decided as well.
    pub fn decide(
        &self,
        call: &mut PosixCall<'_, '_>,
        base: &str,
        may_be_new: bool,
        looked: &mut Vec<Place>,
    ) -> Result<Decided, Stop> {
        let Self(bytes) = self;
        let known = |byte: &Value| byte.concrete().map(|byte| byte as u8);
        let mut text: Vec<u8> = Vec::new();
        if let Some(known) = bytes.iter().map(known).collect::<Option<Vec<u8>>>() {
            return Ok(Decided::Text(file_name_text(&known)));
        }
        while text.len() < bytes.len() {
            let at = text.len();
            if self.has(call, at, b'/')? {
                text.push(b'/');
                continue;
            }
            let folder = match self.folder(call, base, &text, looked) {
                Ok(folder) => folder,
                Err(error) => return Ok(Decided::Error(error)),
            };
            let listed = bytes.len() <= LONGEST_NAME && folder != PROCESSES;
            match if listed { self.name(call, at, &folder)? } else { None } {
                Some(name) => text.extend_from_slice(&name),
                None if listed && !may_be_new => return Ok(Decided::NotIn(folder)),
                None => {
                    for byte in &bytes[at..] {
                        text.push(call.concretize(*byte)? as u8);
                    }
                }
            }
        }
        Ok(Decided::Text(file_name_text(&text)))
    }

    /// Decides whether there is a byte at `at`, and it is `byte`.
    fn has(&self, call: &mut PosixCall<'_, '_>, at: usize, byte: u8) -> Result<bool, Stop> {
        let Some(value) = self.0.get(at) else { return Ok(false) };
        let equal = is_byte(call, *value, byte);
        decide(call, equal)
    }

    /// The directory that `text`, the path's beginning, leads to: empty, or with a slash at its end.
    fn folder(
        &self,
        call: &mut PosixCall<'_, '_>,
        base: &str,
        text: &[u8],
        looked: &mut Vec<Place>,
    ) -> Result<String, i32> {
        if text.is_empty() {
            return Ok(base.to_string());
        }
        let host = call.environment().options().host.clone();
        let text = file_name_text(text);
        let found = call.data().kernel.files.resolve_noting(&*host, base, &text, true, looked)?;
        Ok(found.path)
    }

    /// The name of the component at `at`, if it is one that the directory at `folder` has.
    fn name(&self, call: &mut PosixCall<'_, '_>, at: usize, folder: &str) -> Result<Option<Vec<u8>>, Stop> {
        let host = call.environment().options().host.clone();
        let listed = call.state().data.kernel.files.list(&*host, folder);
        let all = listed.iter().map(|name| file_name_bytes(name).into_owned());
        let all = [b".".to_vec(), b"..".to_vec()].into_iter().chain(all);
        let fit: Vec<(Vec<u8>, Value)> = all
            .map(|name| (self.names(call, at, &name), name))
            .filter(|(holds, _)| *holds != Value::Concrete(0))
            .map(|(holds, name)| (name, holds))
            .collect();
        let terms = call.terms();
        let any = Value::of(terms, terms.any(fit.iter().map(|(_, holds)| holds.term(terms, 1))));
        if !call.decide(any)? {
            return Ok(None);
        }
        for (name, holds) in fit {
            if call.decide(holds)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Whether the component at `at` is `name`.
    fn names(&self, call: &PosixCall<'_, '_>, at: usize, name: &[u8]) -> Value {
        let Some(bytes) = self.0.get(at..at + name.len()) else { return Value::Concrete(0) };
        let end = self.0.get(at + name.len()).map(|byte| is_byte(call, *byte, b'/'));
        let equal = bytes.iter().zip(name).map(|(byte, expected)| is_byte(call, *byte, *expected));
        let terms = call.terms();
        Value::of(terms, terms.all(equal.chain(end).map(|holds| holds.term(terms, 1))))
    }
}

/// Decides a condition. What is known does not count as something that the call has looked into.
fn decide(call: &mut PosixCall<'_, '_>, condition: Value) -> Result<bool, Stop> {
    match condition {
        Value::Concrete(known) => Ok(known != 0),
        Value::Symbolic(_) => call.decide(condition),
    }
}

fn is_byte(call: &PosixCall<'_, '_>, value: Value, byte: u8) -> Value {
    match value {
        Value::Concrete(known) => Value::Concrete(u64::from(known as u8 == byte)),
        Value::Symbolic(_) => {
            let terms = call.terms();
            Value::of(terms, terms.equal(value.term(terms, 8), terms.constant(8, byte.into())))
        }
    }
}

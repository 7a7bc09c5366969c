//! Schedules: every nondeterministic choice of one execution, so that it can be run again.

use crate::agent::{Agent, ThreadName};
use crate::failure::Failure;
use crate::input::{Input, SymbolicSurroundings};
use crate::profile::RecordedCall;
use crate::tolerance::Tolerance;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the schedule format.
pub const VERSION: u32 = 1;

/// One nondeterministic choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The agent takes one visible step.
    Run(Agent),
    /// The step just begun takes its alternative number `n` (which waiter a signal wakes, whether a timed
    /// wait times out). Steps that have only one alternative decide nothing.
    Choose(u32),
}

/// A complete recipe for one execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// [`VERSION`] of the format.
    pub version: u32,
    /// The program's path, for people.
    pub program: String,
    /// Hash of the program's bytes, hexadecimal.
    pub program_hash: String,
    /// Name of the memory model.
    pub memory_model: String,
    /// Arguments of the program, its own name first.
    pub arguments: Vec<String>,
    /// Environment, `NAME=value`.
    pub environment: Vec<String>,
    /// The content of standard input; written in hexadecimal.
    #[serde(default, with = "hexadecimal")]
    pub standard_input: Vec<u8>,
    /// The expected standard output of the program, in hexadecimal; none if any was allowed.
    #[serde(default, with = "optional_hexadecimal", skip_serializing_if = "Option::is_none")]
    pub expected_output: Option<Vec<u8>>,
    /// The answers of calls through which input entered a recorded run, thread by thread.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded_calls: BTreeMap<String, Vec<RecordedCall>>,
    /// The symbolic part of the environment.
    #[serde(default)]
    pub symbolic: SymbolicSurroundings,
    /// The memory that counted as visible: numbers of allocation sites, ascending. Steps are cut at visible
    /// operations, so the decisions mean something only together with this. `None`: no access was, threads
    /// changed at synchronisation only.
    pub visible_sites: Option<Vec<u64>>,
    /// Whether misuse of synchronisation objects had the effect it has natively instead of being a failure.
    #[serde(default)]
    pub tolerates_sync_misuse: bool,
    /// Whether unwritten memory was passed to the library as it is natively instead of that being a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tolerates_unwritten_arguments: bool,
    /// The policy for undefined behaviour that machines forgive.
    #[serde(default)]
    pub tolerance: Tolerance,
    /// Whether waits at condition variables may end by themselves.
    #[serde(default)]
    pub spurious_wakeups: bool,
    /// Whether threads take numbers of descriptors of their own.
    #[serde(default)]
    pub independent_descriptors: bool,
    /// Whether parts of Rust's standard library were modelled, its locks among them.
    #[serde(default)]
    pub models_rust_runtime: bool,
    /// Whether the program was compiled from its source with checks of signed arithmetic.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checks_overflow: bool,
    /// The standard of its language by which it was compiled, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<String>,
    /// Assumptions about the program, as on the command line: `FILE:LINE` for synchronisation that does
    /// nothing, fixes otherwise.
    #[serde(default, alias = "omitted")]
    pub what_if: Vec<String>,
    /// Names of the threads, by the numbers the decisions use.
    pub threads: Vec<ThreadName>,
    /// Symbolic inputs in order of creation.
    pub inputs: Vec<Input>,
    /// The decisions, runs of equal ones folded.
    pub decisions: Vec<Repeated>,
    /// The failure the execution ends in, if it fails.
    pub failure: Option<Failure>,
}

/// A decision made `times` times in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Repeated {
    /// The decision.
    pub decision: Decision,
    /// How often, at least once.
    pub times: u32,
}

/// Folds runs of equal decisions.
pub fn fold(decisions: impl IntoIterator<Item = Decision>) -> Vec<Repeated> {
    let mut folded: Vec<Repeated> = Vec::new();
    for decision in decisions {
        match folded.last_mut() {
            Some(last) if last.decision == decision => last.times += 1,
            _ => folded.push(Repeated { decision, times: 1 }),
        }
    }
    folded
}

impl Schedule {
    /// The decisions one by one.
    pub fn unfolded(&self) -> impl Iterator<Item = Decision> + '_ {
        self.decisions.iter().flat_map(|run| std::iter::repeat_n(run.decision, run.times as usize))
    }

    /// How often the running thread changes; commits of store buffers are not counted.
    pub fn context_switches(&self) -> u32 {
        let threads = self.decisions.iter().filter_map(|run| match run.decision {
            Decision::Run(Agent::Thread(thread)) => Some(thread),
            _ => None,
        });
        let mut last = None;
        let mut switches = 0;
        for thread in threads {
            switches += u32::from(last.is_some_and(|last| last != thread));
            last = Some(thread);
        }
        switches
    }
}

/// Bytes as text of two digits each.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let digit = |at: u8| char::from(at).to_digit(16);
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.ok_or_else(|| D::Error::custom("not an even number of hexadecimal digits"))
    }
}

mod optional_hexadecimal {
    use super::hexadecimal;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        hexadecimal::serialize(bytes.as_deref().unwrap_or_default(), to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        hexadecimal::deserialize(from).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::ThreadId;

    #[test]
    fn standard_input_survives_as_hexadecimal() {
        #[derive(Serialize, Deserialize)]
        struct Holder(#[serde(with = "hexadecimal")] Vec<u8>);
        let bytes: Vec<u8> = (0..=255).collect();
        let text = serde_json::to_string(&Holder(bytes.clone())).unwrap();
        assert!(text.starts_with("\"00010203"));
        assert_eq!(serde_json::from_str::<Holder>(&text).unwrap().0, bytes);
        for wrong in ["\"0\"", "\"0g\"", "\"é\""] {
            assert!(serde_json::from_str::<Holder>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn folding_keeps_the_order() {
        let run = |thread| Decision::Run(Agent::Thread(ThreadId(thread)));
        let decisions = [run(0), run(0), Decision::Choose(1), run(1), run(0)];
        let folded = fold(decisions);
        assert_eq!(folded.len(), 4);
        assert_eq!((folded[0].decision, folded[0].times), (run(0), 2));
    }
}

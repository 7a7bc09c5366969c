//! Witnesses of verification competitions: why a property is violated, or that it holds, for validators to
//! check. Version 2.0 is YAML and knows one thread; 2.2 adds threads; 1.0 is GraphML, with threads.

mod graphml;
mod source;
mod yaml;

pub use graphml::graphml;
pub use source::Source as WitnessSource;
pub use yaml::yaml;

use symx_trace::explanation::{ExecutedStep, Execution, ReturnedInput};
use symx_trace::{CallEffect, EventKind, FailureKind, Location, ThreadName};

/// The content of a witness.
pub struct Witness<'a> {
    /// The source file, as it was named.
    pub source: &'a str,
    /// What it holds.
    pub text: WitnessSource<'a>,
    /// SHA-256 of that, hexadecimal.
    pub hash: &'a str,
    /// The property, as .prp files state it; a line each.
    pub specification: &'a str,
    /// When it is written, in ISO 8601.
    pub created: &'a str,
    /// The execution that violates the property; none if the property holds.
    pub failing: Option<&'a Execution>,
}

/// The producer of witnesses.
const PRODUCER: &str = "symx";

/// A place that a thread comes to.
struct Stop<'a> {
    /// By number; 0 is the main one.
    thread: u32,
    location: &'a Location,
    /// The thread that it creates there.
    creates: Option<u32>,
    /// The input that a call there returns.
    returned: Option<&'a ReturnedInput>,
}

impl<'a> Witness<'a> {
    fn is_in_source(&self, location: &Location) -> bool {
        self.known_line(location).is_some()
    }

    fn known_line(&self, location: &Location) -> Option<u32> {
        self.text.line_of(&location.file, location.line, self.source)
    }

    /// The line of the source that a location is.
    fn line(&self, location: &Location) -> u32 {
        self.known_line(location).unwrap_or(location.line)
    }

    /// Where the execution changes to another thread, creates one, or a call returns an input, in its order.
    fn stops(&self, execution: &'a Execution) -> Vec<Stop<'a>> {
        let is_creation = |kind: &EventKind| kind.effect() == Some(CallEffect::CreateThread);
        let is_taken = |step: &ExecutedStep| step.is_taken() && step.kind != EventKind::Commit;
        // Threads have numbers in the order in which they are created.
        let creations = execution.steps.iter().filter(|step| is_taken(step) && is_creation(&step.kind));
        let are_known = creations.count() + 1 == execution.threads.len();
        let mut inputs =
            execution.returned.iter().filter(|input| self.is_in_source(&input.location)).peekable();
        let (mut stops, mut last, mut created) = (Vec::new(), 0, 0);
        for (number, step) in (0..).zip(&execution.steps) {
            while let Some(input) = inputs.next_if(|input| input.step <= number) {
                stops.push(Stop::of(input));
                last = input.thread;
            }
            if !is_taken(step) {
                continue;
            }
            let creates = is_creation(&step.kind) && are_known;
            created += u32::from(creates);
            let is_switch = step.thread != last;
            if (is_switch || creates) && self.is_in_source(&step.location) {
                let creates = creates.then_some(created);
                stops.push(Stop { thread: step.thread, location: &step.location, creates, returned: None });
                last = step.thread;
            }
        }
        stops.extend(inputs.map(Stop::of));
        stops
    }

    /// Where the property is violated: one place, or the two of a race.
    fn targets(&self, execution: &'a Execution) -> Vec<Stop<'a>> {
        let Some(failure) = &execution.failure else { return Vec::new() };
        let number = |name: &ThreadName| {
            execution.threads.iter().position(|lane| lane.name == *name).unwrap_or(0) as u32
        };
        let target = |thread, location: &'a Location| Stop {
            thread: number(thread),
            location,
            creates: None,
            returned: None,
        };
        let other = failure.notes.first().filter(|_| failure.kind == FailureKind::Race);
        let other = other.and_then(|note| Some(target(note.thread.as_ref()?, &note.location)));
        other.into_iter().chain([target(&failure.thread, &failure.location)]).collect()
    }
}

impl<'a> Stop<'a> {
    fn of(input: &'a ReturnedInput) -> Self {
        Self { thread: input.thread, location: &input.location, creates: None, returned: Some(input) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example;
    use symx_ir::debug_info::Encoding;
    use symx_trace::{Input, InputOrigin, InputType};

    /// An input that a call in the first line of a source returns.
    fn returned(function: &str, column: u32, bytes: &[u8], declared: (Encoding, u64)) -> ReturnedInput {
        let (encoding, size) = declared;
        ReturnedInput {
            step: 0,
            thread: 0,
            function: function.into(),
            location: Location { file: "in.c".into(), line: 1, column, function: "main".into() },
            input: Input {
                name: "n#0".into(),
                bytes: bytes.into(),
                origin: InputOrigin::Program,
                declared: Some(InputType { encoding, size }),
            },
        }
    }

    #[test]
    fn values_of_inputs_stand_at_the_calls_that_return_them() {
        let text = "int main(void) { unsigned u = __VERIFIER_nondet_uint(); int i = NEXT; reach_error(); }\n";
        let mut execution = example::lost_update().failing;
        (execution.threads, execution.steps) = (execution.threads[..1].to_vec(), Vec::new());
        let at = Location { file: "in.c".into(), line: 1, column: 71, function: "main".into() };
        execution.failure.as_mut().unwrap().location = at;
        execution.returned = vec![
            returned("__VERIFIER_nondet_uint", 31, &[0xff; 4], (Encoding::Unsigned, 4)),
            // By a macro, and no number.
            returned("__VERIFIER_nondet_int", 65, &[1, 0, 0, 0], (Encoding::Signed, 4)),
            returned("__VERIFIER_nondet_uint", 31, &[0; 8], (Encoding::Other, 8)),
        ];
        let witness = Witness {
            source: "in.c",
            text: WitnessSource::new(text),
            hash: &"0".repeat(64),
            specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
            created: "2026-11-26T03:00:00Z",
            failing: Some(&execution),
        };
        let written = yaml(&witness);
        let read: serde_json::Value = serde_saphyr::from_str(&written).unwrap();
        let waypoints: Vec<_> = read[0]["content"].as_array().unwrap().iter().collect();
        assert_eq!(waypoints.len(), 2, "{written}");
        let waypoint = &waypoints[0]["segment"][0]["waypoint"];
        assert_eq!((&waypoint["type"], &waypoint["action"]), (&"function_return".into(), &"follow".into()));
        let constraint =
            serde_json::json!({ "value": "\\result == 4294967295", "format": "acsl_expression" });
        assert_eq!(waypoint["constraint"], constraint, "{written}");
        assert_eq!((&waypoint["location"]["line"], &waypoint["location"]["column"]), (&1.into(), &54.into()));
        assert_eq!(waypoints[1]["segment"][0]["waypoint"]["location"]["column"], 71, "{written}");
        let written = graphml(&witness);
        for part in ["\\result == 4294967295U;", "\\result == 1;"] {
            assert!(written.contains(&format!("<data key=\"assumption\">{part}</data>")), "{written}");
        }
        let function = "<data key=\"assumption.resultfunction\">__VERIFIER_nondet_uint</data>";
        assert_eq!(written.matches(function).count(), 1, "{written}");
    }

    #[test]
    fn both_formats_name_the_source_and_the_violation() {
        let explanation = example::lost_update();
        let failure = explanation.failing.failure.as_ref().unwrap();
        let witness = Witness {
            source: &failure.location.file,
            text: WitnessSource::new(""),
            hash: &"0".repeat(64),
            specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
            created: "2026-11-26T03:00:00Z",
            failing: Some(&explanation.failing),
        };
        let line = failure.location.line;
        let text = yaml(&witness);
        let read: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
        let segments = read[0]["content"].as_array().unwrap();
        let last = &segments.last().unwrap()["segment"][0]["waypoint"];
        assert_eq!(last["type"], "target", "{text}");
        assert_eq!(last["location"]["line"], line, "{text}");
        assert_eq!(read[0]["metadata"]["task"]["input_file_hashes"][witness.source], witness.hash, "{text}");
        let text = graphml(&witness);
        assert!(text.contains(&format!("<data key=\"startline\">{line}</data>")), "{text}");
        assert!(text.contains("<data key=\"violation\">true</data>"), "{text}");

        let holds = Witness { failing: None, ..witness };
        let read: serde_json::Value = serde_saphyr::from_str(&yaml(&holds)).unwrap();
        assert_eq!(read[0]["entry_type"], "invariant_set");
        assert_eq!(read[0]["metadata"]["format_version"], "2.0");
        assert_eq!(read[0]["content"].as_array().map(Vec::len), Some(0));
        assert!(graphml(&holds).contains("correctness_witness"));
    }
}

//! Witnesses of verification competitions: why a property is violated, or that it holds, for validators to
//! check. Version 2.0 is YAML and knows one thread; 2.2 adds threads; 1.0 is GraphML, with threads.

mod graphml;
mod yaml;

pub use graphml::graphml;
pub use yaml::yaml;

use std::path::Path;
use symx_trace::explanation::Execution;
use symx_trace::{CallEffect, EventKind, FailureKind, Location, ThreadName};

/// The content of a witness.
pub struct Witness<'a> {
    /// The source file, as it was named.
    pub source: &'a str,
    /// SHA-256 of what it holds, hexadecimal.
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
}

impl<'a> Witness<'a> {
    fn is_in_source(&self, location: &Location) -> bool {
        let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
        location.line != 0 && name(&location.file) == name(self.source)
    }

    /// Where the execution changes to another thread, or creates one, in its order.
    fn stops(&self, execution: &'a Execution) -> Vec<Stop<'a>> {
        let is_creation = |kind: &EventKind| kind.effect() == Some(CallEffect::CreateThread);
        let steps =
            || execution.steps.iter().filter(|step| step.is_taken() && step.kind != EventKind::Commit);
        // Threads have numbers in the order in which they are created.
        let creations = steps().filter(|step| is_creation(&step.kind)).count();
        let are_known = creations + 1 == execution.threads.len();
        let (mut stops, mut last, mut created) = (Vec::new(), 0, 0);
        for step in steps() {
            let creates = is_creation(&step.kind) && are_known;
            created += u32::from(creates);
            let is_switch = step.thread != last;
            if (is_switch || creates) && self.is_in_source(&step.location) {
                let creates = creates.then_some(created);
                stops.push(Stop { thread: step.thread, location: &step.location, creates });
                last = step.thread;
            }
        }
        stops
    }

    /// Where the property is violated: one place, or the two of a race.
    fn targets(&self, execution: &'a Execution) -> Vec<Stop<'a>> {
        let Some(failure) = &execution.failure else { return Vec::new() };
        let number = |name: &ThreadName| {
            execution.threads.iter().position(|lane| lane.name == *name).unwrap_or(0) as u32
        };
        let target =
            |thread, location: &'a Location| Stop { thread: number(thread), location, creates: None };
        let other = failure.notes.first().filter(|_| failure.kind == FailureKind::Race);
        let other = other.and_then(|note| Some(target(note.thread.as_ref()?, &note.location)));
        other.into_iter().chain([target(&failure.thread, &failure.location)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example;

    #[test]
    fn both_formats_name_the_source_and_the_violation() {
        let explanation = example::lost_update();
        let failure = explanation.failing.failure.as_ref().unwrap();
        let witness = Witness {
            source: &failure.location.file,
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

//! Witnesses in GraphML: an automaton, here a line of nodes from the beginning to the violation.

use super::{PRODUCER, Stop, Witness};
use std::fmt::Write;

/// The keys of data: what they are on, and their names.
const KEYS: [(&str, &str); 17] = [
    ("graph", "witness-type"),
    ("graph", "sourcecodelang"),
    ("graph", "producer"),
    ("graph", "specification"),
    ("graph", "programfile"),
    ("graph", "programhash"),
    ("graph", "architecture"),
    ("graph", "creationtime"),
    ("node", "entry"),
    ("node", "violation"),
    ("edge", "threadId"),
    ("edge", "createThread"),
    ("edge", "enterFunction"),
    ("edge", "startline"),
    ("edge", "endline"),
    ("edge", "assumption"),
    ("edge", "assumption.resultfunction"),
];

/// The witness as GraphML 1.0.
pub fn graphml(witness: &Witness<'_>) -> String {
    let kind = if witness.failing.is_some() { "violation_witness" } else { "correctness_witness" };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    out.push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" ");
    out.push_str("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n");
    for (of, name) in KEYS {
        let (of_type, default) = match name {
            "entry" | "violation" => ("boolean", "<default>false</default>"),
            "startline" | "endline" => ("int", ""),
            _ => ("string", ""),
        };
        let _ = writeln!(
            out,
            " <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{of_type}\" for=\"{of}\">{default}</key>"
        );
    }
    out.push_str(" <graph edgedefault=\"directed\">\n");
    data(&mut out, 2, "witness-type", kind);
    data(&mut out, 2, "sourcecodelang", "C");
    data(&mut out, 2, "producer", &format!("{PRODUCER} {}", env!("CARGO_PKG_VERSION")));
    witness.specification.lines().for_each(|line| data(&mut out, 2, "specification", line));
    data(&mut out, 2, "programfile", witness.source);
    data(&mut out, 2, "programhash", witness.hash);
    data(&mut out, 2, "architecture", "64bit");
    data(&mut out, 2, "creationtime", witness.created);
    out.push_str("  <node id=\"N0\">\n");
    data(&mut out, 3, "entry", "true");
    out.push_str("  </node>\n");
    if let Some(execution) = witness.failing {
        let stops = witness.stops(execution);
        let path: Vec<Stop<'_>> = stops.into_iter().chain(witness.targets(execution)).collect();
        edges(&mut out, witness, &path);
    }
    out.push_str(" </graph>\n</graphml>\n");
    out
}

fn edges(out: &mut String, witness: &Witness<'_>, path: &[Stop<'_>]) {
    let functions = witness.failing.map(|execution| execution.threads.as_slice()).unwrap_or_default();
    let mut entered = vec![false; functions.len()];
    // `main` is entered first.
    let _ = writeln!(out, "  <node id=\"N1\"/>\n  <edge source=\"N0\" target=\"N1\">");
    data(out, 3, "createThread", "0");
    data(out, 3, "threadId", "0");
    data(out, 3, "enterFunction", "main");
    out.push_str("  </edge>\n");
    entered.iter_mut().take(1).for_each(|main| *main = true);
    for (number, stop) in path.iter().enumerate() {
        let (from, to) = (number + 1, number + 2);
        if to == path.len() + 1 {
            let _ = writeln!(out, "  <node id=\"N{to}\">");
            data(out, 3, "violation", "true");
            out.push_str("  </node>\n");
        } else {
            let _ = writeln!(out, "  <node id=\"N{to}\"/>");
        }
        let _ = writeln!(out, "  <edge source=\"N{from}\" target=\"N{to}\">");
        data(out, 3, "threadId", &stop.thread.to_string());
        if let Some(created) = stop.creates {
            data(out, 3, "createThread", &created.to_string());
        }
        let thread = stop.thread as usize;
        if entered.get(thread) == Some(&false) {
            entered[thread] = true;
            data(out, 3, "enterFunction", &functions[thread].function);
        }
        let line = witness.line(stop.location).to_string();
        data(out, 3, "startline", &line);
        data(out, 3, "endline", &line);
        if let Some(input) = stop.returned
            && let Some(value) = input.input.constant()
        {
            data(out, 3, "assumption", &format!("\\result == {value};"));
            data(out, 3, "assumption.resultfunction", &input.function);
        }
        out.push_str("  </edge>\n");
    }
}

fn data(out: &mut String, depth: usize, key: &str, value: &str) {
    let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, "{:depth$}<data key=\"{key}\">{escaped}</data>", "");
}

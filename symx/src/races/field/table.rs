//! Joined reports as a table for the terminal.

use super::joined::{FieldEnd, JoinedCandidate, JoinedReports};
use crate::text::{TerminalText, counted};
use std::fmt::Write;
use std::path::Path;

/// The candidates that an installation watched, a row each, and how many ended in which way.
pub fn table(joined: &JoinedReports) -> String {
    let mut text = TerminalText::default();
    // A list has hundreds of candidates, and an installation watches one.
    let watched: Vec<&JoinedCandidate> =
        joined.candidates.iter().filter(|candidate| candidate.end != FieldEnd::Open).collect();
    let places: Vec<String> = watched.iter().map(|candidate| places(candidate)).collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0).max("accesses".len());
    let _ = writeln!(
        text,
        "{:>9}  {:width$}  {:9}  {:>5}  {:>5}  {:>8}  {:>7}  {:>7}  {:>7}  {:>6}",
        "candidate", "accesses", "end", "runs", "seen", "both met", "ordered", "one met", "not met", "held"
    );
    for (candidate, place) in watched.iter().zip(&places) {
        let JoinedCandidate { number, end, runs, results, held_ns, run_ns, .. } = candidate;
        let share = if *run_ns == 0 { 0.0 } else { *held_ns as f64 / *run_ns as f64 * 100.0 };
        let end = end.name();
        let _ = writeln!(
            text,
            "{number:>9}  {place:width$}  {end:9}  {runs:>5}  {:>5}  {:>8}  {:>7}  {:>7}  {:>7}  {share:>4.1} %",
            results.seen, results.both_met, results.ordered, results.one_met, results.not_met
        );
    }
    for candidate in watched {
        if let Some([one, other]) = &candidate.example {
            let _ = writeln!(
                text,
                "candidate {}: threads {} and {} were about to access {:#x} at once",
                candidate.number,
                one.thread,
                other.thread,
                one.address.max(other.address)
            );
        }
    }
    let ends = [
        FieldEnd::Confirmed,
        FieldEnd::BothMet,
        FieldEnd::Ordered,
        FieldEnd::OneMet,
        FieldEnd::NotMet,
        FieldEnd::Open,
    ];
    let ends = ends.map(|end| format!("{} {}", joined.count(end), end.name())).join(", ");
    let candidates = counted(joined.candidates.len() as u64, "candidate");
    let _ = writeln!(text, "{candidates}, {}: {ends}", counted(joined.runs, "run"));
    if joined.copies > 0 {
        let copies = counted(joined.copies, "file");
        let _ = writeln!(text, "note: {copies} left out, as copies of other reports");
    }
    if let Some(reason) = joined.analysis_ended {
        let word = reason.word();
        let _ = writeln!(text, "note: the static analysis ended early ({word}): other pairs may race, too");
    }
    text.into_string()
}

/// `write a.c:3, read b.c:7`
fn places(candidate: &JoinedCandidate) -> String {
    let places = candidate.accesses.iter().map(|access| {
        let file = Path::new(&access.location.file).file_name().unwrap_or_default().to_string_lossy();
        format!("{} {file}:{}", access.kind, access.location.line)
    });
    places.collect::<Vec<_>>().join(", ")
}

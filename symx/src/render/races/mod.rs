//! A race: its class, both accesses with their source and stacks, and what it does.

pub mod candidates;

use crate::render::Look;
use crate::render::snippet::{note_title, snippet, title};
use crate::render::stacks::stack;
use crate::report::{AccessKind, ClassifiedRace, RacingAccess};
use crate::text::TerminalText;
use annotate_snippets::{AnnotationKind, Group, Level};
use std::fmt::Write;
use symx_trace::RaceClass;

/// One race, ending with a line break.
pub fn race(race: &ClassifiedRace, look: Look<'_>) -> String {
    let level = if race.class.is_harmful() { Level::ERROR } else { Level::WARNING };
    let ends = race.accesses.iter().any(|access| access.kind == AccessKind::End);
    let said = if ends { "access in no order with the end of life of" } else { "data race on" };
    let head = title(level, &format!("{said} {}: {}", race.object.quoted(), verdict(race)));
    let mut groups = Vec::new();
    let mut head = Some(head.id(race.class.name()));
    for access in &race.accesses {
        let label = format!("{} by {}{}", what(access), access.title, locks(access));
        let element = snippet(&access.location, AnnotationKind::Primary, &label, look.source);
        let head = head.take().unwrap_or_else(|| note_title("the other access"));
        let group = Group::with_title(head);
        groups.push(match element {
            Some(element) => group.element(element),
            None => group,
        });
    }
    let mut text = TerminalText::default();
    text.snippets(&look.renderer(), &groups);
    for access in &race.accesses {
        stack(&mut text, &format!("stack of {}, {}", access.title, what(access)), &access.stack, look.source);
    }
    let _ = writeln!(text, "unordered: {}", race.unordered);
    if !race.consequence.is_empty() {
        let _ = writeln!(text, "consequence: {}", race.consequence);
    }
    if let Some(schedule) = &race.schedule {
        let _ = writeln!(text, "replayed; schedule in {schedule}");
    }
    if let Some(schedule) = &race.other_schedule {
        let _ = writeln!(text, "the opposite order: {schedule}");
    }
    text.into_string()
}

/// The class in words.
fn verdict(race: &ClassifiedRace) -> String {
    match race.class {
        RaceClass::SpecViolated => "one order of the accesses fails".into(),
        RaceClass::OutputDiffers => "the program's output depends on the order of the accesses".into(),
        RaceClass::KWitnessHarmless if race.exhaustive => {
            format!(
                "no observable effect in any continuation of the executions looked at (k = {}, k-witness harmless)",
                race.k
            )
        }
        RaceClass::KWitnessHarmless => {
            format!("no observable effect in {} tested continuations (k-witness harmless)", race.k)
        }
        RaceClass::SingleOrdering => "only one order of the accesses is possible".into(),
    }
}

fn what(access: &RacingAccess) -> String {
    if access.atomic { format!("atomic {}", access.kind) } else { access.kind.to_string() }
}

fn locks(access: &RacingAccess) -> String {
    match access.locks.as_slice() {
        [] => String::new(),
        held => format!(", which holds {}", held.join(", ")),
    }
}

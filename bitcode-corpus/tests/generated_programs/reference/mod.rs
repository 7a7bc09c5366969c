//! Behaviours of programs under sequential consistency by the rows alone: every order of their steps, by a
//! machine that shares nothing with symx.

mod machine;
mod objects;

use crate::modes::Seen;
use crate::program::{Operation, Own, Program, ToThread};
use crate::rows::Rows;
use machine::{End, Machine, State};
use std::collections::HashSet;
use symx_posix_explore::Outcome;
use symx_trace::FailureKind;

/// States after which a program is left out.
const MOST_STATES: usize = 300_000;

/// The results of all orders.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub outcomes: std::collections::BTreeSet<Outcome>,
    /// Whether threads can wait forever, misuse a call, fail.
    pub failures: [bool; 3],
}

impl Expected {
    /// The results of symx, as far as the rows say something of them.
    pub fn of(seen: &Seen) -> Self {
        let has = |kinds: &[FailureKind]| seen.failures.iter().any(|failure| kinds.contains(&failure.0));
        Self {
            outcomes: seen.outcomes.clone(),
            failures: [
                has(&[FailureKind::Deadlock, FailureKind::Livelock]),
                has(&[FailureKind::SyncMisuse]),
                has(&[FailureKind::Assert]),
            ],
        }
    }

    /// How what symx has found differs; empty if it does not.
    ///
    /// Where a thread misuses a call at its end, or fails, that comes with its step before. Steps of other
    /// threads between the two are not listed, as there is a failure to report in any case.
    pub fn difference(&self, seen: &Self) -> String {
        let mut text = String::new();
        let is_cut_short = self.failures[1] || self.failures[2];
        for outcome in self.outcomes.difference(&seen.outcomes).filter(|_| !is_cut_short) {
            text += &format!("symx misses outcome {}\n", crate::modes::told(outcome));
        }
        for outcome in seen.outcomes.difference(&self.outcomes) {
            text += &format!("symx adds outcome {}\n", crate::modes::told(outcome));
        }
        for (at, what) in ["deadlock", "misuse", "assertion"].into_iter().enumerate() {
            match (self.failures[at], seen.failures[at]) {
                (true, false) if at > 0 || !is_cut_short => text += &format!("symx misses a {what}\n"),
                (false, true) => text += &format!("symx adds a {what}\n"),
                _ => {}
            }
        }
        text
    }
}

/// Whether there are rows for all that a program does.
fn is_covered(program: &Program) -> bool {
    let is_covered = |operation: &&Operation| match operation {
        Operation::Input(_) | Operation::CleanUp(..) => false,
        Operation::Thread(ToThread::Detach | ToThread::CreateDetached | ToThread::Kill, _) => false,
        Operation::Thread(to, which) => *to != ToThread::Cancel || *which != 0,
        Operation::Own(own) => {
            matches!(own, Own::TestCancel | Own::DisableCancel | Own::EnableCancel | Own::Yield)
        }
        _ => true,
    };
    // No row says that printing is a cancellation point.
    let cancels = |operation: &Operation| matches!(operation, Operation::Thread(ToThread::Cancel, _));
    let prints = |operation: &Operation| matches!(operation, Operation::Print(_));
    !program.alike && program.all().iter().all(is_covered) && !(program.has(cancels) && program.has(prints))
}

/// The results of all orders of a program's steps; nothing if the rows do not cover it, or there are too
/// many.
pub fn expected(rows: &Rows, program: &Program) -> Option<Expected> {
    if !is_covered(program) {
        return None;
    }
    let machine = Machine::new(rows, program);
    let mut found = Expected::default();
    let mut known: HashSet<State> = HashSet::new();
    let mut open = vec![State::new(program)];
    while let Some(state) = open.pop() {
        if known.len() > MOST_STATES {
            return None;
        }
        let next = machine.next(&state);
        if next.is_empty() && !state.is_over() {
            found.failures[0] = true;
        }
        for (state, end) in next {
            match end {
                None => {
                    if known.insert(state.clone()) {
                        open.push(state);
                    }
                }
                Some(End::Exit) => {
                    found.outcomes.insert((state.output(), 0));
                }
                Some(End::Misuse) => found.failures[1] = true,
                Some(End::Assertion) => found.failures[2] = true,
            }
        }
    }
    Some(found)
}

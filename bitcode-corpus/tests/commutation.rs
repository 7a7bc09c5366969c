//! The commutation audit over the corpus. In random executions of each program that creates threads, steps
//! that are independent by their footprints are executed in both orders, and the states compared. One test a
//! program: those of `litmus/` and `races/`, or with `SYMX_AUDIT=all` (as `./x commutation` has it) all.
//!
//! `SYMX_AUDIT_EXECUTIONS` says how many executions of each there are.

mod audited;

use audited::{machine, program, programs};
use libtest_mimic::{Arguments, Trial};
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use symx::harness::Case;
use symx_bitcode_corpus::number;
use symx_expr::solver::{Z3Options, standard};
use symx_interp::Options;
use symx_posix_explore::{AuditLimits, CommutationAudit, Difference, audit_commutation};

/// Executions of a program, by default, and steps of each at most.
const EXECUTIONS: u32 = 4;
const STEPS: u32 = 300;

/// Programs with differences that are explained: the program, what differs, and why no outcome depends on it.
const EXPLAINED: &[(&str, Difference, &str)] = &[
    (
        "threads::atomic_section",
        Difference::Footprint,
        "what a thread has touched inside is part of what each later step inside releases: its steps and its own \
         stores' commits come to the same together, in whatever order",
    ),
    (
        "threads::atomic_sections_in_turn",
        Difference::Footprint,
        "as in threads::atomic_section, where sections are followed step by step",
    ),
    (
        "pass::set_taken_again",
        Difference::Thread,
        "whether a descriptor is open when a thread comes to a call decides what it announces; when it has its turn \
         it announces what has come to be missing, and closing conflicts with it",
    ),
    (
        "processes::end_of_child_interrupts_one",
        Difference::Thread,
        "whether others hold a descriptor open when a process comes to close it decides what it announces; when it has \
         its turn it announces what has come to be missing, and closing conflicts with it",
    ),
    (
        "processes::kill_interrupts_one_thread",
        Difference::Thread,
        "which threads are there when a process comes to send them a signal decides what it announces; when it has its \
         turn it announces what has come to be missing",
    ),
    (
        "processes::signal_of_end_after_a_thread",
        Difference::Thread,
        "as in processes::end_of_child_interrupts_one and processes::kill_interrupts_one_thread",
    ),
    (
        "processes::two_wait_for_one_child",
        Difference::Thread,
        "whether the child is there when a thread comes to wait for it decides what it announces; when it has its turn \
         it announces what has come to be missing, and taking the child conflicts with it",
    ),
    ("threads::close_or_open_first", Difference::Thread, "as in pass::set_taken_again"),
    ("threads::descriptor_on_its_way", Difference::Thread, "as in pass::set_taken_again"),
    ("threads::descriptor_taken_again", Difference::Thread, "as in pass::set_taken_again"),
    (
        "threads::directory_removed_beside_creation",
        Difference::Thread,
        "whether a directory is there when a thread comes to a call decides what it announces; when it has its turn it \
         announces what has come to be missing, and removing the directory conflicts with it",
    ),
    (
        "threads::epoll_set_changed_beside_a_wait",
        Difference::Thread,
        "whether a set watches a descriptor when a thread comes to a call decides what it announces; when it has its \
         turn it announces what has come to be missing, and setting the watch conflicts with it",
    ),
    (
        "threads::join_each_other",
        Difference::Enabled,
        "who joins a thread that joins it need not wait, which the other's arrival there decides; the two joins \
         conflict",
    ),
    (
        "threads::mq_two_receivers",
        Difference::Thread,
        "whether a receiver finds a message when it arrives decides what it announces; when it has its turn it \
         announces what has come to be missing",
    ),
    (
        "threads::notification_beside_closing",
        Difference::Thread,
        "whether there is a watch when a thread comes to a call decides what it announces; when it has its turn it \
         announces what has come to be missing, and setting a watch conflicts with it",
    ),
    (
        "threads::notification_beside_creation",
        Difference::Thread,
        "as in threads::notification_beside_closing",
    ),
    (
        "threads::notification_beside_writing",
        Difference::Thread,
        "as in threads::notification_beside_closing",
    ),
    (
        "threads::variables_on_own_stack",
        Difference::Memory,
        "a store to a variable whose function has returned since reaches the program's memory below its stack",
    ),
    ("threads::write_beside_closing", Difference::Thread, "as in pass::set_taken_again"),
];

/// The counts of all audits together.
#[derive(Default)]
struct Totals {
    states: AtomicU64,
    pairs: AtomicU64,
    left_out: AtomicU64,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let programs = programs(&["litmus", "races"], &[], &["sc", "tso", "pso", "weak"]);
    let totals = Arc::new(Totals::default());
    let trials = programs.into_iter().map(|(name, cases)| {
        let totals = Arc::clone(&totals);
        Trial::test(name.clone(), move || audit(&name, &cases, &totals).map_err(Into::into))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    // A list of tests is all that is to be printed where it is asked for.
    if !arguments.list {
        let total = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (states, pairs, left_out) =
            (total(&totals.states), total(&totals.pairs), total(&totals.left_out));
        println!("{pairs} pairs of independent steps compared in {states} states, {left_out} left out");
    }
    conclusion.exit_code()
}

/// Audits a program under the models of its cases.
fn audit(name: &str, cases: &[Case], totals: &Totals) -> Result<(), String> {
    let program = program(cases.first().ok_or("no case")?, &[])?;
    let executions = number("SYMX_AUDIT_EXECUTIONS").map_or(EXECUTIONS, |number| number as u32);
    let mut disagreements = String::new();
    let explained = EXPLAINED.iter().find(|(program, ..)| *program == name);
    let mut is_explained = false;
    for case in cases {
        let machine = machine(&program, case, Options::default())?;
        let solver = Box::new(standard(&machine.terms, Z3Options::default()));
        let mut audit = audit_commutation(&machine, solver, 0, AuditLimits { executions, steps: STEPS });
        totals.states.fetch_add(audit.states, Ordering::Relaxed);
        totals.pairs.fetch_add(audit.pairs, Ordering::Relaxed);
        totals.left_out.fetch_add(audit.left_out, Ordering::Relaxed);
        audit.disagreements.retain(|disagreement| {
            let is_known = explained.is_some_and(|(_, difference, _)| *difference == disagreement.difference);
            is_explained |= is_known;
            !is_known
        });
        if !audit.disagreements.is_empty() {
            let _ = write!(disagreements, "under {}:\n{}", case.model, told(&audit));
        }
    }
    if let Some((_, difference, why)) = explained.filter(|_| !is_explained && executions >= EXECUTIONS) {
        let _ = write!(disagreements, "no {difference:?} needs to be explained any more by: {why}");
    }
    if disagreements.is_empty() { Ok(()) } else { Err(disagreements) }
}

fn told(audit: &CommutationAudit) -> String {
    let mut text = String::new();
    for disagreement in &audit.disagreements {
        let [first, second] = &disagreement.steps;
        let _ = write!(text, "{:?}:\n  {first}\n  {second}\n", disagreement.difference);
    }
    text
}

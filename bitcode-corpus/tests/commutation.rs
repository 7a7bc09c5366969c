//! The commutation audit over the corpus: in random executions of each program that creates threads, steps
//! that footprints call independent are executed in both orders, and the states compared. One test a program:
//! those of `litmus/` and `races/`, or with `SYMX_AUDIT=all` (as `./x commutation` has it) all.
//!
//! `SYMX_AUDIT_EXECUTIONS` says how many executions of each there are.

mod linked;

use libtest_mimic::{Arguments, Trial};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use symx::harness::{Case, Expectations, cases, compile_bitcode};
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::{cache, folder, number};
use symx_explore::{AuditLimits, CommutationAudit, Difference, audit_commutation};
use symx_expr::Terms;
use symx_expr::solver::{Z3Options, standard};
use symx_interp::{Machine, Options};
use symx_ir::Module;
use symx_posix_model::{Posix, PosixOptions};

/// Executions of a program, unless told otherwise, and steps of each at most.
const EXECUTIONS: u32 = 4;
const STEPS: u32 = 300;

/// Functions by which a program creates threads.
const CREATORS: [&str; 2] = ["pthread_create", "thrd_create"];

/// Programs with differences that are explained: the program, what differs, and why no outcome depends on it.
const EXPLAINED: &[(&str, Difference, &str)] = &[
    (
        "threads::atomic_section",
        Difference::Footprint,
        "what a thread has touched inside is part of what each later step inside releases: its steps and its own \
         stores' commits come to the same together, in whatever order",
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
        "threads::variables_on_own_stack",
        Difference::Memory,
        "a store to a variable whose function has returned since reaches the program's memory below its stack",
    ),
];

/// What all audits together looked at.
#[derive(Default)]
struct Totals {
    states: AtomicU64,
    pairs: AtomicU64,
    left_out: AtomicU64,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut cases = cases(folder()).expect("the corpus is beside this file");
    let is_whole = std::env::var("SYMX_AUDIT").is_ok_and(|which| which == "all");
    cases.retain(|case| {
        let text = std::fs::read_to_string(&case.source).unwrap_or_default();
        let is_c = case.source.extension().is_some_and(|extension| extension == "c");
        let models = ["sc", "tso", "pso", "weak"];
        let is_wanted = is_whole || ["litmus", "races"].iter().any(|folder| case.name.starts_with(folder));
        is_c && is_wanted
            && models.contains(&case.model)
            && CREATORS.iter().any(|creator| text.contains(creator))
    });
    assert!(cases.len() > 200, "only {} cases were found", cases.len());
    let mut programs: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        programs.entry(case.name.replace('/', "::")).or_default().push(case);
    }
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
    static LIBRARY: LazyLock<Module> = LazyLock::new(linked::library);
    let source = &cases.first().ok_or("no case")?.source;
    let text = std::fs::read_to_string(source).map_err(|error| error.to_string())?;
    let flags = Expectations::parse(&text).unwrap_or_default().compiler_flags;
    let bitcode = compile_bitcode(source, &flags, &cache()).map_err(|error| error.to_string())?;
    let program = linked::link(linked::module(&bitcode, &LoadOptions::default()), &LIBRARY);
    let executions = number("SYMX_AUDIT_EXECUTIONS").map_or(EXECUTIONS, |number| number as u32);
    let mut disagreements = String::new();
    let explained = EXPLAINED.iter().find(|(program, ..)| *program == name);
    let mut is_explained = false;
    for case in cases {
        let options = PosixOptions { arguments: vec![b"audited".to_vec()], ..PosixOptions::default() };
        let model = symx_memmodel::by_name(case.model).ok_or("no such model")?;
        let (posix, terms) = (Posix::new(options), Arc::new(Terms::new()));
        let machine = Machine::new(Arc::clone(&program), posix, model, terms, Options::default());
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

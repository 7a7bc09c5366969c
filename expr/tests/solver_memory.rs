//! A bound on Z3's memory. It is the whole process's, so each of its tests is a process of its own.

use std::process::Command;
use std::sync::Arc;
use symx_expr::solver::{Answer, Solver, Undecided, Z3Options, Z3Solver, standard};
use symx_expr::{Term, Terms};

/// Set for a process that has a bound.
const CHILD: &str = "SYMX_TEST_Z3_MEMORY";

/// Runs a test of this file in a process of its own. Whether this is that process.
fn is_alone(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = Command::new(std::env::current_exe().expect("a test has a file"));
    let child = child.args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().expect("it starts");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    false
}

fn options(mebibytes: u32) -> Z3Options {
    Z3Options { memory_mebibytes: Some(mebibytes), ..Z3Options::default() }
}

/// Whether that is said.
fn is_for_want_of_memory(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(Undecided::Beyond(reason)) if reason.starts_with("max-memory: "))
}

/// Equations of neighbours among `count` numbers.
fn equations(terms: &Terms, count: usize) -> Vec<Term> {
    let symbols: Vec<_> = (0..count).map(|number| terms.symbol(&format!("s{number}"), 64)).collect();
    let equation = |pair: &[Term]| {
        let product = terms.multiply(pair[0], pair[1]);
        terms.equal(product, terms.add(pair[0], terms.constant(64, 12_345)))
    };
    symbols.windows(2).map(equation).collect()
}

/// A query too large for the memory Z3 is given is unknown with a word; so may be those after it, for Z3
/// remembers.
#[test]
fn a_large_query_runs_out_of_memory_with_a_word() {
    if !is_alone("a_large_query_runs_out_of_memory_with_a_word") {
        return;
    }
    let terms = Arc::new(Terms::new());
    let mut solver = Z3Solver::new(terms.clone(), options(64));
    let names: Vec<_> = (0..8).map(|number| terms.symbol(&format!("x{number}"), 512)).collect();
    let product = names.iter().copied().reduce(|left, right| terms.multiply(left, right)).expect("some");
    let answer = solver.check(&[terms.equal(product, terms.constant(512, 12345))]);
    assert!(is_for_want_of_memory(&answer), "{answer:?}");
}

/// Z3 gives no term, and its crate panics.
#[test]
fn a_query_that_cannot_even_be_told_runs_out_of_memory_with_a_word() {
    if !is_alone("a_query_that_cannot_even_be_told_runs_out_of_memory_with_a_word") {
        return;
    }
    let terms = Arc::new(Terms::new());
    let constraints = equations(&terms, 20_000);
    let mut solver = standard(&terms, options(20));
    let answer = solver.check(&constraints);
    assert!(is_for_want_of_memory(&answer), "{answer:?}");
    // The next may have an answer, if that is all it is.
    let answer = solver.check(&constraints[..1]);
    assert!(matches!(answer, Answer::Sat(_)) || is_for_want_of_memory(&answer), "{answer:?}");
}

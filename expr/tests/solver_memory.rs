//! A bound on Z3's memory. Alone in its file: the bound is the whole process's.

use std::sync::Arc;
use symx_expr::Terms;
use symx_expr::solver::{Answer, Solver, Z3Options, Z3Solver};

/// A query too large for the memory Z3 is given is unknown with a word; so may be those behind it, for Z3 remembers.
#[test]
fn a_large_query_runs_out_of_memory_with_a_word() {
    let terms = Arc::new(Terms::new());
    let options = Z3Options { memory_mebibytes: Some(64), ..Z3Options::default() };
    let mut solver = Z3Solver::new(terms.clone(), options);
    let names: Vec<_> = (0..8).map(|number| terms.symbol(&format!("x{number}"), 512)).collect();
    let product = names.iter().copied().reduce(|left, right| terms.multiply(left, right)).expect("some");
    let query = [terms.equal(product, terms.constant(512, 12345))];
    let answer = solver.check(&query);
    assert!(matches!(&answer, Answer::Unknown(reason) if reason.contains("memory")), "{answer:?}");
}

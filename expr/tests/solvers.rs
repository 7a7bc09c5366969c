//! The whole stack of solver layers on small queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use symx_expr::solver::{
    Answer, Branch, PathQueries, Solver, Unresolved, Z3Options, Z3Solver, standard, z3_version,
};
use symx_expr::{
    BitVector, Evaluator, PathCondition, StopReason, StopToken, Term, Terms, evaluate, query_to_smtlib,
};

fn queries(terms: &Arc<Terms>) -> PathQueries<impl Solver + use<>> {
    PathQueries::new(terms.clone(), standard(terms, Z3Options::default()))
}

fn path(terms: &Terms, conditions: &[Term]) -> PathCondition {
    let mut path = PathCondition::new();
    for condition in conditions {
        path.add(terms, *condition);
    }
    path
}

#[test]
fn the_linked_z3_is_the_one_meant() {
    let version = z3_version().unwrap();
    assert!(version >= (5, 0), "linked against Z3 {version:?}");
}

#[test]
fn branches_go_the_ways_they_can() {
    let terms = Arc::new(Terms::new());
    let mut queries = queries(&terms);
    let x = terms.symbol("x", 32);
    let at = |value| terms.constant(32, value);
    let path = path(&terms, &[terms.unsigned_less(x, at(10)), terms.unsigned_less(at(3), x)]);
    let square = terms.multiply(x, x);
    assert_eq!(queries.branch(&path, terms.unsigned_less(square, at(100))), Branch::True);
    assert_eq!(queries.branch(&path, terms.equal(square, at(9))), Branch::False);
    assert_eq!(queries.branch(&path, terms.equal(square, at(25))), Branch::Both);
    assert_eq!(queries.branch(&path, Term::TRUE), Branch::True);
    assert_eq!(queries.branch(&path, Term::FALSE), Branch::False);
    assert_eq!(queries.branch(&path, terms.unsigned_less(x, at(10))), Branch::True);
    assert_eq!(queries.must_be_true(&path, terms.unsigned_less(square, at(82))), Ok(true));
    assert_eq!(queries.must_be_true(&path, terms.unsigned_less(square, at(81))), Ok(false));
}

#[test]
fn ranges_values_and_models() {
    let terms = Arc::new(Terms::new());
    let mut queries = queries(&terms);
    let (x, y) = (terms.symbol("x", 16), terms.symbol("y", 16));
    let at = |value| terms.constant(16, value);
    let odd = terms.equal(terms.extract(x, 0, 1), Term::TRUE);
    let path = path(&terms, &[odd, terms.unsigned_less(x, at(10)), terms.unsigned_less(at(500), y)]);
    assert_eq!(queries.unsigned_range(&path, x), Ok((1, 9)));
    assert_eq!(queries.unsigned_range(&path, y), Ok((501, 65535)));
    for (term, low, most) in
        [(x, 0, 1), (x, 5, 5), (x, u64::MAX, 9), (y, 0, 501), (y, 500, 501), (y, 600, 600)]
    {
        let example = queries.value(&path, term).unwrap().to_u64().unwrap();
        assert!(queries.low_value(&path, term, (low, example)).unwrap() <= most);
    }
    let (mut values, complete) = queries.values(&path, x, 10).unwrap();
    values.sort_by_key(|value| value.to_u64());
    assert!(complete);
    assert_eq!(values, [1, 3, 5, 7, 9].map(|value| BitVector::from_u64(16, value)));
    let (some, complete) = queries.values(&path, y, 3).unwrap();
    assert_eq!((some.len(), complete), (3, false));
    assert_eq!(queries.values(&path, at(7), 3).unwrap(), (vec![BitVector::from_u64(16, 7)], true));
    let model = queries.model(&path).unwrap();
    let mut evaluator = Evaluator::new(&terms, &model);
    assert!(path.iter().all(|constraint| evaluator.is_true(constraint)));
}

#[test]
fn an_infeasible_path_has_no_value() {
    let terms = Arc::new(Terms::new());
    let mut queries = queries(&terms);
    let x = terms.symbol("x", 16);
    let at = |value| terms.constant(16, value);
    let square = terms.multiply(x, x);
    let path = path(&terms, &[terms.equal(square, at(3))]);
    assert_eq!(queries.value(&path, x), Err(Unresolved::Infeasible));
    assert_eq!(queries.model(&path), Err(Unresolved::Infeasible));
}

#[test]
fn wide_values_come_back_whole() {
    let terms = Arc::new(Terms::new());
    let mut queries = queries(&terms);
    let x = terms.symbol("x", 200);
    let wanted = BitVector::from_limbs(200, &[0x0123_4567_89ab_cdef, 42, u64::MAX, 0x5a]);
    let sum = terms.add(terms.multiply(x, terms.constant(200, 3)), terms.constant(200, 1));
    let image = terms.as_bitvector(
        terms.add(terms.multiply(terms.bitvector(&wanted), terms.constant(200, 3)), terms.constant(200, 1)),
    );
    let path = path(&terms, &[terms.equal(sum, terms.bitvector(&image.unwrap()))]);
    assert_eq!(queries.value(&path, x), Ok(wanted));
}

/// A product of two primes of 62 bits, to be taken apart.
fn hard_query(terms: &Terms) -> [Term; 4] {
    let [x, y] = ["x", "y"].map(|name| terms.zero_extend(terms.symbol(name, 64), 128));
    let one = terms.constant(128, 1);
    let product =
        terms.multiply(terms.constant(128, 4611686018427387847), terms.constant(128, 4611686018427387817));
    [
        terms.equal(terms.multiply(x, y), product),
        terms.unsigned_less(one, x),
        terms.unsigned_less(one, y),
        terms.unsigned_less(x, y),
    ]
}

#[test]
fn a_hard_query_times_out_with_a_word() {
    let terms = Arc::new(Terms::new());
    let options = Z3Options { timeout_milliseconds: Some(50), ..Z3Options::default() };
    let mut solver = Z3Solver::new(terms.clone(), options);
    let query = hard_query(&terms);
    assert_eq!(solver.check(&query), Answer::Unknown("timeout".into()));
    // The next query is answered as if nothing had been.
    assert!(matches!(solver.check(&query[1..]), Answer::Sat(_)));
    assert_eq!(solver.statistics().solver_unknown, 1);
}

#[test]
fn a_hard_query_ends_when_all_time_has_passed() {
    let terms = Arc::new(Terms::new());
    let start = Instant::now();
    let is_over = move || start.elapsed() > Duration::from_millis(200);
    let stop = StopToken::when(move || is_over().then_some(StopReason::MaxTime));
    let mut solver = Z3Solver::new(terms.clone(), Z3Options { stop, ..Z3Options::default() });
    let query = hard_query(&terms);
    assert_eq!(solver.check(&query), Answer::Unknown(StopReason::MaxTime.into()));
    assert!(start.elapsed() < Duration::from_secs(10), "the query's own limit is 30 s");
    assert_eq!(solver.check(&query[1..]), Answer::Unknown(StopReason::MaxTime.into()));
}

/// A query that the watching thread has no time to ask for asks by itself, and once.
#[test]
fn a_query_asks_once_whether_work_is_over() {
    let terms = Arc::new(Terms::new());
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let stop = StopToken::when(move || {
        count.fetch_add(1, Ordering::Relaxed);
        None
    });
    let mut solver = Z3Solver::new(terms.clone(), Z3Options { stop, ..Z3Options::default() });
    let (x, y) = (terms.symbol("x", 32), terms.symbol("y", 32));
    let fewest = (0..20).map(|number| {
        let before = asked.load(Ordering::Relaxed);
        let sum = terms.equal(terms.add(x, y), terms.constant(32, number));
        assert!(matches!(solver.check(&[sum]), Answer::Sat(_)));
        asked.load(Ordering::Relaxed) - before
    });
    assert_eq!(fewest.min(), Some(1));
}

#[test]
fn starting_afresh_changes_no_answer() {
    let terms = Arc::new(Terms::new());
    let options = Z3Options { most_guards: 3, ..Z3Options::default() };
    let mut solver = Z3Solver::new(terms.clone(), options);
    let x = terms.symbol("x", 32);
    let square = terms.multiply(x, x);
    for i in 0..20u64 {
        let query =
            [terms.equal(square, terms.constant(32, i * i)), terms.unsigned_less(x, terms.constant(32, 100))];
        let Answer::Sat(model) = solver.check(&query) else { panic!("{i} squared has a root") };
        assert_eq!(evaluate(&terms, x, &model).to_u64(), Some(i));
        let none = terms.equal(square, terms.constant(32, i * 4 + 3));
        assert_eq!(solver.check(&[none]), Answer::Unsat);
    }
}

#[test]
fn layers_keep_queries_from_z3() {
    let terms = Arc::new(Terms::new());
    let mut solver = standard(&terms, Z3Options::default());
    let bytes: Vec<Term> = (0..8).map(|i| terms.symbol(&format!("b{i}"), 16)).collect();
    let constraints: Vec<Term> = bytes
        .iter()
        .map(|byte| terms.unsigned_less(terms.multiply(*byte, *byte), terms.constant(16, 50)))
        .collect();
    for count in 1..=8 {
        let Answer::Sat(model) = solver.check(&constraints[..count]) else { panic!("0 squared is below 50") };
        let mut evaluator = Evaluator::new(&terms, &model);
        assert!(constraints[..count].iter().all(|constraint| evaluator.is_true(*constraint)));
    }
    let statistics = solver.statistics();
    assert_eq!(statistics.queries, 8);
    assert!(statistics.solver_queries <= 8, "{statistics:?}");
    assert_eq!(statistics.slices, 36);
    assert_eq!(statistics.cache_hits, statistics.slices - statistics.solver_queries);
    assert_eq!(solver.check(&[constraints[0], terms.not(constraints[0])]), Answer::Unsat);
    assert_eq!(solver.statistics().trivial, 1);
}

#[test]
fn z3_reads_what_is_dumped() {
    let terms = Arc::new(Terms::new());
    let mut solver = Z3Solver::new(terms.clone(), Z3Options::default());
    let (x, y) = (terms.symbol("the |odd| na\\me", 32), terms.symbol("y", 100));
    let byte = terms.extract(x, 8, 8);
    let chosen = terms.if_then_else(terms.signed_less(byte, terms.constant(8, 3)), x, terms.negate(x));
    let sum = terms.add(terms.sign_extend(chosen, 100), terms.multiply(y, y));
    for (bound, satisfiable) in [(7u64, true), (2, true)] {
        let equal =
            terms.equal(terms.unsigned_remainder(sum, terms.constant(100, 8)), terms.constant(100, bound));
        let query = [equal, terms.not_equal(y, terms.all_ones(100))];
        let reader = z3::Solver::new();
        reader.from_string(query_to_smtlib(&terms, &query));
        let sat = matches!(solver.check(&query), Answer::Sat(_));
        assert_eq!(sat, satisfiable);
        assert_eq!(reader.check() == z3::SatResult::Sat, sat);
        assert_eq!(reader.get_assertions().len(), 2);
    }
    let never = [terms.equal(terms.multiply(y, y), terms.constant(100, 3))];
    let reader = z3::Solver::new();
    reader.from_string(query_to_smtlib(&terms, &never));
    assert_eq!(reader.check(), z3::SatResult::Unsat);
    assert_eq!(solver.check(&never), Answer::Unsat);
}

/// A path that is false on its face shares no symbols with anything, and still nothing is possible on it.
#[test]
fn nothing_is_possible_on_a_contradictory_path() {
    let terms = Arc::new(Terms::new());
    let mut queries = queries(&terms);
    let [bit, x] = [("bit", 1), ("x", 8)].map(|(name, width)| terms.symbol(name, width));
    let mut path = PathCondition::new();
    path.add(&terms, bit);
    assert!(!path.add(&terms, terms.not(bit)));
    for term in [bit, x] {
        assert!(matches!(queries.value(&path, term), Err(Unresolved::Infeasible)));
    }
    let zero = terms.equal(x, terms.constant(8, 0));
    assert!(!queries.may_be_true(&path, zero).unwrap());
    assert!(queries.must_be_true(&path, zero).unwrap());
}

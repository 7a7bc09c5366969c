//! Terms built and simplified a second; one element is one construction.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use symx_expr::{BinaryOperator, Term, Terms};

const STEPS: u64 = 10_000;

/// Builds what a loop over symbolic bytes builds: widening, mixing, comparing; every operation is
/// new to the pool.
fn mix(terms: &Terms, input: Term) -> Term {
    let mut sum = terms.zero_extend(input, 32);
    for step in 0..STEPS / 4 {
        let shifted = terms.binary(BinaryOperator::ShiftLeft, sum, terms.constant(32, step % 7 + 1));
        let mixed = terms.binary(BinaryOperator::Xor, sum, shifted);
        sum = terms.binary(BinaryOperator::Add, mixed, terms.constant(32, step));
        black_box(terms.binary(BinaryOperator::UnsignedLess, sum, terms.constant(32, 1000 + step)));
    }
    sum
}

/// Builds what the simplifier takes back to its input.
fn cancel(terms: &Terms, input: Term) -> Term {
    let mut value = input;
    for step in 0..STEPS / 4 {
        let constant = terms.constant(8, step % 255 + 1);
        let sum = terms.binary(BinaryOperator::Add, value, constant);
        let wide = terms.concat(sum, constant);
        let narrow = terms.extract(wide, 8, 8);
        value = terms.binary(BinaryOperator::Subtract, narrow, constant);
    }
    assert_eq!(value, input);
    value
}

fn constructions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("terms");
    group.sample_size(20);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(STEPS));
    for (name, build) in [("new", mix as fn(&Terms, Term) -> Term), ("simplified_away", cancel)] {
        group.bench_function(name, |bencher| {
            bencher.iter_with_large_drop(|| {
                let terms = Terms::new();
                black_box(build(&terms, terms.symbol("input", 8)));
                terms
            });
        });
    }
    // The same terms again: what a second path through the same code costs.
    let terms = Terms::new();
    let input = terms.symbol("input", 8);
    group.bench_function("known", |bencher| bencher.iter(|| black_box(mix(&terms, input))));
    group.finish();
}

criterion_group!(benches, constructions);
criterion_main!(benches);

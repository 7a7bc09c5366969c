//! Complete executions a second when exploring schedules; one element is one execution.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use symx_benches::{explore, machine};

/// How many inequivalent executions fib_bench has with four additions a thread, under sequential consistency.
const FIB_BENCH_EXECUTIONS: u64 = 19_605;

fn executions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("executions");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5));
    let machine = machine("fib_bench", &[]);
    group.throughput(Throughput::Elements(FIB_BENCH_EXECUTIONS));
    group.bench_function("fib_bench_4", |bencher| {
        bencher.iter(|| assert_eq!(explore(&machine).executions, FIB_BENCH_EXECUTIONS));
    });
    group.finish();
}

criterion_group!(benches, executions);
criterion_main!(benches);

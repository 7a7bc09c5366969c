//! Complete executions a second when exploring schedules; one element is one execution.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use symx_benches::{explore, machine};

/// A program, its size, and how many inequivalent executions it has under sequential consistency.
const PROGRAMS: [(&str, &str, u64); 3] =
    [("fib_bench", "-DN=4", 19_605), ("fib_bench", "-DN=5", 218_243), ("locked_stack", "-DSIZE=8", 12_870)];

fn executions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("executions");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5));
    for (program, size, executions) in PROGRAMS {
        let machine = machine(program, &[size]);
        group.throughput(Throughput::Elements(executions));
        group.bench_function(format!("{program}{size}"), |bencher| {
            bencher.iter(|| assert_eq!(explore(&machine).executions, executions));
        });
    }
    group.finish();
}

criterion_group!(benches, executions);
criterion_main!(benches);

//! Programs whose time goes into deciding branches; one element is one path.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use symx_benches::{explore, machine};

/// A program, its arguments for the compiler, and how many paths it has.
const PROGRAMS: [(&str, &str, u64); 4] = [
    ("sort_paths", "-DCOUNT=6", 720),
    ("sort_paths", "-DCOUNT=7", 5_040),
    ("word_bits", "-DBITS=12", 4_096),
    ("number_parser", "-DLENGTH=14", 784),
];

fn solving(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solving");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(3));
    for (program, argument, paths) in PROGRAMS {
        group.throughput(Throughput::Elements(paths));
        group.bench_function(format!("{program}{argument}"), |bencher| {
            // A machine of its own for each run: terms that an earlier one made would be found.
            let fresh = || machine(program, &[argument]);
            bencher.iter_batched(
                fresh,
                |machine| assert_eq!(explore(&machine).executions, paths),
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, solving);
criterion_main!(benches);

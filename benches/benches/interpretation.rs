//! Interpreted instructions a second on concrete values; one element is one instruction.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use symx_benches::{machine, run};

fn instructions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("instructions");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    for name in ["register_loop", "sieve", "matrix_product", "recursion", "memory_copy", "pointer_chase"] {
        let machine = machine(name, &[]);
        group.throughput(Throughput::Elements(run(&machine).instructions));
        group.bench_function(name, |bencher| bencher.iter(|| run(&machine)));
    }
    group.finish();
}

criterion_group!(benches, instructions);
criterion_main!(benches);

//! Forks a second; one element is one state made.

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use symx_benches::{explore, live_ways, machine, solver, to_fork};
use symx_interp::Executor;
use symx_interp::memory::SiteKind;
use symx_interp::stop::Step;
use symx_ir::address::Cell;

const BITS: u32 = 18;

fn forks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("forks");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5));
    let machine = machine("forks", &[&format!("-DBITS={BITS}")]);

    let mut executor = Executor::new(&machine, solver(&machine));
    let mut state = machine.initial_state();
    to_fork(&mut executor, &mut state, Step::Done).expect("the program branches");
    let mut written = None;
    state.memory.for_each(|object| {
        if matches!(object.site.kind(), SiteKind::Stack(..)) {
            written = Cell::of(object.base);
        }
    });
    let written = written.expect("the program has stack objects");
    group.throughput(Throughput::Elements(1 << BITS));
    group.bench_function("state_clone_and_write", |bencher| {
        bencher.iter_batched(
            || Vec::with_capacity(1 << BITS),
            |mut live| {
                for number in 0..1_u64 << BITS {
                    let mut fork = state.clone();
                    fork.memory.get_mut(written).expect("just found").write_word(0, 1, number & 0xff);
                    live.push(fork);
                }
                live
            },
            BatchSize::PerIteration,
        );
    });

    // A tree of 2^n live states is 2^n - 1 forks; all share their beginnings.
    group.throughput(Throughput::Elements((1 << BITS) - 1));
    group.bench_function("branches_all_live", |bencher| {
        bencher.iter_with_large_drop(|| live_ways(&machine, 1 << BITS));
    });
    group.bench_function("branches_depth_first", |bencher| {
        bencher.iter(|| assert_eq!(explore(&machine).executions, 1 << BITS));
    });
    group.finish();
}

criterion_group!(benches, forks);
criterion_main!(benches);

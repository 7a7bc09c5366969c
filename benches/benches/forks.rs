//! Forks a second; one element is one state made.

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use symx_benches::{explore, machine, solver};
use symx_interp::agents::Step;
use symx_interp::memory::SiteKind;
use symx_interp::{Executor, Machine, State};
use symx_ir::address::Cell;
use symx_posix_model::Posix;
use symx_trace::{Agent, ThreadId};

const BITS: u32 = 16;

/// Runs the main thread up to the next fork; the ways, or `None` where the program ends first.
fn to_fork(executor: &mut Executor<'_, Posix>, state: &mut State<Posix>, mut step: Step) -> Option<Step> {
    loop {
        step = match step {
            Step::Fork { .. } => return Some(step),
            Step::Done | Step::Paused if state.end.is_some() => return None,
            Step::Done => executor.step(state, Agent::Thread(ThreadId::MAIN)),
            Step::Paused => executor.resume(state, ThreadId::MAIN, false),
            other => panic!("the program only branches, not {other:?}"),
        };
    }
}

/// Follows the branches of `forks.c` breadth first, so that 2^`BITS` states live in the end.
fn all_live(machine: &Machine<Posix>) -> Vec<State<Posix>> {
    let mut executor = Executor::new(machine, solver(machine));
    let mut first = machine.initial_state();
    let step = to_fork(&mut executor, &mut first, Step::Done).expect("the program branches");
    let mut live = vec![(first, step)];
    let mut ended = Vec::new();
    while !live.is_empty() {
        let mut next = Vec::with_capacity(2 * live.len());
        for (state, step) in live {
            let Step::Fork { ways, granted } = step else { unreachable!("only forks are kept") };
            for way in ways {
                let mut state = state.clone();
                state.path.add(&machine.terms, way);
                let step = executor.resume(&mut state, ThreadId::MAIN, granted);
                match to_fork(&mut executor, &mut state, step) {
                    Some(step) => next.push((state, step)),
                    None => ended.push(state),
                }
            }
        }
        live = next;
    }
    assert_eq!(ended.len(), 1 << BITS);
    ended
}

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

    // A path of n branches makes n states beside the first; all share their beginnings.
    group.throughput(Throughput::Elements((1 << BITS) - 1));
    group.bench_function("branches_all_live", |bencher| bencher.iter(|| black_box(all_live(&machine))));
    group.bench_function("branches_depth_first", |bencher| {
        bencher.iter(|| assert_eq!(explore(&machine).executions, 1 << BITS));
    });
    group.finish();
}

criterion_group!(benches, forks);
criterion_main!(benches);

//! One execution whose paths are recorded.

use crate::single::{SingleRun, run};
use crate::{Exploration, ExploreOptions, Observer};
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine, Sites};
use symx_interp::paths::recorder::{PathRecorder, RecordingOptions};
use symx_interp::state::{End, State};
use symx_trace::failure::checks::Natively;
use symx_trace::profile::{ProcessEnd, ProfileStream, ThreadProfile};
use symx_trace::{Failure, FailureDetail, IncompleteReason};

/// Executions, at most, that only show which memory threads share, before the one that is recorded.
const MOST_REHEARSALS: u32 = 4;

/// A recorded execution.
#[derive(Debug)]
pub struct RecordedRun {
    /// The exploration.
    pub exploration: Exploration,
    /// How a native run would have ended so.
    pub end: ProcessEnd,
    /// The records of its threads, as far as they have not been put away.
    pub threads: Vec<ThreadProfile>,
    /// Its output to standard error.
    pub standard_error: Vec<u8>,
    /// Why recording stopped before the execution did, if it did.
    pub stopped: Option<io::Error>,
}

/// Runs the program once, as [`run_once`](crate::run_once) does, and records its paths; what
/// of the logs is not in what is returned has gone to `stream`. With a seed threads also
/// change at accesses to memory that they share, which runs without a record show before. The
/// machine must [record paths](symx_interp::machine::Options::records_paths).
#[expect(clippy::too_many_arguments, reason = "those of run_once, and what is recorded where")]
pub fn record_once<'m, E: Environment, S: Read + Write + Seek>(
    machine: &'m Machine<E>,
    new_solver: &dyn Fn() -> Box<dyn Solver + 'm>,
    seed: Option<u64>,
    recording: RecordingOptions,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    watch: &mut dyn FnMut(&State<E>),
    stream: &mut ProfileStream<S>,
) -> RecordedRun {
    let new_executor = || Executor::new(machine, new_solver());
    let visible = seed.map(|_| shared_memory(&new_executor, seed, options, observer));
    let mut executor = new_executor();
    executor.visible = visible;
    executor.notes.recorder = Some(Box::new(PathRecorder::new(&machine.program, recording)));
    let SingleRun { exploration, state } =
        run(&mut executor, seed, options, observer, &mut |executor, state, agent| {
            if let (Some(recorder), Some(agent)) = (&mut executor.notes.recorder, agent) {
                recorder.put_away(agent.thread(), stream);
            }
            watch(state);
        });
    let end = match &state.end {
        Some(End::Exit(exit)) => ProcessEnd::Exited(i32::from(exit.status)),
        Some(End::Failed(failure)) => native_end(failure),
        None if exploration.incomplete.iter().any(|cut| cut.reason == IncompleteReason::MaxTime) => {
            ProcessEnd::TimedOut
        }
        None => ProcessEnd::Unknown,
    };
    let recorder = executor.notes.recorder.take().expect("only this takes it");
    let (mut threads, stopped) = recorder.finish();
    if let ProcessEnd::Signalled { signal, thread: Some(name) } = &end {
        let failed = threads.iter_mut().find(|thread| thread.name == *name);
        failed.into_iter().for_each(|thread| thread.signal = Some(*signal as u32));
    }
    let standard_error = machine.environment.standard_error(&state.data).bytes;
    RecordedRun { exploration, end, threads, standard_error, stopped }
}

/// The memory that threads share, as far as random executions from the same seed show.
fn shared_memory<'m, E: Environment>(
    new_executor: &dyn Fn() -> Executor<'m, E>,
    seed: Option<u64>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Sites {
    let mut shared = Sites::default();
    for _ in 0..MOST_REHEARSALS {
        let mut executor = new_executor();
        executor.visible = Some(Arc::clone(&shared));
        let SingleRun { state, .. } = run(&mut executor, seed, options, observer, &mut |_, _, _| {});
        if state.discovered.is_empty() {
            break;
        }
        Arc::make_mut(&mut shared).extend(state.discovered.iter().copied());
    }
    shared
}

/// How a native process ends that fails so. A failure after which it would go on leaves its end unknown.
fn native_end(failure: &Failure) -> ProcessEnd {
    const ABORTED: i32 = 6;
    const ARITHMETIC: i32 = 8;
    const SEGMENTATION: i32 = 11;
    let signal = match failure.kind.check().natively {
        Natively::Aborts => ABORTED,
        Natively::Faults if failure.detail == FailureDetail::DoubleFree => ABORTED,
        Natively::Faults => SEGMENTATION,
        Natively::Miscalculates => ARITHMETIC,
        Natively::Hangs => return ProcessEnd::TimedOut,
        Natively::Unknown => return ProcessEnd::Unknown,
    };
    ProcessEnd::Signalled { signal, thread: Some(failure.thread.to_string()) }
}

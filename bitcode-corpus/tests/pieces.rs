//! Explorations that are ended at each step and resumed: together they equal an uninterrupted one.

mod linked;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use symx::harness::compile_bitcode;
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::cache;
use symx_expr::Terms;
use symx_expr::solver::{Solver, Z3Options, standard};
use symx_interp::{Machine, Options};
use symx_posix_explore::{
    BoundKind, Exploration, ExploreOptions, Help, Observer, Outcome, PathOrder, Progress, Reduction, Saved,
    Search, explore,
};
use symx_posix_model::{Posix, PosixOptions};
use symx_trace::IncompleteReason;

/// Two threads that add each other's number to their own, ROUNDS times.
const SUMS: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    static atomic_int i = 1, j = 1;\n\
    static void add(atomic_int *mine, atomic_int *other) {\n\
        int sum = atomic_load(mine) + atomic_load(other);\n        atomic_store(mine, sum);\n}\n\
    static void *first(void *unused) { for (int k = 0; k < ROUNDS; k++) add(&i, &j); return unused; }\n\
    static void *second(void *unused) { for (int k = 0; k < ROUNDS; k++) add(&j, &i); return unused; }\n\
    int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, NULL, first, NULL);\n\
        pthread_create(&two, NULL, second, NULL);\n    pthread_join(one, NULL);\n    pthread_join(two, NULL);\n\
        printf(\"%d %d\\n\", i, j);\n    return 0;\n}\n";

/// Two threads either of which fails in some executions, both in others; the one that waits is in a loop.
const FAILURES: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int x, y, done;\n\
    static void *writes(void *unused) {\n    atomic_store(&x, 1);\n    assert(atomic_load(&y) != 2);\n\
        atomic_store(&x, 2);\n    atomic_store(&done, 1);\n    return unused;\n}\n\
    static void *reads(void *unused) {\n    atomic_store(&y, 1);\n    assert(atomic_load(&x) != 1);\n\
        atomic_store(&y, 2);\n    assert(atomic_load(&x) != 2);\n    while (!atomic_load(&done)) { }\n    return unused;\n}\n\
    int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, NULL, writes, NULL);\n\
        pthread_create(&two, NULL, reads, NULL);\n    pthread_join(one, NULL);\n    pthread_join(two, NULL);\n\
        return 0;\n}\n";

/// Locks, one that spins, sleepers, and an assertion that fails in some orders.
const LOCKS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_flag spin = ATOMIC_FLAG_INIT;\nstatic pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
    static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;\nstatic int x, y;\n\
    static void *work(void *unused) {\n    while (atomic_flag_test_and_set(&spin)) { }\n    x++;\n\
        atomic_flag_clear(&spin);\n    pthread_mutex_lock(&mutex);\n    y += x;\n    pthread_cond_signal(&changed);\n\
        pthread_mutex_unlock(&mutex);\n    assert(y < 4);\n    return unused;\n}\n\
    int main(void) {\n    pthread_t threads[2];\n\
        for (int k = 0; k < 2; k++) pthread_create(&threads[k], NULL, work, NULL);\n\
        pthread_mutex_lock(&mutex);\n    while (y < 2) pthread_cond_wait(&changed, &mutex);\n\
        pthread_mutex_unlock(&mutex);\n\
        for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);\n    return 0;\n}\n";

fn machine(text: &str, model: &str) -> Machine<Posix> {
    let place = tempfile::tempdir().expect("a folder");
    let source = place.path().join("it.c");
    std::fs::write(&source, text).expect("a file");
    let bitcode = compile_bitcode(&source, &[], &cache()).expect("it compiles");
    let module = linked::module(&bitcode, &LoadOptions::default());
    let program = linked::link(module, &linked::library());
    let posix = Posix::new(PosixOptions { arguments: vec![b"it".to_vec()], ..PosixOptions::default() });
    let model = symx_memmodel::by_name(model).expect("there is one");
    Machine::new(program, posix, model, Arc::new(Terms::new()), Options::default())
}

/// Ends an exploration after this many steps of one worker.
struct Ending {
    left: u64,
}

impl Observer for Ending {
    fn progress(&mut self, _: &Progress) -> Option<IncompleteReason> {
        self.left = self.left.saturating_sub(1);
        (self.left == 0).then_some(IncompleteReason::MaxTime)
    }

    fn steps_between(&self) -> u32 {
        1
    }
}

/// The findings of pieces so far.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Sum {
    executions: u64,
    blocked: u64,
    outcomes: BTreeMap<Outcome, u64>,
    failures: BTreeSet<String>,
    cuts: BTreeSet<String>,
}

impl Sum {
    fn add(&mut self, piece: &Exploration) {
        if piece.begun_anew {
            (self.executions, self.blocked, self.outcomes) = Default::default();
        }
        self.executions += piece.progress.executions;
        self.blocked += piece.progress.blocked;
        for (outcome, executions) in &piece.outcomes {
            *self.outcomes.entry(outcome.clone()).or_default() += executions;
        }
        let place = |found: &symx_posix_explore::Found| format!("{:?}", found.failure.location);
        self.failures.extend(piece.failures.iter().map(place));
        // Each piece of an iterative search names the bound that was completed.
        let is_lasting =
            |reason: IncompleteReason| !reason.ends_exploration() && reason != IncompleteReason::Preemptions;
        let cuts = piece.incomplete.iter().filter(|cut| is_lasting(cut.reason));
        self.cuts.extend(cuts.map(|cut| format!("{cut:?}")));
    }
}

struct Pieces {
    machine: Machine<Posix>,
    reduction: Reduction,
    search: Search,
}

impl Pieces {
    fn new(text: &str, model: &str, reduction: Reduction) -> Self {
        Self { machine: machine(text, model), reduction, search: Search::Exhaustive }
    }

    /// Adds the results of `steps` steps of one of the workers to a sum. Returns what is left then, as a file
    /// would keep it.
    fn go_on(&self, saved: Option<Arc<Saved>>, steps: u64, jobs: usize, sum: &mut Sum) -> Option<Arc<Saved>> {
        let make =
            || -> Box<dyn Solver + '_> { Box::new(standard(&self.machine.terms, Z3Options::default())) };
        let help = Help { jobs, solver: &make };
        let options = ExploreOptions {
            reduction: self.reduction,
            search: self.search,
            keep_going: true,
            resume: saved,
            ..ExploreOptions::default()
        };
        let piece = explore(&self.machine, make(), &help, &options, &mut Ending { left: steps });
        sum.add(&piece);
        let was_ended = piece.incomplete.iter().any(|cut| cut.reason.ends_exploration());
        assert_eq!(was_ended, piece.saved.is_some());
        piece.saved.map(|saved| {
            let text = serde_json::to_string(&*saved).expect("it can be written");
            let read: Saved = serde_json::from_str(&text).expect("it can be read");
            assert!(read.is_sound());
            Arc::new(read)
        })
    }

    fn whole(&self) -> Sum {
        let mut whole = Sum::default();
        assert!(self.go_on(None, u64::MAX, 1, &mut whole).is_none());
        whole
    }
}

/// The first piece is ended at each step, or at each `stride`-th. The second one is ended while it goes
/// through the first one's choices again, or soon after. `told` is the part of a sum that is to be the same.
fn is_ended<T: PartialEq + std::fmt::Debug>(
    text: &str,
    model: &str,
    stride: usize,
    told: impl Fn(&Sum) -> T,
) {
    for reduction in [Reduction::ReadsFrom, Reduction::SourceSets] {
        let pieces = Pieces::new(text, model, reduction);
        pieces.are_ended(&format!("{model}, {reduction:?}: {text}"), stride, &told);
    }
}

/// As [`is_ended`], in an order of paths other than depth first.
fn is_ended_in_order(text: &str, order: PathOrder, stride: usize) {
    let search = Search::Paths(order);
    let pieces = Pieces { search, ..Pieces::new(text, "sc", Reduction::ReadsFrom) };
    pieces.are_ended(&format!("{order:?}: {text}"), stride, &Sum::clone);
}

impl Pieces {
    fn are_ended<T: PartialEq + std::fmt::Debug>(
        &self,
        name: &str,
        stride: usize,
        told: &impl Fn(&Sum) -> T,
    ) {
        let whole = self.whole();
        assert!(whole.executions > 2, "{whole:?}");
        for first in (1..).step_by(stride) {
            let mut sum = Sum::default();
            let Some(left) = self.go_on(None, first, 1, &mut sum) else { break };
            let left = self.go_on(Some(left), first % 61 + 1, 1, &mut sum);
            if left.is_some() {
                assert!(self.go_on(left, u64::MAX, 1, &mut sum).is_none());
            }
            assert_eq!(told(&sum), told(&whole), "ended at {first}, {name}");
        }
    }
}

#[test]
fn sums_are_ended_at_each_step() {
    is_ended(&SUMS.replace("ROUNDS", "2"), "sc", 1, Sum::clone);
}

#[test]
fn sums_of_late_stores_are_ended_at_each_step() {
    is_ended(&SUMS.replace("ROUNDS", "1"), "pso", 1, Sum::clone);
}

#[test]
fn sums_of_old_stores_are_ended_at_each_step() {
    is_ended(&SUMS.replace("ROUNDS", "1"), "weak", 1, Sum::clone);
}

#[test]
fn failures_are_ended_at_each_step() {
    is_ended(FAILURES, "sc", 1, Sum::clone);
}

#[test]
fn late_failures_are_ended_here_and_there() {
    is_ended(FAILURES, "pso", 7, Sum::clone);
}

#[test]
fn locks_are_ended_here_and_there() {
    // How soon a round of the spinning lock is known as one depends on the steps that the process has seen
    // before. So the counts do.
    is_ended(LOCKS, "sc", 17, |sum| {
        (sum.outcomes.keys().cloned().collect::<Vec<_>>(), sum.failures.clone(), sum.cuts.clone())
    });
}

/// Forks before there is a second thread, and on some of the paths a second thread, with forks of its own.
const FORKS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    #include <symx.h>\nstatic atomic_int x;\nstatic unsigned char input[3];\nstatic int sum;\n\
    static __attribute__((noinline)) void add(int number) { sum += number; }\n\
    static void *work(void *unused) { x = 1; if (input[2] > 7) x = 2; return unused; }\n\
    int main(void) {\n    symx_make_symbolic(input, sizeof input, \"input\");\n\
        for (int k = 0; k < 2; k++) { if (input[k] > 100) add(1); else if (input[k] == 3) add(10); }\n\
        if (sum % 10 == 1) {\n        pthread_t thread;\n        pthread_create(&thread, NULL, work, NULL);\n\
            if (input[2] == 9) assert(x != 2);\n        add(100 * x);\n        pthread_join(thread, NULL);\n    }\n\
        printf(\"%d\\n\", sum);\n    return 0;\n}\n";

#[test]
fn paths_in_another_order_are_ended_here_and_there() {
    for order in [PathOrder::BreadthFirst, PathOrder::RandomPath, PathOrder::Coverage] {
        is_ended_in_order(FORKS, order, 3);
        is_ended_in_order(FAILURES, order, 29);
    }
}

#[test]
fn growing_bounds_are_ended_here_and_there() {
    let search = Search::Iterative(BoundKind::Preemptions);
    // Without reduction there are many steps.
    for (text, stride) in [(SUMS.replace("ROUNDS", "1"), 389), (FAILURES.to_owned(), 7919)] {
        let pieces = Pieces { search, ..Pieces::new(&text, "sc", Reduction::SourceSets) };
        pieces.are_ended(&format!("growing bounds: {text}"), stride, &Sum::clone);
    }
}

impl Pieces {
    /// Ended again and again, each piece with one of these numbers of workers in turn.
    fn are_ended_with(&self, jobs: &[usize], least: u64, whole: &Sum) {
        let (mut sum, mut left, mut steps) = (Sum::default(), None, least);
        for jobs in jobs.iter().cycle() {
            left = self.go_on(left, steps, *jobs, &mut sum);
            if left.is_none() {
                break;
            }
            steps += steps / 2 + 1;
        }
        assert_eq!(sum, *whole, "{jobs:?} workers, pieces from {least} steps on");
    }
}

/// There are fewer paths than workers at first, so some have nothing when the piece ends. Some pieces
/// have one worker only.
#[test]
fn several_workers_are_ended_again_and_again() {
    let pieces = Pieces::new(&SUMS.replace("ROUNDS", "3"), "sc", Reduction::ReadsFrom);
    let whole = pieces.whole();
    assert!(whole.executions > 100, "{whole:?}");
    for jobs in [&[4][..], &[3, 1]] {
        for least in (1..400).step_by(13) {
            pieces.are_ended_with(jobs, least, &whole);
        }
    }
}

/// A fork, whose inputs decide what the threads after it do, and choices of loads.
const FORKS_AND_SUMS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <symx.h>\n\
    static atomic_int i, j;\nstatic unsigned char input[4];\n\
    static void *first(void *unused) { i = 1; if (j && input[0] > 9) i = 2; return unused; }\n\
    static void *second(void *unused) { j = 1; if (i == 2 && input[1] == 3) j = 5; assert(i != 2 || input[2] != 9);\n\
        return unused; }\n\
    int main(void) {\n    symx_make_symbolic(input, sizeof input, \"input\");\n\
        for (int k = 0; k < 4; k++) if (input[k] > 4) i = 7; else if (input[k] == 3) j = 3;\n\
        pthread_t one, two;\n\
        pthread_create(&one, NULL, first, NULL);\n    pthread_create(&two, NULL, second, NULL);\n\
        pthread_join(one, NULL);\n    pthread_join(two, NULL);\n    printf(\"%d %d\\n\", i, j);\n    return 0;\n}\n";

#[test]
fn several_workers_at_source_sets_are_ended_again_and_again() {
    for text in [&*SUMS.replace("ROUNDS", "2"), FORKS_AND_SUMS] {
        let pieces = Pieces::new(text, "weak", Reduction::SourceSets);
        let whole = pieces.whole();
        assert!(whole.executions > 100, "{whole:?}");
        pieces.are_ended_with(&[4], u64::MAX, &whole);
        for jobs in [&[2][..], &[3, 1]] {
            for least in (1..2_000).step_by(401) {
                pieces.are_ended_with(jobs, least, &whole);
            }
        }
    }
}

//! An iterative search counts each execution once, says no more than it knows, and finds a failure within the
//! least bound that shows it.

use crate::sums::{Patient, first_model, machine, solver, sums};
use std::sync::Arc;
use symx_interp::{Machine, Options};
use symx_posix_explore::{
    BoundKind, Exploration, ExploreOptions, Help, Observer, Progress, Saved, ScheduleBound, Search, explore,
    explore_all,
};
use symx_posix_model::Posix;
use symx_trace::IncompleteReason;

const KINDS: [BoundKind; 2] = [BoundKind::Preemptions, BoundKind::Delays];

/// A reader that fails if it sees a variable change. The writer has to take its step between the two looks:
/// main waits for both, so the reader may begin without preemption and is preempted once.
const CHANGING: &str = "@x = global i32 0
    define ptr @write(ptr %unused) {
      store atomic i32 1, ptr @x seq_cst, align 4
      ret ptr null
    }
    define ptr @read(ptr %unused) {
      %first = load atomic i32, ptr @x seq_cst, align 4
      %second = load atomic i32, ptr @x seq_cst, align 4
      %same = icmp eq i32 %first, %second
      br i1 %same, label %end, label %differs
    differs:
      store i32 0, ptr null
      br label %end
    end:
      ret ptr null
    }
    define i32 @main() {
      %one = alloca i64
      %two = alloca i64
      %m1 = call i32 @pthread_create(ptr %one, ptr null, ptr @write, ptr null)
      %m2 = call i32 @pthread_create(ptr %two, ptr null, ptr @read, ptr null)
      %h1 = load i64, ptr %one
      %j1 = call i32 @pthread_join(i64 %h1, ptr null)
      %h2 = load i64, ptr %two
      %j2 = call i32 @pthread_join(i64 %h2, ptr null)
      ret i32 0
    }
    declare i32 @pthread_create(ptr, ptr, ptr, ptr)
    declare i32 @pthread_join(i64, ptr)";

/// Notes the greatest bound at work, and ends the exploration after a number of steps within that bound.
struct Watching {
    greatest: Option<ScheduleBound>,
    end: Option<(ScheduleBound, u32)>,
}

impl Observer for Watching {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        self.greatest = progress.bound;
        let (_, left) = self.end.as_mut().filter(|(end, _)| Some(*end) == progress.bound)?;
        *left = left.saturating_sub(1);
        (*left == 0).then_some(IncompleteReason::MaxTime)
    }

    fn steps_between(&self) -> u32 {
        1
    }
}

fn options(kind: BoundKind, last: Option<u32>) -> ExploreOptions {
    ExploreOptions {
        search: Search::Iterative(kind),
        bound: last.map(|most| kind.at_most(most)),
        keep_going: true,
        ..ExploreOptions::default()
    }
}

fn iterated(machine: &Machine<Posix>, options: &ExploreOptions, observer: &mut dyn Observer) -> Exploration {
    let help = Help { jobs: 1, solver: &|| solver(machine) };
    explore(machine, solver(machine), &help, options, observer)
}

/// Compares counts, and the reasons for being incomplete.
fn assert_same(iterated: &Exploration, alone: &Exploration, what: &str) {
    assert_eq!(iterated.outcomes, alone.outcomes, "{what}");
    assert_eq!(iterated.progress.executions, alone.progress.executions, "{what}");
    assert_eq!(iterated.progress.blocked, alone.progress.blocked, "{what}");
    assert_eq!(iterated.incomplete, alone.incomplete, "{what}");
}

#[test]
fn each_execution_is_counted_once() {
    // Memory that is found to be shared within some bound has all executions counted again.
    for (times, lasts) in [(1, &[Some(0), Some(1), Some(3), None][..]), (2, &[Some(0), Some(1), Some(2)])] {
        let machine = machine(&sums(times), first_model(), Options::default());
        for kind in KINDS {
            for last in lasts {
                let bound = Some(kind.at_most(last.unwrap_or(u32::MAX)));
                let at_once = ExploreOptions { bound, keep_going: true, ..ExploreOptions::default() };
                let alone = explore_all(&machine, solver(&machine), &at_once, &mut Patient);
                let together = iterated(&machine, &options(kind, *last), &mut Patient);
                let what = format!("{kind:?}, {last:?}, {times}: {}", alone.progress.executions);
                println!("{what}");
                assert_eq!(alone.incomplete.is_empty(), last.is_none(), "{what}");
                assert_same(&together, &alone, &what);
                assert!(together.saved.is_none(), "{what}");
            }
        }
    }
}

#[test]
fn a_failure_is_found_within_the_least_bound_that_shows_it() {
    let machine = machine(CHANGING, first_model(), Options::default());
    let first = ExploreOptions { keep_going: false, ..options(BoundKind::Preemptions, None) };
    let mut watching = Watching { greatest: None, end: None };
    let found = iterated(&machine, &first, &mut watching);
    assert_eq!(found.failures.len(), 1);
    assert_eq!(watching.greatest, Some(ScheduleBound::Preemptions(1)));
    // It stays found while others are looked for, and is found once.
    let all = iterated(&machine, &options(BoundKind::Preemptions, None), &mut Patient);
    assert_eq!((all.failures.len(), all.incomplete.len()), (1, 0));
    let none = iterated(&machine, &options(BoundKind::Preemptions, Some(0)), &mut Patient);
    assert!(none.failures.is_empty());
    let reasons: Vec<IncompleteReason> = none.incomplete.iter().map(|cut| cut.reason).collect();
    assert_eq!(reasons, [IncompleteReason::Preemptions]);
}

#[test]
fn an_end_from_outside_names_the_bound_that_was_completed() {
    let machine = machine(&sums(1), first_model(), Options::default());
    for (at, says) in [
        (0, "not all schedules with no preemptions were explored"),
        (1, "all schedules with no preemptions were explored"),
        (2, "all schedules with at most 1 preemption were explored"),
    ] {
        let mut watching = Watching { greatest: None, end: Some((ScheduleBound::Preemptions(at), 3)) };
        let ended = iterated(&machine, &options(BoundKind::Preemptions, None), &mut watching);
        let cuts: Vec<(IncompleteReason, &str)> =
            ended.incomplete.iter().map(|cut| (cut.reason, cut.what.as_str())).collect();
        assert_eq!(cuts, [(IncompleteReason::MaxTime, ""), (IncompleteReason::Preemptions, says)]);
        assert!(ended.saved.is_some_and(|saved| saved.is_sound()));
    }
}

#[test]
fn executions_are_bounded_altogether() {
    let machine = machine(&sums(1), first_model(), Options::default());
    let whole = iterated(&machine, &options(BoundKind::Delays, None), &mut Patient);
    for most in [1, 2, 5, 9] {
        let mut limited = options(BoundKind::Delays, None);
        limited.max_executions = Some(most);
        let (mut executions, mut pieces) = (0, 0);
        loop {
            let piece = iterated(&machine, &limited, &mut Patient);
            if pieces > 0 && piece.begun_anew {
                executions = 0;
            }
            executions += piece.progress.executions;
            pieces += 1;
            assert!(piece.progress.executions <= most, "{}", piece.progress.executions);
            let Some(saved) = piece.saved else { break };
            assert!(piece.incomplete.iter().any(|cut| cut.reason == IncompleteReason::MaxExecutions));
            let bytes = postcard::to_stdvec(&*saved).expect("it can be written");
            let read: Saved = postcard::from_bytes(&bytes).expect("it can be read");
            limited.resume = Some(Arc::new(read));
        }
        assert_eq!(executions, whole.progress.executions, "{most} at a time: {pieces} pieces");
    }
}

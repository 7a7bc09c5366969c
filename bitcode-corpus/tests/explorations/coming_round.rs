//! Where no end is reached: a thread that looks in vain is in a livelock, threads that all change things are
//! not, and no walk contradicts itself.

use crate::sums::{first_model, machine, solver};
use symx_interp::{Machine, Options};
use symx_posix_explore::{
    Beyond, Exploration, ExploreOptions, FixedSchedule, Observer, Progress, Reduction, explore_all, replay,
};
use symx_posix_model::Posix;
use symx_trace::{FailureKind, IncompleteReason};

/// A thread that adds to a number and subtracts again, and one that looks for five.
const CHANGING: &str = "@x = global i32 0
    define ptr @change(ptr %unused) {
      br label %round
    round:
      %a = atomicrmw add ptr @x, i32 1 seq_cst
      %b = atomicrmw sub ptr @x, i32 1 seq_cst
      br label %round
    }
    define ptr @look(ptr %unused) {
      br label %round
    round:
      %x = load atomic i32, ptr @x seq_cst, align 4
      %comes = icmp eq i32 %x, 5
      br i1 %comes, label %end, label %round
    end:
      ret ptr null
    }";

/// Threads that exchange a number for their own. One looks between.
const EXCHANGING: &str = "@x = global i32 0
    define ptr @three(ptr %unused) {
      br label %round
    round:
      %a = atomicrmw xchg ptr @x, i32 3 seq_cst
      br label %round
    }
    define ptr @one(ptr %unused) {
      br label %round
    round:
      %a = atomicrmw xchg ptr @x, i32 1 seq_cst
      %b = load atomic i32, ptr @x seq_cst, align 4
      br label %round
    }";

/// Ends an exploration after this many visible steps: it may have no end.
struct Impatient(u64);

impl Observer for Impatient {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        (progress.events > self.0).then_some(IncompleteReason::MaxTime)
    }
}

/// A program of two threads.
fn two(functions: &str, threads: [&str; 2]) -> Machine<Posix> {
    two_with(functions, threads, Options::default())
}

fn two_with(functions: &str, [one, other]: [&str; 2], options: Options) -> Machine<Posix> {
    let text = format!(
        "{functions}
        define i32 @main() {{
          %one = alloca i64
          %two = alloca i64
          %m1 = call i32 @pthread_create(ptr %one, ptr null, ptr @{one}, ptr null)
          %m2 = call i32 @pthread_create(ptr %two, ptr null, ptr @{other}, ptr null)
          %h1 = load i64, ptr %one
          %j1 = call i32 @pthread_join(i64 %h1, ptr null)
          %h2 = load i64, ptr %two
          %j2 = call i32 @pthread_join(i64 %h2, ptr null)
          ret i32 0
        }}
        declare i32 @pthread_create(ptr, ptr, ptr, ptr)
        declare i32 @pthread_join(i64, ptr)"
    );
    machine(&text, first_model(), options)
}

fn explored(machine: &Machine<Posix>, options: &ExploreOptions) -> Exploration {
    explore_all(machine, solver(machine), options, &mut Impatient(40_000))
}

#[test]
fn a_thread_that_looks_in_vain_beside_others_is_in_a_livelock() {
    for (reduction, keep_going, races) in [
        (Reduction::States, false, false),
        (Reduction::States, true, false),
        (Reduction::ReadsFrom, false, false),
        (Reduction::ReadsFrom, false, true),
        (Reduction::SourceSets, false, false),
    ] {
        let machine = two_with(CHANGING, ["change", "look"], Options { races, ..Options::default() });
        let options = ExploreOptions { reduction, keep_going, ..ExploreOptions::default() };
        let explored = explored(&machine, &options);
        assert!(explored.incomplete.is_empty(), "{:?}", explored.incomplete);
        let [found] = &explored.failures[..] else { panic!("{:?}", explored.failures) };
        assert_eq!(found.failure.kind, FailureKind::Livelock);
        assert!(found.failure.message.starts_with("livelock: T2"), "{}", found.failure.message);
        let schedule =
            FixedSchedule { visible: found.visible.as_deref(), decisions: &found.decisions, expected: None };
        let again = replay(&machine, solver(&machine), schedule, &options);
        let failure = again.failure().unwrap_or_else(|| panic!("{:?}", again.divergence));
        assert!(failure.same_fault(&found.failure), "{failure:?}");
    }
}

#[test]
fn threads_that_all_change_things_may_run_forever() {
    let options = ExploreOptions { reduction: Reduction::States, ..ExploreOptions::default() };
    let explored = explored(&two(CHANGING, ["change", "change"]), &options);
    assert!(explored.failures.is_empty(), "{:?}", explored.failures);
    assert!(!explored.incomplete.is_empty());
}

#[test]
fn a_thread_on_the_way_of_a_plan_goes_on_as_it_did() {
    let options =
        ExploreOptions { reduction: Reduction::ReadsFrom, keep_going: true, ..ExploreOptions::default() };
    let explored = explored(&two(EXCHANGING, ["three", "one"]), &options);
    assert!(!matches!(explored.beyond, Some(Beyond::Contradiction(_))), "{:?}", explored.beyond);
}

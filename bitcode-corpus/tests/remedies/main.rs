//! Explanations of every failure of the corpus that takes several threads, under the first model that shows
//! it. A suggested fix is safe, or it is known why not. One test a program. Run alone, all of them print
//! the figures of `docs/explanations.md`. Claims of each explanation about all executions are checked against
//! executions in random orders (`causes`).

mod causes;

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use symx::harness::{Case, Symx, cases};
use symx_bitcode_corpus::{cache, explain, fails_in_threads, folder};
use symx_trace::Explanation;
use symx_trace::explanation::{Dependence, Remedy, Trial as Tried};

/// Time limit of finding and of explaining a failure, each, in seconds.
const MAX_TIME: u32 = 60;

/// The outcome of explaining a failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// A fix is safe, alone or with the others.
    Safe,
    /// There is an execution to compare with, and no fix is safe; the report says why.
    NotSafe,
    /// It fails in every order, whatever the inputs.
    Always,
    /// It fails in every order with its inputs.
    ByInputs,
    /// It fails in every order, in one way or another.
    OneOrOther,
    /// No execution to compare with is known, nor that there is none.
    Unknown,
}

/// Programs whose fixes cannot be tried in that time: threads of Rust's standard library have a hundred steps
/// each.
const TOO_LARGE: &[&str] = &["fail/rust/lost_update"];

/// The programs of which no fix is safe.
const OTHERWISE: &[(&str, Outcome)] = &[
    // The block waits inside for a condition; looking again in a loop is advised, not tried.
    ("explained/bounded_buffer", Outcome::NotSafe),
    // To signal under the lock is advised, not tried.
    ("explained/cxx/connection_pool", Outcome::NotSafe),
    // The value polled in atomic sections is set too late, or not at all, whatever the order of two steps.
    ("fail/atomic_section_without_end", Outcome::NotSafe),
    ("fail/atomic_sections_asked_for_ever", Outcome::NotSafe),
    // The signal has to be blocked between the two stores; no fix of that kind is suggested.
    ("fail/handler_between_private_stores", Outcome::NotSafe),
    // It takes a thread more for the last round.
    ("fail/barrier_round_without_partner", Outcome::NotSafe),
    // Two assertions contradict each other.
    ("fail/assumed_after_a_store", Outcome::NotSafe),
    // Either thread fails whatever the order; only which one comes first is open.
    ("fail/both_fail_behind_a_post", Outcome::OneOrOther),
    // Only after 2^31 rounds of a loop does it not fail.
    ("fail/behind_a_loop_that_counts", Outcome::Unknown),
    // Whichever thread is first, a thread fails: in one way or the other.
    ("fail/begun_before_a_failure", Outcome::OneOrOther),
    ("fail/behind_a_barrier_of_its_own", Outcome::Always),
    ("fail/cond_wait_recursive_held_twice", Outcome::Always),
    ("fail/cond_wait_two_mutexes", Outcome::Always),
    ("fail/cxx/thread_assigned_to_before_it_is_joined", Outcome::Always),
    ("fail/cxx/thread_not_joined", Outcome::Always),
    ("fail/deadlock_barrier", Outcome::Always),
    ("fail/deadlock_barrier_too_few", Outcome::Always),
    ("fail/deadlock_forgotten_unlock", Outcome::Always),
    ("fail/deadlock_mutex_and_join", Outcome::Always),
    ("fail/deadlock_rwlock_two_upgrades", Outcome::Always),
    ("fail/deadlock_rwlock_upgrade", Outcome::Always),
    ("fail/deadlock_semaphore_set", Outcome::Always),
    ("fail/destroy_locked_mutex", Outcome::Always),
    ("fail/destroy_waited_barrier", Outcome::NotSafe),
    ("fail/destroy_waited_condition", Outcome::NotSafe),
    ("fail/destroy_waited_semaphore", Outcome::Always),
    ("fail/detach_after_join", Outcome::Always),
    ("fail/detach_twice", Outcome::Always),
    // Either thread frees the block for the second time.
    ("fail/double_free_in_either_order", Outcome::OneOrOther),
    ("fail/double_free_other_thread", Outcome::Always),
    ("fail/exit_holding_lock", Outcome::Always),
    // Two assertions contradict each other: no execution passes, but not all fail in one way.
    ("fail/found_before_others_begin", Outcome::OneOrOther),
    // The fix must also release the mutex, which the report says after the join that it suggests.
    ("fail/freed_by_who_exits", Outcome::NotSafe),
    // To release the lock is advised, not tried.
    ("fail/held_lock_if_early", Outcome::NotSafe),
    ("fail/held_lock_of_readers", Outcome::Always),
    ("fail/independent_descriptors", Outcome::Always),
    ("fail/init_waited_barrier", Outcome::NotSafe),
    ("fail/init_waited_condition", Outcome::NotSafe),
    ("fail/join_detached", Outcome::Always),
    ("fail/join_twice", Outcome::Always),
    ("fail/rust/panic_in_thread", Outcome::Always),
    ("fail/rust/panic_with_a_quiet_hook", Outcome::Always),
    // The number waited for has to come last, or to be another one; no fix orders two writes that none reads.
    ("fail/livelock_by_last_write", Outcome::NotSafe),
    ("fail/livelock_after_a_section", Outcome::Always),
    ("fail/livelock_asking_a_lock", Outcome::Always),
    ("fail/livelock_changing_its_own_number", Outcome::Always),
    ("fail/livelock_flag_never_set", Outcome::Always),
    ("fail/livelock_for_one_input", Outcome::ByInputs),
    ("fail/livelock_in_usleep", Outcome::Always),
    ("fail/livelock_lock_of_a_thread_that_ended", Outcome::Always),
    ("fail/livelock_sleeping", Outcome::Always),
    ("fail/livelock_trylock_of_own_mutex", Outcome::Always),
    ("fail/spin_unlock_not_owner", Outcome::Always),
    // Whichever thread is first, a thread fails: in one way or the other.
    ("fail/seen_before_a_failure", Outcome::OneOrOther),
    // To send the signal is advised, not tried.
    ("fail/no_signal_despite_spurious_wakeups", Outcome::NotSafe),
    // The process ends before its threads, so that no join is there to be moved.
    ("fail/outcome_beside_late_use", Outcome::NotSafe),
    // Looking again in a loop is advised, not tried.
    ("fail/spurious_wakeup", Outcome::NotSafe),
    ("fail/waits_by_a_clock", Outcome::NotSafe),
    ("fail/cxx/waits_for_a_while", Outcome::NotSafe),
    // To join or detach the thread is advised, not tried.
    ("fail/unfinished_thread_if_late", Outcome::NotSafe),
    ("fail/thread_leak", Outcome::NotSafe),
    ("fail/thread_leak_beside_the_end", Outcome::NotSafe),
    ("fail/thread_leak_if_late", Outcome::NotSafe),
    // Whichever consumer comes second sleeps forever.
    ("fail/two_consumers_one_item", Outcome::Always),
    // To free the object is advised, not tried.
    ("fail/leak_beside_the_end", Outcome::NotSafe),
    ("fail/thread_local_past_end", Outcome::Always),
    ("fail/unfinished_thread", Outcome::Always),
    ("fail/uninitialised_passed_to_thread", Outcome::Always),
    ("fail/unlock_not_owner", Outcome::Always),
    ("fail/what_if_join_round", Outcome::Always),
    ("fail/what_if_order_round", Outcome::Always),
    ("fail/unlocked_by_other_before_end", Outcome::OneOrOther),
    ("fail/unlocked_beside_private_store", Outcome::OneOrOther),
    // Either thread ends with its lock.
    ("fail/two_threads_exit_holding_locks", Outcome::OneOrOther),
    ("fail/update_in_failing_step", Outcome::Always),
];

fn main() -> ExitCode {
    if let Some(code) = symx::serve_as_child() {
        return code;
    }
    let arguments = Arguments::from_args();
    let mut cases = cases(folder()).expect("the corpus is beside this file");
    cases.retain(|case| !TOO_LARGE.contains(&case.name.as_str()));
    let mut sources: BTreeMap<_, Vec<Case>> = BTreeMap::new();
    for case in cases.into_iter().filter(fails_in_threads) {
        sources.entry(case.source.clone()).or_default().push(case);
    }
    assert!(sources.len() > 90, "only {} programs were found", sources.len());
    let outcomes: Arc<Mutex<BTreeMap<Outcome, Vec<String>>>> = Arc::default();
    let trials = sources.into_values().map(|models| {
        let outcomes = Arc::clone(&outcomes);
        Trial::test(models[0].name.replace('/', "::"), move || {
            let Some((name, outcome, told)) = first_failure(&models)? else { return Ok(()) };
            outcomes.lock().unwrap().entry(outcome).or_default().push(name.clone());
            let otherwise = OTHERWISE.iter().find(|(known, _)| *known == name);
            let expected = otherwise.map_or(Outcome::Safe, |(_, outcome)| *outcome);
            match outcome == expected {
                true => Ok(()),
                false => Err(format!("{outcome:?} instead of {expected:?}\n{told}").into()),
            }
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if !arguments.list {
        print_figures(&outcomes.lock().unwrap());
    }
    conclusion.exit_code()
}

/// How many programs have which outcome, and which of them have no fix that is safe.
fn print_figures(outcomes: &BTreeMap<Outcome, Vec<String>>) {
    println!("{} programs", outcomes.values().map(Vec::len).sum::<usize>());
    for (outcome, names) in outcomes {
        let which = if *outcome == Outcome::Safe { String::new() } else { format!(": {}", names.join(", ")) };
        println!("{outcome:?} {}{which}", names.len());
    }
}

/// The name of the program, the outcome of explaining its first failure, and the output. `None` if that has
/// one thread only.
fn first_failure(models: &[Case]) -> Result<Option<(String, Outcome, String)>, Failed> {
    let symx = Symx::new(env!("CARGO_BIN_EXE_symx-under-test"), MAX_TIME);
    let case = &models[0];
    let out = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (program, schedules) = case.failing_schedules(&symx, &cache(), out.path())?;
    let schedule = schedules.first().ok_or("it does not fail")?;
    let json = out.path().join("explanation.json");
    let told = explain(&symx, case, &program, schedule, &["--json", &json.display().to_string()])?;
    let text = std::fs::read_to_string(&json).map_err(|error| format!("{error}\n{told}"))?;
    let explanation = Explanation::from_json(&text).map_err(|error| error.to_string())?;
    let is_threaded = explanation.failing.threads.len() > 1;
    causes::hold(&explanation, &program, schedule, &case.source).map_err(|why| format!("{why}\n{told}"))?;
    Ok(is_threaded.then(|| (case.name.clone(), outcome(&explanation), told)))
}

fn outcome(explanation: &Explanation) -> Outcome {
    let helps = |remedy: &Remedy| matches!(remedy.trial(), Tried::Safe | Tried::SafeTogether);
    match explanation.dependence {
        Dependence::Nothing => Outcome::Always,
        Dependence::Inputs => Outcome::ByInputs,
        Dependence::WhichFailure => Outcome::OneOrOther,
        Dependence::Order if explanation.remedies.iter().any(helps) => Outcome::Safe,
        Dependence::Order if explanation.passing.is_some() => Outcome::NotSafe,
        Dependence::Order => Outcome::Unknown,
    }
}

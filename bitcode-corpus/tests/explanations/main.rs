//! Explanations of bugs of the corpus: causes, passing executions, fixes and their trials. Published bugs
//! are re-created in `explained/`. Those in `near/` depend on paths as well, and are found near runs that
//! pass.

mod names;
mod near;
mod published;
mod rust_names;

use std::process::Output;
use symx::harness::compile_bitcode;
use symx_bitcode_corpus::{cache, folder, output_of, said};
use symx_trace::explanation::{AtomicOrdering, Check, Dependence, Execution, Progress, Reach, Remedy, Trial};
use symx_trace::{Call, CallEffect, EventKind, Explanation, FailureKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    AtomicBlock,
    Order,
    Join,
    Fence,
    Access,
}

fn symx(arguments: &[&str]) -> Output {
    output_of(env!("CARGO_BIN_EXE_symx-under-test"), arguments)
}

/// Finds what fails in a program of the corpus under these options, and explains it.
fn explained(program: &str, options: &[&str]) -> (Explanation, String) {
    explained_as(program, &[], options)
}

/// The same of a program compiled with these flags.
fn explained_as(program: &str, flags: &[String], options: &[&str]) -> (Explanation, String) {
    explained_with(program, flags, options, &[])
}

/// The same, with options of the explanation as well.
fn explained_with(program: &str, flags: &[String], run: &[&str], explain: &[&str]) -> (Explanation, String) {
    let bitcode = compile_bitcode(&folder().join(program), flags, &cache()).unwrap().display().to_string();
    let out = tempfile::tempdir().unwrap();
    let out = out.path().display().to_string();
    let found = symx(&[&["run", "--no-explain", &bitcode, "--out", &out], run].concat());
    assert_eq!(found.status.code(), Some(1), "{program}: {}", said(&found));
    let (schedule, json) = (format!("{out}/failure-1.schedule.json"), format!("{out}/explanation.json"));
    // The machine may be busy.
    let options = ["explain", &bitcode, &schedule, "--json", &json, "--max-time", "120"];
    let explained = symx(&[&options, explain].concat());
    assert_eq!(explained.status.code(), Some(0), "{program}: {}", said(&explained));
    let explanation = Explanation::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap();
    (explanation, String::from_utf8_lossy(&explained.stdout).into_owned())
}

#[test]
fn every_kind_of_failure_has_a_passing_execution_and_a_remedy_that_is_safe() {
    let expected = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(expected.path(), "3\n").unwrap();
    let expects = ["--expect-stdout", &expected.path().display().to_string()];
    let kinds: [(FailureKind, &str, &[&str]); 7] = [
        (FailureKind::Assert, "fail/lost_update.c", &[]),
        (FailureKind::Memory, "explained/crasher.c", &[]),
        (FailureKind::Memory, "fail/free_while_in_use.c", &[]),
        (FailureKind::Deadlock, "explained/opposite_locks.c", &[]),
        (FailureKind::Livelock, "fail/livelock_setter_gives_up.c", &[]),
        (FailureKind::Output, "explained/wrong_output.c", &expects),
        (FailureKind::Output, "explained/wrong_output.c", &[expects[0], expects[1], "--memmodel", "tso"]),
    ];
    for (kind, program, options) in kinds {
        let (explanation, text) = explained(program, options);
        let failure = explanation.failing.failure.as_ref().expect("it fails");
        assert_eq!(failure.kind, kind, "{program}: {text}");
        let passing = explanation.passing.as_ref().unwrap_or_else(|| panic!("{program}: {text}"));
        assert!(passing.failure.is_none(), "{program}: {text}");
        assert!(!explanation.difference.failing_steps.is_empty(), "{program}: {text}");
        let is_safe = explanation.remedies.iter().any(|remedy| *remedy.trial() == Trial::Safe);
        assert!(is_safe, "{program}: {text}");
        assert!(!explanation.cause.orders.is_empty(), "{program}: {text}");
    }
}

#[test]
fn what_no_trace_expresses_has_a_cause_that_was_explored() {
    // The threads and lines of the orders. The first fix is tried with success.
    type Orders = &'static [[(&'static str, u32); 2]];
    let programs: [(&str, &[&str], Orders); 9] = [
        ("fail/livelock_setter_gives_up.c", &[], &[[("0", 24), ("0.2", 15)]]),
        (
            "fail/livelock_each_waits_for_the_other.c",
            &[],
            &[[("0.1", 11), ("0.2", 12)], [("0.2", 11), ("0.1", 12)]],
        ),
        ("fail/leak_if_late.c", &["--check", "leak"], &[[("0.2", 10), ("0.1", 12)]]),
        ("fail/mutex_destroyed_too_early.c", &[], &[[("0", 19), ("0.1", 11)]]),
        ("fail/init_too_late.c", &[], &[[("0.1", 7), ("0", 15)], [("0", 15), ("0.1", 8)]]),
        ("fail/join_twice_if_early.c", &[], &[[("0.2", 13), ("0", 14)]]),
        ("fail/unlock_if_raced.c", &[], &[[("0.1", 10), ("0", 19)], [("0", 19), ("0.1", 11)]]),
        ("fail/deadlock_message_not_sent.c", &[], &[[("0", 23), ("0.1", 12)]]),
        ("fail/futex_lost_wakeup.c", &[], &[[("0.1", 9), ("0", 16)]]),
    ];
    for (program, options, expected) in programs {
        let (explanation, text) = explained(program, options);
        let mut cause = orders(&explanation);
        cause.sort();
        let mut expected: Vec<_> =
            expected.iter().map(|order| order.map(|(thread, line)| (thread.to_string(), line))).collect();
        expected.sort();
        assert_eq!(cause, expected, "{program}: {text}");
        assert!(
            explanation.cause.is_minimal && explanation.cause.reach == Reach::Program,
            "{program}: {text}"
        );
        assert!(!explanation.difference.failing_steps.is_empty(), "{program}: {text}");
        assert_eq!(*explanation.remedies[0].trial(), Trial::Safe, "{program}: {text}");
    }
}

/// A thread that frees memory which a thread that it created still uses is to wait for that thread's end.
#[test]
fn a_join_is_suggested_before_memory_in_use_is_freed() {
    let program = "fail/freed_while_a_thread_may_look.c";
    let (explanation, text) = explained(program, &[]);
    let join = &explanation.remedies[0];
    assert_eq!((kind(join), join.trial()), (Kind::Join, &Trial::Safe), "{text}");
    let waits = &explanation.failing.steps[join.steps().1 as usize].location;
    let place = format!("{}:{}", waits.file, waits.line);
    assert_eq!(waits.line, 25, "{text}");
    assert!(text.contains(" has terminated: join it before"), "{text}");
    let tried =
        symx(&["run", &folder().join(program).display().to_string(), "--what-if", &format!("join:{place}")]);
    assert_eq!(tried.status.code(), Some(0), "{}", said(&tried));
    // Here the thread also keeps the mutex: the join is reported with the failure found after it.
    let (explanation, text) = explained("fail/freed_by_who_exits.c", &[]);
    let join = &explanation.remedies[0];
    let behind = matches!(join.trial(), Trial::Fails(how) if how.contains("ends while it holds the mutex"));
    assert!(kind(join) == Kind::Join && behind, "{text}");
}

/// The thread that is waited for needs the lock to terminate.
#[test]
fn a_free_under_a_lock_waits_before_the_lock_is_acquired() {
    let (explanation, text) = explained("fail/taken_away_under_a_lock.c", &[]);
    let join = &explanation.remedies[0];
    assert_eq!((kind(join), join.trial()), (Kind::Join, &Trial::Safe), "{text}");
    let waits = &explanation.failing.steps[join.steps().1 as usize];
    assert_eq!(
        (waits.location.line, waits.kind.clone()),
        (25, EventKind::Call(Call::new("pthread_mutex_lock", CallEffect::Lock))),
        "{text}"
    );
}

#[test]
fn waking_one_of_several_kinds_suggests_to_wake_all() {
    let (_, text) = explained("fail/deadlock_signal_wakes_the_wrong_side.c", &[]);
    assert!(
        text.contains(
            "suggested fix: Wake all waiters (broadcast), or use one condition variable for each condition"
        ),
        "{text}"
    );
    // Where it sleeps is no other object.
    assert!(text.contains("pthread_cond_wait(changed)") && !text.contains("changed+1"), "{text}");
}

/// Names are those of the program, not of a library's templates, nor a linker's.
#[test]
fn threads_and_operators_of_cxx_have_the_names_of_the_source() {
    let (explanation, text) = explained("fail/cxx/entry_evicted_while_used.cc", &[]);
    let functions = explanation.failing.threads.iter().map(|lane| lane.function.as_str());
    let lambdas = [34, 38].map(|line| format!("lambda entry_evicted_while_used.cc:{line}"));
    assert_eq!(functions.collect::<Vec<_>>(), ["main", &lambdas[0], &lambdas[1]], "{text}");
    assert!(
        text.contains("operator delete(Entry(entry_evicted_while_used.cc:24)") && !text.contains("_Zdl"),
        "{text}"
    );
    assert!(!text.contains("/../"), "{text}");
}

/// Where nothing that follows from the difference is safe, or orders alone are, something else is.
#[test]
fn second_thoughts_are_tried() {
    for (program, options, expected, lines) in [
        // Between the look below the top and the exchange, the top was taken away and put back.
        ("fail/exchange_of_what_came_back.c", &[][..], Kind::AtomicBlock, (25, 26)),
        // Not every execution comes to the step that would have to be waited for, but all come to the join
        // after it.
        ("fail/search_random_path.c", &["--search", "random-path"], Kind::Order, (21, 10)),
        // The thread that would have to come first had not taken a step when it failed.
        ("fail/second_comes_first.c", &[], Kind::Order, (9, 9)),
    ] {
        let (explanation, text) = explained(program, options);
        let line = |step: u32| explanation.failing.steps[step as usize].location.line;
        let is_it = |remedy: &Remedy| {
            let told = (line(remedy.steps().0), line(remedy.steps().1));
            (kind(remedy), told, remedy.trial()) == (expected, lines, &Trial::Safe)
        };
        assert!(explanation.remedies.iter().any(is_it), "{program}: {text}");
        assert!(!text.contains("no remedy is suggested"), "{program}: {text}");
    }
}

#[test]
fn a_wait_without_a_loop_suggests_to_look_again() {
    for (program, options, place) in [
        ("explained/bounded_buffer.c", &[][..], "bounded_buffer.c:12"),
        ("fail/spurious_wakeup.c", &["--spurious-wakeups"], "spurious_wakeup.c:23"),
    ] {
        let (_, text) = explained(program, options);
        let told = format!("suggested fix: Wait in a loop: after its wait ({place})");
        assert!(text.contains(&told) && !text.contains("no remedy is suggested"), "{program}: {text}");
    }
}

#[test]
fn threads_that_are_not_created_are_not_shown() {
    let (explanation, text) = explained("fail/creations_in_turn.c", &[]);
    let names = |execution: &Execution| -> Vec<String> {
        execution.threads.iter().map(|lane| lane.name.to_string()).collect()
    };
    assert_eq!(names(&explanation.failing), ["0", "0.1", "0.2", "0.2.1"], "{text}");
    let mut all = names(explanation.passing.as_ref().unwrap_or_else(|| panic!("{text}")));
    all.sort();
    assert_eq!(all, ["0", "0.1", "0.1.1", "0.2", "0.2.1"], "{text}");
}

/// However many threads there are, the failing schedule with its preemption undone does not fail.
#[test]
fn a_lost_update_among_many_threads_is_explained() {
    for threads in [4, 16] {
        for locked in [None, Some("-DLOCKED")] {
            let flags = [Some(format!("-DN={threads}")), locked.map(String::from)];
            let flags: Vec<String> = flags.into_iter().flatten().collect();
            let (explanation, text) = explained_as("explained/many_updates.c", &flags, &[]);
            let passing = explanation.passing.as_ref().unwrap_or_else(|| panic!("{flags:?}: {text}"));
            assert!(passing.failure.is_none(), "{flags:?}: {text}");
            let line = |step: &u32| explanation.failing.steps[*step as usize].location.line;
            let lines: Vec<u32> = explanation.difference.failing_steps.iter().map(line).collect();
            assert_eq!(lines, [16, 20], "{flags:?}: {text}");
            assert!(!explanation.cause.orders.is_empty(), "{flags:?}: {text}");
            assert_ne!(explanation.cause.check, Check::Unchecked, "{flags:?}: {text}");
            let first = &explanation.remedies[0];
            assert_eq!((kind(first), first.trial()), (Kind::AtomicBlock, &Trial::Safe), "{flags:?}: {text}");
        }
    }
}

/// The lock is held on both ways of the branch inside, and threads that begin alike count as one another.
#[test]
fn a_section_with_a_branch_among_many_threads_is_verified() {
    for threads in [4, 32] {
        let (explanation, text) = explained_as("explained/many_takers.c", &[format!("-DN={threads}")], &[]);
        let first = &explanation.remedies[0];
        assert_eq!((kind(first), first.trial()), (Kind::AtomicBlock, &Trial::Safe), "{threads}: {text}");
    }
}

/// A leak found before anything is known to be shared is reported with what its threads share.
#[test]
fn what_is_not_known_to_be_shared_is_shown_where_it_differs() {
    let (explanation, text) = explained("fail/leak_found_first.c", &["--check", "leak"]);
    let line = |step: &u32| explanation.failing.steps[*step as usize].location.line;
    let lines: Vec<u32> = explanation.difference.failing_steps.iter().map(line).collect();
    assert!(lines.contains(&11) && lines.iter().any(|line| [16, 17].contains(line)), "{lines:?} {text}");
    assert!(!text.contains("no common event differs"), "{text}");
}

/// Programs of C++ with several classes, queues and condition variables.
#[test]
fn programs_with_condition_variables_are_explained() {
    let (explanation, text) = explained("explained/cxx/order_pipeline.cc", &[]);
    let line = |step: &u32| explanation.failing.steps[*step as usize].location.line;
    let lines: Vec<u32> = explanation.difference.failing_steps.iter().map(line).collect();
    assert_eq!(lines, [95, 97], "{text}");
    assert_eq!(*explanation.remedies[0].trial(), Trial::Safe, "{text}");
    assert!(explanation.cause.is_minimal, "{text}");
    let (explanation, text) = explained("explained/cxx/connection_pool.cc", &[]);
    assert!(explanation.passing.is_some_and(|passing| passing.failure.is_none()), "{text}");
    assert!(text.contains("Signal under the lock: hold pool.lock in T0 main"), "{text}");
}

/// Of more steps than tables are kept of, two that are far from each other make the difference.
#[test]
fn long_executions_have_passing_ones() {
    let flags = ["-DROUNDS=9000".to_owned()];
    // What is suggested cannot be explored to its end.
    let options = ["--trial-time", "1"];
    let (explanation, text) = explained_with("programs/hundred_thousand_steps.c", &flags, &[], &options);
    assert!(events(&explanation.failing) > 36_000, "{text}");
    let line = |step: &u32| explanation.failing.steps[*step as usize].location.line;
    let lines: Vec<u32> = explanation.difference.failing_steps.iter().map(line).collect();
    assert!(lines.contains(&16), "{lines:?} {text}");
    assert!(explanation.passing.is_some_and(|passing| passing.failure.is_none()), "{text}");
}

#[test]
fn explored_causes_include_later_visits() {
    // The other worker has taken both files, the second in its second round, when this one looks
    // at what is left.
    let (explanation, text) = explained("explained/file_scanner.c", &[]);
    assert_eq!(orders(&explanation), [[("0.2".into(), 11), ("0.1".into(), 11)]], "{text}");
    let cause = &explanation.cause;
    assert_eq!((cause.reach, cause.is_minimal, &cause.visits[..]), (Reach::Program, true, &[(2, 1)][..]));
    assert!(text.contains("at its 2nd visit before"), "{text}");
}

#[test]
fn remedies_that_need_each_other_are_found_and_tried_together() {
    for (program, lines) in [
        // Neither the writer's two stores nor the reader's two loads may be interrupted.
        ("fail/assertion_in_one_schedule.c", [(17, 18), (9, 10)]),
        // Each thread takes its two locks in an order of its own.
        ("fail/deadlock_cycle_explained.c", [(19, 20), (9, 10)]),
    ] {
        let (explanation, text) = explained(program, &[]);
        let line = |step: u32| explanation.failing.steps[step as usize].location.line;
        let told: Vec<_> = explanation
            .remedies
            .iter()
            .map(|remedy| (kind(remedy), line(remedy.steps().0), line(remedy.steps().1), remedy.trial()))
            .collect();
        let expected = lines.map(|(one, other)| (Kind::AtomicBlock, one, other, &Trial::SafeTogether));
        assert_eq!(told, expected, "{program}: {text}");
    }
}

#[test]
fn orders_that_lines_do_not_determine_are_tried_for_their_threads() {
    for program in [
        // Both threads store on one line.
        "fail/end_fails_by_what_threads_left.c",
        // Both acquire the lock before they come to the line that one is to wait for.
        "fail/creations_in_any_order.c",
    ] {
        let (explanation, text) = explained(program, &[]);
        let remedy = &explanation.remedies[0];
        assert_eq!((kind(remedy), remedy.trial()), (Kind::Order, &Trial::Safe), "{program}: {text}");
    }
    // Another order of the two than the one that helps does not.
    let (explanation, text) = explained("families/dekker.c", &["--memmodel", "tso"]);
    let order = explanation.remedies.iter().find(|remedy| kind(remedy) == Kind::Order);
    assert!(order.is_some_and(|order| matches!(order.trial(), Trial::Fails(_))), "{text}");
}

#[test]
fn a_free_waits_for_the_last_use_though_that_is_the_one_that_fails() {
    let (explanation, text) = explained("fail/free_before_own_store_is_read.c", &[]);
    let order = explanation.remedies.iter().find(|remedy| kind(remedy) == Kind::Order);
    assert_eq!(order.map(Remedy::trial), Some(&Trial::Safe), "{text}");
}

#[test]
fn objects_have_their_names_where_remedies_are_assumed() {
    let assumed = ["--what-if", "atomic:deadlock_cycle_explained.c:19-20"];
    let (explanation, text) = explained("fail/deadlock_cycle_explained.c", &assumed);
    let locks = explanation.failing.steps.iter().filter(|step| step.progress == Progress::Waits);
    let mut objects: Vec<&str> = locks.map(|step| &*step.object).collect();
    objects.sort_unstable();
    assert_eq!(objects, ["left", "right"], "{text}");
}

/// A thread that has not ended when the process does has left no result.
#[test]
fn what_is_lost_before_the_process_ends_depends_on_the_order() {
    for (program, change) in [
        ("fail/thread_leak.c", "detach it"),
        ("fail/thread_leak_if_late.c", "detach it"),
        ("fail/leak_beside_the_end.c", "Free the object"),
    ] {
        let (explanation, text) = explained(program, &["--check", "leak"]);
        assert_eq!(explanation.dependence, Dependence::Order, "{program}: {text}");
        assert!(explanation.passing.is_some() && explanation.cause.orders.is_empty(), "{program}: {text}");
        assert!(!text.contains("every execution fails") && text.contains(change), "{program}: {text}");
    }
}

#[test]
fn a_failure_in_every_order_is_reported_with_what_has_to_change() {
    for (program, options, change) in [
        ("fail/memory_leak.c", &["--check", "leak"][..], "Free the object"),
        ("fail/unlock_not_locked.c", &[], "Unlock where it was locked"),
        ("fail/destroy_held_rwlock.c", &[], "Destroy it only after the last unlock"),
        ("fail/init_locked_mutex.c", &[], "Initialise it once"),
        ("fail/join_twice.c", &[], "Join each thread once"),
        ("fail/use_destroyed_mutex.c", &[], "initialise it again before"),
        ("fail/livelock_flag_never_set.c", &[], "Write the polled variable"),
        // Its round is known by a lock acquired and released.
        ("fail/livelock_asking_a_lock.c", &[], "Write the polled variable"),
        ("fail/deadlock_message_queue.c", &[], "Receive every message sent"),
        ("fail/deadlock_self.c", &[], "Do not lock a mutex that the thread already holds"),
        ("fail/deadlock_rwlock_upgrade.c", &[], "Do not lock a mutex that the thread already holds"),
        ("fail/deadlock_barrier_too_few.c", &[], "Call the barrier wait from as many threads"),
        // It fails while other threads could go on: what they would do is looked at, too.
        ("fail/destroy_locked_mutex.c", &[], "Destroy it only after the last unlock"),
        ("fail/detach_twice.c", &[], "Detach each thread once"),
        ("fail/join_detached.c", &[], "Do not detach a thread that is to be joined"),
        ("fail/unlock_not_owner.c", &[], "Unlock where it was locked"),
    ] {
        let (explanation, text) = explained(program, options);
        assert_eq!(explanation.dependence, Dependence::Nothing, "{program}: {text}");
        assert!(explanation.limits.is_empty(), "{program}: {text}");
        assert!(
            text.contains("Not schedule-dependent: every execution fails in this way")
                && text.contains(change),
            "{program}: {text}"
        );
    }
    let (explanation, text) = explained("fail/symbolic_assertion.c", &[]);
    assert_eq!(explanation.dependence, Dependence::Inputs, "{text}");
}

#[test]
fn the_end_of_an_objects_life_differs_from_its_last_use() {
    for program in ["fail/store_beside_free.c", "fail/post_after_waiter_returned.c"] {
        let (explanation, text) = explained(program, &[]);
        assert!(explanation.difference.failing_steps.len() >= 2, "{program}: {text}");
        let [remedy @ Remedy::Order { .. }] = &explanation.remedies[..] else { panic!("{program}: {text}") };
        assert_eq!(*remedy.trial(), Trial::Safe, "{program}: {text}");
    }
}

/// The orders of a cause, each step by its thread and line.
fn orders(explanation: &Explanation) -> Vec<[(String, u32); 2]> {
    let failing = &explanation.failing;
    let step = |number: u32| {
        let step = &failing.steps[number as usize];
        (failing.threads[step.thread as usize].name.to_string(), step.location.line)
    };
    explanation.cause.orders.iter().map(|(one, other)| [step(*one), step(*other)]).collect()
}

#[test]
fn deadlocks_have_causes_of_which_nothing_can_be_left_out() {
    // Each of the locks was taken before the other thread came for it.
    let (explanation, text) = explained("fail/deadlock_three_mutexes.c", &[]);
    let cycle = orders(&explanation);
    assert!(explanation.cause.is_minimal && cycle.len() == 3, "{text}");
    for [taken, awaited] in &cycle {
        assert_eq!((taken.1, awaited.1), (9, 10), "{text}");
        assert!(cycle.iter().any(|[other, _]| other.0 == awaited.0), "{text}");
    }
    // The signal comes before the wait.
    let (explanation, text) = explained("fail/lost_wakeup.c", &[]);
    assert_eq!(orders(&explanation), [[("0.1".into(), 11), ("0".into(), 20)]], "{text}");
    assert!(explanation.cause.is_minimal, "{text}");
    // Nothing to order: the barrier waits for more threads than there are.
    let (explanation, text) = explained("fail/deadlock_barrier_too_few.c", &[]);
    assert!(explanation.cause.orders.is_empty(), "{text}");
    assert!(text.contains("Not schedule-dependent"), "{text}");
}

#[test]
fn a_late_store_is_reported_with_its_value_and_line() {
    for (program, model, late) in [
        ("store_buffering", "tso", "flags[0] = 1 reaches memory (store_buffering.c:9)"),
        // It does not reach memory before the execution fails.
        ("message_passing", "pso", "message = 42 reaches memory (message_passing.c:8)"),
    ] {
        let (explanation, text) = explained(&format!("explained/{program}.c"), &["--memmodel", model]);
        assert_eq!(explanation.cause.orders.len(), 1, "{program}: {text}");
        assert!(text.contains(late), "{program}: {text}");
    }
}

#[test]
fn wrong_output_is_caused_by_the_order_of_what_it_comes_of() {
    let expecting = |program: &str, output: &str| {
        let expected = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(expected.path(), output).unwrap();
        explained(program, &["--expect-stdout", &expected.path().display().to_string()])
    };
    // The digits are those of what was computed, and the order of the sections decides.
    let (explanation, text) = expecting("explained/wrong_total.c", "30\n");
    let cause = orders(&explanation);
    assert!(cause.len() == 1 && cause[0][0].0 == "0.1" && cause[0][1].0 == "0.2", "{cause:?} {text}");
    // Where output that several threads write from memory of their own comes is in no trace; exploration
    // shows it. Steps of libraries are where the program called them.
    for (program, output, line) in [("wrong_turn", "ba", 7), ("printed_in_turn", "one\ntwo\n", 6)] {
        let (explanation, text) = expecting(&format!("explained/{program}.c"), output);
        let [[(first, one), (second, other)]] = &orders(&explanation)[..] else { panic!("{text}") };
        assert!(first != second && (*one, *other) == (line, line), "{text}");
        assert!(explanation.passing.is_some() && explanation.cause.is_minimal, "{text}");
    }
    // No order makes it three digits.
    let (explanation, text) = expecting("explained/wrong_total.c", "125\n");
    assert!(explanation.cause.orders.is_empty(), "{text}");
    assert!(text.contains("every execution fails in this way"), "{text}");
}

#[test]
fn races_are_ruled_out_by_atomic_accesses_and_by_a_lock() {
    for program in ["races/fail/increments.c", "races/fail/lock_on_one_side.c"] {
        let (explanation, text) = explained(program, &["--check", "race"]);
        let [atomic @ Remedy::Atomic { .. }, lock @ Remedy::Lock { .. }] = &explanation.remedies[..] else {
            panic!("{program}: {text}");
        };
        assert_eq!([atomic.trial(), lock.trial()], [&Trial::Safe; 2], "{program}: {text}");
        assert!(text.contains("the accesses race in either order"), "{program}: {text}");
    }
    // A fix for one object leaves the race on the other one.
    let (explanation, text) = explained("races/fail/two_objects.c", &["--check", "race"]);
    assert_eq!(explanation.remedies.len(), 2, "{text}");
    for remedy in &explanation.remedies {
        assert!(matches!(remedy.trial(), Trial::Fails(why) if why.contains("data race")), "{text}");
    }
}

#[test]
fn remedies_are_tried_where_reads_may_be_old() {
    let (explanation, text) = explained("fail/unordered_publication.c", &["--memmodel", "weak"]);
    let atomic = explanation.remedies.iter().find(|remedy| matches!(remedy, Remedy::Atomic { .. }));
    assert_eq!(atomic.map(Remedy::trial), Some(&Trial::Safe), "{text}");
}

/// Where release and acquire are enough, an author would not ask for more.
#[test]
fn atomic_accesses_are_ordered_as_weakly_as_is_safe() {
    let released = AtomicOrdering::ReleaseAcquire;
    let consistent = AtomicOrdering::SequentiallyConsistent;
    for (program, options, weakest) in [
        ("fail/unordered_publication.c", &["--memmodel", "weak"][..], released),
        ("explained/message_passing.c", &["--memmodel", "pso"], released),
        // Each thread stores before it looks for the other's store: both stores and both loads have to be.
        ("litmus/store_buffering_assert.c", &["--memmodel", "weak"], consistent),
        // A model without buffers says nothing of what a weaker order would do.
        ("races/fail/increments.c", &["--check", "race"], consistent),
    ] {
        let (explanation, text) = explained(program, options);
        let safe = explanation.remedies.iter().find_map(|remedy| match remedy {
            Remedy::Atomic { ordering, trial: Trial::Safe | Trial::SafeTogether, .. } => Some(*ordering),
            _ => None,
        });
        assert_eq!(safe, Some(weakest), "{program}: {text}");
    }
}

/// Two threads that hold one lock race only if both are readers.
#[test]
fn a_lock_that_is_held_as_a_reader_is_reported_so() {
    let (explanation, text) = explained("races/fail/rwlock_write_under_read.c", &["--check", "race"]);
    let failing = &explanation.failing;
    let notes = failing.failure.iter().flat_map(|failure| &failure.notes);
    let told: Vec<&str> = notes.map(|note| note.message.as_str()).collect();
    assert!(told.iter().any(|told| told.matches("holds `lock` (as a reader)").count() == 2), "{told:?}");
    assert!(failing.steps.iter().flat_map(|step| &step.locks).all(|lock| lock.is_shared), "{text}");
}

/// The last signal has woken a thread, though one before it has not.
#[test]
fn a_wait_beside_one_that_was_woken_is_no_lost_wake_up() {
    let (explanation, text) = explained("fail/signal_for_one_of_two.c", &[]);
    let failure = explanation.failing.failure.as_ref().unwrap_or_else(|| panic!("{text}"));
    let notes = failure.notes.iter().map(|note| note.message.as_str());
    let told: Vec<&str> = notes.chain([failure.message.as_str()]).collect();
    assert!(told.iter().all(|told| !told.contains("no thread waited")), "{told:?}");
}

/// It is not what memory holds: that was stored last, and is not the newest.
#[test]
fn an_update_is_shown_with_the_value_that_it_reads() {
    let (explanation, text) = explained("litmus/weak_update_reads_newest.c", &["--memmodel", "weak"]);
    let steps = &explanation.failing.steps;
    let update = steps.iter().find(|step| step.kind == EventKind::ReadModifyWrite);
    let update = update.unwrap_or_else(|| panic!("{text}"));
    assert_eq!(update.value, "1 -> 11", "{text}");
    let source = update.reads_from.map(|step| steps[step as usize].value.as_str());
    assert_eq!(source, Some("1"), "{text}");
}

#[test]
fn a_failure_that_no_order_avoids_is_reported_as_one() {
    // On its paths, and at all.
    let told = [
        ("fail/check_then_act.c", "another branch or further events are needed"),
        ("fail/deadlock_barrier_too_few.c", "every execution fails in this way"),
        ("fail/double_free_other_thread.c", "every execution fails in this way"),
        ("fail/livelock_flag_never_set.c", "every execution fails in this way"),
    ];
    for (program, why) in told {
        let (_, text) = explained(program, &[]);
        assert!(text.contains(why), "{program}: {text}");
    }
}

/// The failing execution ends while its thread holds the lock. This does not exclude executions in which it
/// goes on.
#[test]
fn a_lock_held_where_it_fails_is_given_back_where_it_does_not() {
    let (explanation, text) = explained("fail/cause_of_two_orders.c", &[]);
    let [before, after] = &orders(&explanation)[..] else { panic!("{text}") };
    assert_eq!(
        (&before[0].0[..], &before[1].0[..], &after[0].0[..], &after[1].0[..]),
        ("0", "0.1", "0.1", "0")
    );
    assert!(before[0].1 < 22 && after[1].1 == 22, "{text}");
    let cause = &explanation.cause;
    assert!(cause.is_minimal && cause.reach == Reach::Program, "{text}");
    assert!(matches!(cause.check, Check::Complete { .. }), "{text}");
}

/// The effect of a call is that of its model, not of a word in its name.
#[test]
fn a_wait_that_has_lock_in_its_name_is_shown() {
    for program in ["fail/waits_by_a_clock.c", "fail/cxx/waits_for_a_while.cc"] {
        let (explanation, text) = explained(program, &[]);
        let passing = explanation.passing.as_ref().unwrap_or_else(|| panic!("{program}: {text}"));
        let shown = |execution: &Execution, steps: &[u32], effect| {
            steps.iter().any(|step| execution.steps[*step as usize].kind.effect() == Some(effect))
        };
        let difference = &explanation.difference;
        let (mine, theirs) = (&difference.failing_steps, &difference.passing_steps);
        assert!(shown(&explanation.failing, mine, CallEffect::ConditionWait), "{program}: {text}");
        assert!(shown(passing, theirs, CallEffect::ConditionWait), "{program}: {text}");
        assert!(shown(passing, theirs, CallEffect::Signal), "{program}: {text}");
    }
}

#[test]
fn where_executions_fail_in_several_ways_none_is_said_to_be_always() {
    let (explanation, text) = explained("fail/found_before_others_begin.c", &[]);
    assert_eq!(explanation.dependence, Dependence::WhichFailure, "{text}");
    assert!(!text.contains("Not schedule-dependent"), "{text}");
    assert!(text.contains("Every execution fails, not all in this way"), "{text}");
    assert!(text.contains("another failure comes first"), "{text}");
}

fn kind(remedy: &Remedy) -> Kind {
    match remedy {
        Remedy::AtomicBlock { .. } | Remedy::HoldLock { .. } => Kind::AtomicBlock,
        Remedy::Order { .. } => Kind::Order,
        Remedy::Join { .. } => Kind::Join,
        Remedy::Fence { .. } => Kind::Fence,
        Remedy::Atomic { .. } | Remedy::Lock { .. } => Kind::Access,
    }
}

impl Kind {
    fn told(self) -> &'static str {
        match self {
            Self::AtomicBlock => "atomic block",
            Self::Order => "order",
            Self::Join => "join",
            Self::Fence => "fence",
            Self::Access => "atomic or locked access",
        }
    }
}

/// Visible steps that an execution takes: accesses to what threads share, and synchronisation.
fn events(execution: &Execution) -> usize {
    execution.steps.iter().filter(|step| step.is_taken()).map(|step| 1 + step.folded as usize).sum()
}

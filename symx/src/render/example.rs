//! An explanation to test reports with.

use symx_trace::explanation::{
    Cause, Dependence, Difference, ExecutedStep, Execution, Explanation, Flow, Lane, Remedy, Trial, VERSION,
};
use symx_trace::{EventKind, Failure, FailureKind, Location, ThreadName};

/// Two threads add one each, and one of the additions is lost.
pub fn lost_update() -> Explanation {
    let at = |line| Location { file: "src/count.c".into(), line, column: 5, function: "add".into() };
    let step = |thread, kind, value: &str, reads_from| ExecutedStep {
        value: value.into(),
        reads_from,
        location: at(8),
        ..ExecutedStep::taken(thread, kind, "count")
    };
    let lane = |name: ThreadName, function: &str| Lane { name, function: function.into(), ..Lane::default() };
    let threads = vec![
        lane(ThreadName::main(), "main"),
        lane(ThreadName::main().child(1), "add"),
        lane(ThreadName::main().child(2), "add"),
    ];
    let failure = Failure {
        location: Location { function: "main".into(), ..at(18) },
        ..Failure::new(FailureKind::Assert, "assertion failed: count == 2")
    };
    let failing = Execution {
        threads: threads.clone(),
        steps: vec![
            step(1, EventKind::Read, "0", None),
            step(2, EventKind::Read, "0", None),
            step(1, EventKind::Write, "1", None),
            step(2, EventKind::Write, "1", None),
            step(0, EventKind::Read, "1", Some(3)),
        ],
        context_switches: 4,
        preemptions: 2,
        failure: Some(failure),
        ..Execution::default()
    };
    let passing = Execution {
        threads,
        steps: vec![
            step(1, EventKind::Read, "0", None),
            step(1, EventKind::Write, "1", None),
            step(2, EventKind::Read, "1", Some(1)),
            step(2, EventKind::Write, "2", None),
            step(0, EventKind::Read, "2", Some(3)),
        ],
        context_switches: 2,
        ..Execution::default()
    };
    Explanation {
        version: VERSION,
        program: "count.c".into(),
        memory_model: "sc".into(),
        failing,
        passing: Some(passing),
        difference: Difference {
            failing_steps: vec![1, 2],
            passing_steps: vec![1, 2],
            failing_flows: vec![Flow { from: None, to: 1 }],
            passing_flows: vec![Flow { from: Some(1), to: 2 }],
            broken_segments: 1,
        },
        cause: Cause { orders: vec![(1, 2)], is_minimal: true, ..Cause::default() },
        dependence: Dependence::Order,
        remedies: vec![Remedy::AtomicBlock { first: 0, last: 2, trial: Trial::Safe }],
        branches: Vec::new(),
        limits: vec![],
        inputs: vec![],
    }
}

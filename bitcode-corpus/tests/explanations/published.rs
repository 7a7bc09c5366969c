//! The bugs of the papers' tables beside the best numbers published (Symbiosis, TOSEM 2016; MaxSMT, AAAI
//! 2019). The table printed with `--nocapture` is that of `docs/explanations.md`.

use super::{Kind, events, kind, said, symx};
use std::time::{Duration, Instant};
use symx::harness::compile_bitcode;
use symx_bitcode_corpus::{cache, folder};
use symx_trace::Explanation;
use symx_trace::explanation::{Execution, Remedy, Trial};

/// A bug and what is known of it.
struct Bug {
    name: &'static str,
    program: &'static str,
    model: &'static str,
    /// For the compiler.
    flags: &'static [&'static str],
    /// Whether it is in `near/` and found from a recorded run that passes. Its passing execution is the
    /// nearest of those tried in the time there is, so sizes and what comes of a fix are printed only.
    is_near: bool,
    /// The smallest projection published.
    published: Option<Published>,
    /// The fix that helps.
    remedy: Kind,
    /// The result of the first fix.
    first: First,
}

/// What comes of the first fix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    /// The program is safe with it.
    Safe,
    /// Something fails with it, and the report says what.
    Fails,
    /// It is not explored completely in its time; nothing fails.
    Open,
}

/// The smallest numbers published for a bug, be they of different tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Published {
    steps: usize,
    flows: usize,
    /// Segments that the passing execution breaks up, where they were counted.
    broken: Option<u32>,
}

const fn best(steps: usize, flows: usize) -> Option<Published> {
    Some(Published { steps, flows, broken: None })
}

const fn best_with(steps: usize, flows: usize, broken: u32) -> Option<Published> {
    Some(Published { steps, flows, broken: Some(broken) })
}

const fn bug(name: &'static str, program: &'static str, published: Option<Published>, remedy: Kind) -> Bug {
    Bug { name, program, model: "sc", flags: &[], is_near: false, published, remedy, first: First::Safe }
}

/// A bug that depends on paths and schedules.
const fn near(name: &'static str, program: &'static str, published: Option<Published>) -> Bug {
    Bug { is_near: true, ..bug(name, program, published, Kind::AtomicBlock) }
}

const BUGS: &[Bug] = &[
    bug("crasher", "crasher", best_with(9, 1, 0), Kind::AtomicBlock),
    bug("stringbuffer", "stringbuffer", best(15, 1), Kind::AtomicBlock),
    // The block waits inside for a condition: a thread that holds it keeps out those that would make it true.
    Bug { first: First::Fails, ..bug("bbuf", "bounded_buffer", best(19, 1), Kind::AtomicBlock) },
    bug("pfscan", "file_scanner", best_with(16, 1, 0), Kind::AtomicBlock),
    bug("pbzip2 S", "compressor", best_with(4, 1, 1), Kind::AtomicBlock),
    Bug {
        flags: &["-DBLOCKS=6", "-DCONSUMERS=3"],
        ..bug("pbzip2 M", "compressor", best_with(3, 1, 0), Kind::AtomicBlock)
    },
    // Its executions have 1,170 events: fixes are explored for as long as there is time.
    Bug {
        flags: &["-DBLOCKS=144", "-DCONSUMERS=8", "-DWAITS"],
        first: First::Open,
        ..bug("pbzip2 L", "compressor", best_with(4, 1, 1), Kind::AtomicBlock)
    },
    bug("airline", "airline", best_with(3, 1, 1), Kind::AtomicBlock),
    bug("bank", "bank", best_with(6, 1, 1), Kind::AtomicBlock),
    bug("2stage", "two_stage", best(3, 1), Kind::AtomicBlock),
    bug("cache4j S", "cache", best(6, 1), Kind::AtomicBlock),
    Bug { flags: &["-DROUNDS=5"], ..bug("cache4j M", "cache", best_with(3, 1, 0), Kind::AtomicBlock) },
    Bug { flags: &["-DROUNDS=350"], ..bug("cache4j L", "cache", best_with(3, 1, 1), Kind::AtomicBlock) },
    near("bufwriter", "bufwriter", best_with(35, 1, 1)),
    near("critical", "critical", best_with(7, 4, 2)),
    near("exMCR", "ex_mcr", best_with(21, 7, 5)),
    near("garage", "garage", best_with(3, 1, 0)),
    near("loader", "loader", best_with(47, 21, 2)),
    near("manager", "manager", best_with(78, 32, 9)),
    near("ticketorder", "ticketorder", best_with(46, 4, 1)),
    // Two flows, an order for each.
    bug("MaxSMT Fig. 1", "two_flows", None, Kind::Order),
    bug("null mutex", "null_mutex", None, Kind::Order),
    bug("freed lock", "freed_lock", None, Kind::Order),
    bug("missed signal", "missed_signal", None, Kind::Order),
    bug("AB-BA deadlock", "opposite_locks", None, Kind::AtomicBlock),
    Bug { model: "tso", ..bug("store buffering (TSO)", "store_buffering", None, Kind::Fence) },
    Bug { model: "pso", ..bug("message passing (PSO)", "message_passing", None, Kind::Fence) },
];

impl Bug {
    /// Finds the bug, with results in the folder `out`. Returns the program.
    fn find(&self, out: &str) -> String {
        let place = if self.is_near { "near" } else { "explained" };
        let source = folder().join(place).join(self.program).with_extension("c");
        let flags: Vec<String> = self.flags.iter().map(ToString::to_string).collect();
        let bitcode = compile_bitcode(&source, &flags, &cache()).unwrap().display().to_string();
        let profile = format!("{out}/pass.prof");
        let mut search = vec!["run", "--no-explain", &bitcode, "--memmodel", self.model, "--out", out];
        if self.is_near {
            let recorded = symx(&["record", &bitcode, "-o", &profile]);
            assert_eq!(recorded.status.code(), Some(0), "{} passes: {}", self.name, said(&recorded));
            search.extend(["--guide", &profile, "--find-failure"]);
        }
        let run = symx(&search);
        assert_eq!(run.status.code(), Some(1), "{}: {}", self.name, said(&run));
        bitcode
    }
}

/// Finds the bug and explains it. Returns the execution as it was found, the explanation, its time, and the
/// output.
fn explain(bug: &Bug) -> (Execution, Explanation, Duration, String) {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().display().to_string();
    let bitcode = bug.find(&out);
    let (schedule, json) = (format!("{out}/failure-1.schedule.json"), format!("{out}/explanation.json"));
    let read = || Explanation::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let options = ["--as-it-is", "--max-time", "0.001", "--trial-time", "0.001", "--json", &json];
    let as_it_is = symx(&[&["explain", &bitcode, &schedule], &options[..]].concat());
    assert_eq!(as_it_is.status.code(), Some(0), "{}: {}", bug.name, said(&as_it_is));
    let found = read().failing;
    let begun = Instant::now();
    // Where fixes are not explored to their end, or not looked at, a short trial does.
    let trial = if bug.is_near || bug.first == First::Open { "2" } else { "10" };
    let explained = symx(&["explain", &bitcode, &schedule, "--json", &json, "--trial-time", trial]);
    let taken = begun.elapsed();
    assert_eq!(explained.status.code(), Some(0), "{}: {}", bug.name, said(&explained));
    let text = String::from_utf8_lossy(&explained.stdout).into_owned();
    (found, read(), taken, text)
}

#[test]
fn simplified_schedules_have_the_fewest_context_switches() {
    // Of long executions there are too many to look at.
    for bug in BUGS.iter().filter(|bug| bug.first != First::Open && !bug.is_near) {
        let out = tempfile::tempdir().unwrap();
        let out = out.path().display().to_string();
        let bitcode = bug.find(&out);
        let schedule = format!("{out}/failure-1.schedule.json");
        let simplified = symx(&["simplify", &bitcode, &schedule, "--optimal", "--max-time", "60"]);
        assert_eq!(simplified.status.code(), Some(0), "{}: {}", bug.name, said(&simplified));
        let text = String::from_utf8_lossy(&simplified.stdout).into_owned();
        let number = |before: &str| -> Option<u32> {
            text.split_once(before)?.1.split_whitespace().next()?.parse().ok()
        };
        let simplified = text.find("simplified: ").map(|at| &text[at..]).unwrap_or_default();
        let reached =
            simplified.split_once(") to ").and_then(|(_, rest)| rest.split_once(' ')?.0.parse().ok());
        assert!(reached.is_some(), "{}: {text}", bug.name);
        // pbzip2 M has too many executions within its bound to look at them all in that time.
        let is_proven = !text.contains("not proven");
        if is_proven || bug.name != "pbzip2 M" {
            assert_eq!(number("optimal: it takes "), reached, "{}: {text}", bug.name);
        }
    }
}

impl Published {
    fn told(self) -> String {
        let broken = self.broken.map_or("–".into(), |broken| broken.to_string());
        format!("{}, {}, {broken}", self.steps, self.flows)
    }
}

fn told(trial: &Trial) -> &'static str {
    match trial {
        Trial::Safe => "yes",
        Trial::SafeTogether => "yes, with the others",
        Trial::Incomplete(_) => "no failure seen in its time",
        _ => "no, and said so",
    }
}

/// Values that come from one step of an execution to another.
fn all_flows(execution: &Execution) -> usize {
    execution.steps.iter().filter(|step| step.is_taken() && step.reads_from.is_some()).count()
}

#[test]
fn projections_are_no_larger_than_those_published() {
    println!(
        "| bug | events | events of the projection | data flows | those that differ | segments broken | switches | \
         remedy | safe with it | time | best published: events, flows, segments |"
    );
    println!("|{}", "---|".repeat(11));
    let mut wrong = Vec::new();
    for bug in BUGS {
        let (found, explanation, taken, text) = explain(bug);
        let passing = explanation.passing.as_ref();
        let Some(passing) = passing else {
            wrong.push(format!("{}: no passing\n{text}", bug.name));
            continue;
        };
        assert!(passing.failure.is_none() && explanation.failing.failure.is_some(), "{}", bug.name);
        let failing = &explanation.failing;
        let difference = &explanation.difference;
        let taking_part = |step: &&u32| failing.steps[**step as usize].is_taken();
        let steps = difference.failing_steps.iter().filter(taking_part).count();
        let (flows, broken) = (difference.failing_flows.len(), difference.broken_segments);
        let kinds: Vec<Kind> = explanation.remedies.iter().map(kind).collect();
        let trial = explanation.remedies.first().map(Remedy::trial);
        println!(
            "| {} | {} to {} | {steps} | {} | {flows} | {broken} | {} to {} | {} | {} | {:.2} s | {} |",
            bug.name,
            events(&found),
            events(failing),
            all_flows(failing),
            found.context_switches,
            failing.context_switches,
            kinds.first().map_or("none", |kind| kind.told()),
            trial.map_or("no", told),
            taken.as_secs_f64(),
            bug.published.map_or("–".into(), Published::told)
        );
        let is_larger = bug.published.is_some_and(|best| {
            steps > best.steps || flows > best.flows || best.broken.is_some_and(|best| broken > best)
        });
        let is_as_expected = match trial {
            Some(Trial::Safe | Trial::SafeTogether) => bug.first == First::Safe,
            Some(Trial::Fails(_)) => bug.first == First::Fails,
            Some(Trial::Incomplete(_)) => bug.first == First::Open,
            _ => false,
        };
        if bug.is_near {
            continue;
        }
        if !is_as_expected {
            wrong.push(format!("{}: {trial:?}\n{text}", bug.name));
        }
        if is_larger || !kinds.contains(&bug.remedy) {
            wrong.push(format!("{}: {steps} steps, {flows} flows, {kinds:?}\n{text}", bug.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

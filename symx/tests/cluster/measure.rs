//! The costs and gains of a cluster, run by `./x cluster measure`. Measured are units a second through the
//! server, their sizes, and how work is divided. The processor time of a campaign stands beside that of one
//! process.
//!
//! The input of the simulation (`cluster/examples/simulation.rs`) is written to a file that is named in the
//! end.

use crate::faults::sums;
use crate::processes::{end_of, load, processor_time};
use crate::server::Server;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symx_cluster::{Access, CampaignEntry, Cluster, Digest, Effort, Hints, Passed, State};
use symx_posix_explore::Unit;

/// A program, what it is an example of, and its options.
struct Measured {
    name: &'static str,
    path: PathBuf,
    options: &'static [&'static str],
}

/// Three threads that take two locks in turn and count, and one that takes the first lock once.
const LOCKS: &str = "#include <pthread.h>\n#include <stdio.h>\n\
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;\n\
    static int in_one, in_other;\n\
    static void *count(void *unused) {\n\
        for (int round = 0; round < ROUNDS; round++) {\n\
            pthread_mutex_lock(&one);\n        in_one++;\n        pthread_mutex_unlock(&one);\n\
            pthread_mutex_lock(&other);\n        in_other += in_one;\n        pthread_mutex_unlock(&other);\n\
        }\n    return unused;\n}\n\
    static void *look(void *unused) {\n    pthread_mutex_lock(&one);\n    in_one *= 2;\n\
        pthread_mutex_unlock(&one);\n    return unused;\n}\n\
    int main(void) {\n    pthread_t threads[4];\n\
        for (int at = 0; at < 4; at++) pthread_create(&threads[at], NULL, at < 3 ? count : look, NULL);\n\
        for (int at = 0; at < 4; at++) pthread_join(threads[at], NULL);\n\
        printf(\"%d\\n\", in_other);\n    return 0;\n}\n";

/// Numbers that are not known are sorted: a path for each order that they can be in.
const PATHS: &str = "#include <stdio.h>\n\
    void klee_make_symbolic(void *address, unsigned long size, const char *name);\n\
    int main(void) {\n    int numbers[COUNT];\n    klee_make_symbolic(numbers, sizeof numbers, \"numbers\");\n\
        for (int end = COUNT - 1; end > 0; end--)\n        for (int at = 0; at < end; at++)\n\
                if (numbers[at] > numbers[at + 1]) {\n\
                    int kept = numbers[at];\n                numbers[at] = numbers[at + 1];\n\
                    numbers[at + 1] = kept;\n            }\n\
        puts(\"sorted\");\n    return 0;\n}\n";

fn programs(folder: &Path) -> [Measured; 3] {
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    [
        Measured { name: "two numbers (fib_bench)", path: sums(folder, 7), options: &["--memmodel", "tso"] },
        Measured {
            name: "two locks",
            path: write("locks.c", format!("#define ROUNDS 2\n{LOCKS}")),
            options: &[],
        },
        Measured { name: "paths", path: write("paths.c", format!("#define COUNT 9\n{PATHS}")), options: &[] },
    ]
}

/// How often one job and two are measured, in turn.
const PAIRS: usize = 3;

/// Jobs of a worker that is to have units divided as for many workers.
const WIDE: usize = 8;

/// The measurements of one run.
struct Run {
    /// Executions or paths, which have to be the same for all runs of a program.
    counted: Value,
    coordinator: Duration,
    workers: Duration,
    server: Duration,
    passed: Duration,
    units: Vec<UnitRun>,
    /// Their names, in the same order.
    names: Vec<String>,
    /// From the first unit to the last result.
    span: Duration,
}

/// A unit that passed the server.
#[derive(Default)]
struct UnitRun {
    parent: Option<String>,
    bytes: usize,
    result_bytes: usize,
    asked: usize,
    effort: Option<Effort>,
}

impl Run {
    fn results(&self) -> f64 {
        self.units.iter().filter(|unit| unit.effort.is_some()).count() as f64
    }

    fn processors(&self) -> Duration {
        self.coordinator + self.workers + self.server
    }

    /// Which part of their time workers had a unit.
    fn busy(&self, workers: usize) -> f64 {
        let had: Duration =
            self.units.iter().filter_map(|unit| unit.effort).map(|effort| effort.passed).sum();
        had.as_secs_f64() / (self.span.as_secs_f64() * workers as f64)
    }
}

fn spawn(program: &Measured, report: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--quiet", "--no-explain", "--json"])
        .arg(report)
        .args(program.options)
        .args(more)
        .arg(&program.path)
        .stdout(Stdio::null())
        .spawn()
        .expect("symx runs")
}

/// One run, and what of it all have to agree on.
fn measured(program: &Measured, more: &[&str]) -> (Value, Duration, Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json");
    let (status, executed, passed) = end_of(spawn(program, &report, more));
    assert!(status.success(), "{status}");
    let report: Value = serde_json::from_slice(&std::fs::read(&report).expect("a report")).expect("JSON");
    let counts = ["executions", "blocked", "paths"].map(|count| report["stats"][count].clone());
    (json!(counts), executed, passed)
}

fn alone(program: &Measured, jobs: &str) -> Run {
    let (counted, coordinator, passed) = measured(program, &["--jobs", jobs]);
    let none = Duration::ZERO;
    let (units, names) = (Vec::new(), Vec::new());
    Run { counted, coordinator, workers: none, server: none, passed, units, names, span: passed }
}

/// A run with `count` workers of `jobs` jobs each, which have joined before.
fn together(program: &Measured, count: usize, jobs: usize, slice: &str) -> Run {
    let server = Server::start().expect("a server");
    let workers = server.workers_of(count, jobs);
    let address = server.address();
    let listener = Cluster::connect(&address, &Access::default()).expect("it is there");
    while listener.workers().expect("it answers").len() < count {
        std::thread::sleep(Duration::from_millis(50));
    }
    let of_workers = || workers.processes.iter().map(|worker| processor_time(worker.id())).sum::<Duration>();
    let before = (of_workers(), processor_time(server.process_id()));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let listening = scope.spawn(|| listen(&listener, &is_over));
        let (counted, coordinator, passed) = measured(program, &["--cluster", &address, "--slice", slice]);
        is_over.store(true, Ordering::Relaxed);
        let (units, span) = listening.join().expect("it listens");
        Run {
            counted,
            coordinator,
            workers: of_workers() - before.0,
            server: processor_time(server.process_id()) - before.1,
            passed,
            names: units.keys().cloned().collect(),
            units: units.into_values().collect(),
            span,
        }
    })
}

/// All units that pass until it is over, by name, and the time between the first and the last.
fn listen(listener: &Cluster, is_over: &AtomicBool) -> (BTreeMap<String, UnitRun>, Duration) {
    let mut traffic = listener.traffic().expect("it answers");
    let mut units = BTreeMap::<String, UnitRun>::new();
    let (mut first, mut last) = (None, Instant::now());
    loop {
        let is_last = is_over.load(Ordering::Relaxed);
        let Some(Passed { unit, content, hints, effort }) =
            traffic.next(Duration::from_millis(200)).expect("it answers")
        else {
            if is_last {
                return (units, first.map_or(Duration::ZERO, |first| last - first));
            }
            continue;
        };
        last = Instant::now();
        first.get_or_insert(last);
        let known = units.entry(unit).or_default();
        if effort.is_some() {
            (known.result_bytes, known.effort) = (content.len(), known.effort.or(effort));
        } else {
            let unit: Unit = postcard::from_bytes(&content).expect("a unit");
            (known.bytes, known.parent) = (content.len(), unit.parent().map(ToString::to_string));
            known.asked = hints.map_or(1, |hints| hints.units);
        }
    }
}

/// The smallest size, those that a tenth is smaller than, two tenths, and so on, and the largest.
fn tenths(mut sizes: Vec<usize>) -> Vec<usize> {
    sizes.sort_unstable();
    let last = sizes.len().saturating_sub(1);
    (0..=10).filter_map(|tenth| sizes.get(last * tenth / 10).copied()).collect()
}

/// How the rest of units was divided: the part of each of several, by the processor time of all units made of
/// it. Only of those with a rest much larger than what they had explored themselves.
fn divisions(run: &Run) -> Vec<Value> {
    let number: HashMap<&str, usize> =
        run.names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let own: Vec<f64> = run
        .units
        .iter()
        .map(|unit| unit.effort.map_or(0.0, |effort| effort.processor.as_secs_f64()))
        .collect();
    let mut children = vec![Vec::new(); run.names.len()];
    for (at, unit) in run.units.iter().enumerate() {
        if let Some(parent) = unit.parent.as_deref().and_then(|parent| number.get(parent)) {
            children[*parent].push(at);
        }
    }
    fn total(at: usize, own: &[f64], children: &[Vec<usize>]) -> f64 {
        let mut sum = 0.0;
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            sum += own[at];
            open.extend(&children[at]);
        }
        sum
    }
    let mut all = Vec::new();
    for (at, children_of) in children.iter().enumerate() {
        let parts: Vec<f64> = children_of.iter().map(|child| total(*child, &own, &children)).collect();
        let rest: f64 = parts.iter().sum();
        if rest > 5.0 * own[at] && rest > 0.0 {
            let mut parts: Vec<f64> = parts.iter().map(|part| (1e4 * part / rest).round() / 1e4).collect();
            parts.sort_by(|one, other| other.total_cmp(one));
            all.push(json!({ "asked": run.units[at].asked, "parts": parts }));
        }
    }
    all
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

#[test]
#[ignore = "some minutes"]
fn measure_campaigns_beside_one_process() {
    if Server::start().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    println!("times are of processors, except where it says clock; the load was {:.1} before", load());
    for program in programs(folder.path()) {
        println!("\n{} {:?}", program.name, program.options);
        let mut pairs = [(); PAIRS].map(|()| (alone(&program, "1"), alone(&program, "2")));
        let gain = |(one, two): &(Run, Run)| one.passed.as_secs_f64() / two.passed.as_secs_f64();
        pairs.sort_by(|pair, other| gain(pair).total_cmp(&gain(other)));
        let gains = pairs.each_ref().map(gain);
        let (one, two) = &pairs[PAIRS / 2];
        let runs = [(1, "1s"), (2, "1s"), (2, "20ms")]
            .map(|(workers, slice)| (workers, slice, together(&program, workers, 1, slice)));
        println!(
            "  one process: {}, clock {}; {}",
            seconds(one.coordinator),
            seconds(one.passed),
            one.counted
        );
        assert_eq!(two.counted, one.counted, "{}", program.name);
        println!(
            "  --jobs 2: {}, clock {} ({:.2} times as fast, {gains:.2?} in all pairs)",
            seconds(two.coordinator),
            seconds(two.passed),
            gain(&pairs[PAIRS / 2])
        );
        for (workers, slice, run) in &runs {
            assert_eq!(run.counted, one.counted, "{}", program.name);
            let total = run.processors().as_secs_f64() / one.coordinator.as_secs_f64();
            println!(
                "  {workers} workers, slices of {slice}: workers {}, server {}, coordinator {}, in all {:+.1} %; clock {}, of which units {}; {} units; workers had one {:.1} % of the time: {:.2} times as fast as one process",
                seconds(run.workers),
                seconds(run.server),
                seconds(run.coordinator),
                100.0 * (total - 1.0),
                seconds(run.passed),
                seconds(run.span),
                run.units.len(),
                100.0 * run.busy(*workers),
                *workers as f64 * run.busy(*workers) * one.coordinator.as_secs_f64()
                    / run.workers.as_secs_f64()
            );
        }
        all.push(distributions(
            program.name,
            one,
            &runs[1].2,
            &runs[2].2,
            &together(&program, 2, WIDE, "20ms"),
        ));
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("measured.json");
    let text = serde_json::to_string(&json!({ "programs": all })).expect("JSON");
    std::fs::write(&path, text).expect("a file");
    println!("\nfor the simulation: {}; the load was {:.1} after", path.display(), load());
}

/// The input of the simulation: sizes, how units are divided, and the cost of each unit besides its
/// exploration. The last is the difference of two runs with slices of different lengths.
fn distributions(name: &str, alone: &Run, long: &Run, short: &Run, wide: &Run) -> Value {
    let more = (short.results() - long.results()).max(1.0);
    let each = |of: fn(&Run) -> Duration| {
        ((of(short).as_secs_f64() - of(long).as_secs_f64()) / more * 1e6).max(0.0).round()
    };
    let bytes = tenths(short.units.iter().map(|unit| unit.bytes).collect());
    let result_bytes = tenths(short.units.iter().map(|unit| unit.result_bytes).collect());
    let value = json!({
        "name": name,
        "work_us": alone.coordinator.as_micros() as u64,
        "worker_us": each(|run| run.workers),
        "server_us": each(|run| run.server),
        "coordinator_us": each(|run| run.coordinator),
        "unit_bytes": bytes,
        "result_bytes": result_bytes,
        "divisions": divisions(wide),
    });
    println!(
        "  each unit besides: {} us of a worker, {} us of the server, {} us of the coordinator; unit {} bytes (largest {}), result {} bytes (largest {})",
        value["worker_us"],
        value["server_us"],
        value["coordinator_us"],
        value["unit_bytes"][5],
        value["unit_bytes"][10],
        value["result_bytes"][5],
        value["result_bytes"][10]
    );
    value
}

/// How much passes a server when exploring takes no time.
#[test]
#[ignore = "some minutes"]
fn measure_units_through_the_server() {
    let Some(server) = Server::start() else { return };
    let hints = Hints { slice: Duration::from_secs(1), units: 1 };
    for (workers, bytes) in [(1, 1 << 10), (2, 1 << 10), (4, 1 << 10), (4, 16 << 10), (4, 256 << 10)] {
        let cluster = Cluster::connect(&server.address(), &Access::default()).expect("it is there");
        let entry = CampaignEntry {
            build: "none".into(),
            version: "0".into(),
            program: "none".into(),
            task: Digest::of(b"none"),
            state: State::Running,
            executions: 0,
            open: 0,
            done: 0,
            epoch: 0,
            results: 0,
        };
        let id = cluster.begin(&entry).expect("a campaign");
        let queue = cluster.queue(&id).expect("a queue");
        let content = vec![7_u8; bytes];
        let unit = |number: usize| (number.to_string(), content.clone());
        queue.publish((0..4 * workers).map(unit), hints, 0).expect("they are taken");
        let is_over = AtomicBool::new(false);
        let before = processor_time(server.process_id());
        let began = Instant::now();
        let count = std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    let worker =
                        Cluster::connect(&server.address(), &Access::default()).expect("it is there");
                    let queue = worker.queue(&id).expect("a queue");
                    while !is_over.load(Ordering::Relaxed) {
                        if let Some(taken) = queue.take(Duration::from_millis(100)).expect("it answers") {
                            taken.hand_in(content.clone(), Effort::default()).expect("it is handed in");
                        }
                    }
                });
            }
            let mut log = cluster.log(&id).expect("a log");
            let mut count = 4 * workers;
            while began.elapsed() < Duration::from_secs(5) {
                if log.read().expect("it answers").is_some() {
                    queue.publish([unit(count)], hints, 0).expect("it is taken");
                    count += 1;
                }
            }
            is_over.store(true, Ordering::Relaxed);
            count - 4 * workers
        });
        let (passed, executed) = (began.elapsed(), processor_time(server.process_id()) - before);
        println!(
            "{workers} workers, {bytes} bytes: {:.0} units a second, {:.0} us of the server's processor time each; load {:.1}",
            count as f64 / passed.as_secs_f64(),
            executed.as_secs_f64() * 1e6 / count.max(1) as f64,
            load()
        );
        cluster.remove(&id).expect("it is removed");
    }
}

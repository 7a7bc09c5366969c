//! A profile at a glance: its threads, the paths taken most, and, beside the program, what was covered.

use crate::text::counted;
use std::collections::{BTreeMap, BTreeSet};
use symx_expr::StopToken;
use symx_interp::numbering;
use symx_ir::Program;
use symx_trace::ThreadName;
use symx_trace::profile::{ActivationId, DecodeError, Profile, RecordEnd, ThreadProfile};

/// How many paths are listed.
const PATHS: usize = 10;

/// A profile in short.
#[derive(serde::Serialize, Debug)]
pub struct Summary {
    /// Hash of the program.
    program: String,
    /// Its arguments, its own name first.
    arguments: Vec<String>,
    /// How the process ended.
    end: String,
    /// The events that are not in the profile.
    gaps: Vec<String>,
    threads: Vec<ThreadSummary>,
    /// The paths taken most, most first.
    hot_paths: Vec<HotPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

#[derive(serde::Serialize, Debug)]
struct ThreadSummary {
    name: String,
    /// Calls of recorded functions.
    calls: u64,
    /// Paths taken by them.
    paths: u64,
    /// How many different ones.
    distinct_paths: u64,
    /// Rounds of loops that their paths went; a path has the same number with and without.
    rounds: u64,
    children: u64,
    /// Calls through which input entered, with what they answered.
    answers: u64,
    /// 16-bit units of its log, and how many came before them and are lost.
    units: u64,
    lost_units: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<u32>,
    /// How its record ends: `ended`, `running`, or `stopped` where recording ended before.
    end: &'static str,
}

#[derive(serde::Serialize, Debug)]
struct HotPath {
    /// The function's name where the program is known, else its index.
    function: String,
    path: u32,
    times: u64,
}

#[derive(serde::Serialize, Debug)]
struct Coverage {
    /// Functions of the program entered, of those that are recorded.
    functions_entered: u64,
    functions: u64,
    /// Control-flow edges of these functions taken.
    edges_taken: u64,
    edges: u64,
}

/// How often a function took each of its paths.
type Counts = BTreeMap<(u32, u32), u64>;

/// The steps of all threads.
#[derive(Default)]
struct Taken {
    paths: Counts,
    /// By function and number, the loops iterated within paths.
    loops: BTreeSet<(u32, u32)>,
    functions: BTreeSet<u32>,
}

impl Summary {
    /// Of a profile, and of the program it was recorded from if that is given; `end` and `gaps` are its in
    /// words. Decoding may be ended from outside.
    pub fn new(
        profile: &Profile,
        program: Option<&Program>,
        end: String,
        gaps: Vec<String>,
        stop: &StopToken,
    ) -> Result<Self, DecodeError> {
        let mut taken = Taken::default();
        let threads = profile.threads.iter().map(|thread| summary(thread, &mut taken, stop));
        let threads = threads.collect::<Result<_, _>>()?;
        let mut hottest: Vec<_> = taken.paths.iter().map(|(&path, &times)| (path, times)).collect();
        hottest.sort_by_key(|&(path, times)| (std::cmp::Reverse(times), path));
        let hot_paths = hottest.iter().take(PATHS).map(|&((function, path), times)| HotPath {
            function: name(program, function),
            path,
            times,
        });
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        Ok(Summary {
            program: profile.process.program.to_string(),
            arguments: profile.process.arguments.iter().map(text).collect(),
            end,
            gaps,
            threads,
            hot_paths: hot_paths.collect(),
            coverage: program.map(|program| coverage(profile, program, &taken)),
        })
    }

    /// As text, a line each.
    pub fn text(&self) -> String {
        let mut text = format!("program {}\n", self.program);
        text += &format!("command {}\n", self.arguments.join(" "));
        text += &format!("end     {}\n", self.end);
        for gap in &self.gaps {
            text += &format!("missing {gap}\n");
        }
        for thread in &self.threads {
            let ThreadSummary { name, calls, paths, distinct_paths, children, units, lost_units, .. } =
                thread;
            let (calls, paths) = (counted(*calls, "call"), counted(*paths, "path"));
            text +=
                &format!("{}: {calls}, {paths} ({distinct_paths} different), ", ThreadName::label_of(name));
            let children = if *children == 1 { "1 child".into() } else { format!("{children} children") };
            text += &format!("{children}, {}", counted(*units, "unit"));
            if thread.rounds > 0 {
                text += &format!(", {} rounds of loops within paths", thread.rounds);
            }
            if thread.answers > 0 {
                text += &format!(", {} answers to calls", thread.answers);
            }
            if *lost_units > 0 {
                text += &format!(", the {lost_units} units before them lost");
            }
            if let Some(signal) = thread.signal {
                text += &format!(", received signal {signal}");
            }
            text += &format!(", {}\n", thread.end);
        }
        for HotPath { function, path, times } in &self.hot_paths {
            text += &format!("path {path} of {function}: {}\n", counted(*times, "time"));
        }
        if let Some(coverage) = &self.coverage {
            let Coverage { functions_entered, functions, edges_taken, edges } = coverage;
            text += &format!("covered {functions_entered} of {functions} functions, ");
            text += &format!("{edges_taken} of {edges} edges\n");
        }
        text
    }
}

fn summary(
    thread: &ThreadProfile,
    taken: &mut Taken,
    stop: &StopToken,
) -> Result<ThreadSummary, DecodeError> {
    let tree = thread.decode_until(stop)?;
    let (mut own, mut rounds) = (Counts::new(), 0);
    for id in (0..tree.len() as u32).map(ActivationId) {
        let activation = tree.activation(id);
        taken.functions.insert(activation.function);
        taken.loops.extend(activation.rounds.iter().map(|told| (activation.function, told.number)));
        rounds += activation.rounds.iter().map(|told| u64::from(told.times)).sum::<u64>();
        for path in activation.paths.iter().filter(|path| !path.broke_off) {
            *own.entry((activation.function, path.number)).or_default() += u64::from(path.times);
        }
    }
    for (&path, times) in &own {
        *taken.paths.entry(path).or_default() += times;
    }
    Ok(ThreadSummary {
        name: thread.name.clone(),
        calls: tree.len() as u64,
        paths: own.values().sum(),
        distinct_paths: own.len() as u64,
        rounds,
        children: tree.created.len() as u64,
        answers: thread.inputs.iter().filter(|call| call.answer.is_some()).count() as u64,
        units: thread.units.len() as u64,
        lost_units: thread.lost_units,
        signal: thread.signal,
        end: match tree.end {
            RecordEnd::ThreadEnded => "ended",
            RecordEnd::ProcessEnded => "running",
            RecordEnd::Stopped => "stopped",
        },
    })
}

fn name(program: Option<&Program>, index: u32) -> String {
    let known = program.and_then(|program| {
        program.functions.iter().find(|function| function.in_program && function.module_index == index)
    });
    known.map_or_else(|| format!("function {index}"), |function| function.source_name.to_string())
}

fn coverage(profile: &Profile, program: &Program, taken: &Taken) -> Coverage {
    let mut coverage = Coverage { functions_entered: 0, functions: 0, edges_taken: 0, edges: 0 };
    for function in program.functions.iter().filter(|function| function.may_be_logged()) {
        let Some(numbering) = numbering(function, profile.process.path_limit) else { continue };
        let index = function.module_index;
        let mut edges = BTreeSet::new();
        let all = (index, 0)..=(index, u32::MAX);
        let loops = taken.loops.range(all.clone());
        let ways = loops.filter_map(|&(_, number)| numbering.ways_round().get(number as usize));
        let paths = taken.paths.range(all).map(|(&(_, path), _)| path);
        for path in paths.chain(ways.map(|(_, way)| way.path)) {
            edges.extend(numbering.decode(path).into_iter().flat_map(|path| path.edges));
        }
        coverage.functions += 1;
        coverage.functions_entered += u64::from(taken.functions.contains(&index));
        coverage.edges += function.edges.len() as u64;
        coverage.edges_taken += edges.len() as u64;
    }
    coverage
}

//! Failure sketches (Kasikci, chapter 4; Gist): of many executions, what distinguishes those that fail from
//! those that pass, and the statements that this is about.
//!
//! A sketch is made of [logs](symx_trace::RunLog) of executions and of the [slice](Material::slice) from the
//! failure, whose memory dependences are what [`writers`] finds in the logs. Predictors are ranked by their
//! F-measure. The sketch has as few statements, nearest to the failure first, as contain the best predictor
//! (adaptive slice tracking). It also has accesses of other threads to the same memory.

mod accuracy;
mod patterns;
mod ranking;
mod runs;
mod statements;

pub use accuracy::{ordering_accuracy, relevance_accuracy};
pub use runs::{Sorted, writers};

use ranking::{Ranked, best_of_types, ranking};
use statements::Statements;
use std::collections::BTreeMap;
use symx_trace::sketch::{RankedPredictor, RunCounts, SKETCH_VERSION, Sketch};
use symx_trace::{CodePlace, Failure, Location, RunLog};

/// Where instructions are in the source.
pub trait Source {
    /// Of an instruction.
    fn location(&self, place: CodePlace) -> Location;

    /// Of the code that a control-flow edge of the instruction's function leads to.
    fn target(&self, place: CodePlace, edge: u32) -> Location;
}

/// The input of a sketch.
pub struct Material<'a> {
    /// The program's path, for people.
    pub program: String,
    /// The failure.
    pub failure: &'a Failure,
    /// The executions; at least one ends in the failure.
    pub runs: &'a Sorted<'a>,
    /// The backward slice from the failure: how many statements away each instruction is.
    pub slice: &'a BTreeMap<CodePlace, u32>,
    /// Where instructions are.
    pub source: &'a dyn Source,
}

/// The sketch of a failure; `None` if no execution ends in it.
pub fn sketch(material: &Material) -> Option<Sketch> {
    let Material { runs, slice, source, .. } = material;
    let best = best_of_types(&ranking(runs, slice));
    let shown = shown_run(runs, slice, best.first())?;
    let statements = Statements { run: shown, slice, source: *source, best: &best };
    let mut limits = Vec::new();
    if runs.passing.is_empty() {
        limits.push("no execution passes, so nothing can tell failing executions from passing ones".into());
    }
    let cut = runs.failing.iter().chain(&runs.passing).filter(|run| run.is_cut).count();
    if cut > 0 {
        let executions = if cut == 1 { "execution" } else { "executions" };
        limits.push(format!("only the last accesses of {cut} long {executions} were looked at"));
    }
    let mut lines = statements.lines();
    Some(Sketch {
        version: SKETCH_VERSION,
        program: material.program.clone(),
        failure: shown.failure.clone().unwrap_or_else(|| material.failure.clone()),
        runs: RunCounts {
            failing: runs.failing.len() as u32,
            passing: runs.passing.len() as u32,
            otherwise: runs.otherwise,
        },
        predictors: best.iter().map(|ranked| told(ranked, shown, *source)).collect(),
        threads: statements.used_threads(&mut lines),
        lines,
        slice: statements.whole() as u32,
        limits,
    })
}

/// The failing execution with the fewest accesses among those in which the best predictor holds.
fn shown_run<'a>(
    runs: &Sorted<'a>,
    slice: &BTreeMap<CodePlace, u32>,
    best: Option<&Ranked>,
) -> Option<&'a RunLog> {
    let holds = |run: &&&'a RunLog| {
        best.is_none_or(|best| ranking::occurrence(run, slice, &best.predictor).is_some())
    };
    runs.failing.iter().filter(holds).min_by_key(|run| run.accesses.len()).copied()
}

fn told(ranked: &Ranked, shown: &RunLog, source: &dyn Source) -> RankedPredictor {
    use symx_trace::sketch::Predictor;
    let places = ranked.predictor.places();
    let target = match ranked.predictor {
        Predictor::Branch { place, edge } => Some(source.target(place, edge)),
        _ => None,
    };
    let names = places.iter().filter_map(|place| {
        let last = shown.accesses.iter().rev().find(|access| access.place == *place)?;
        Some(shown.object(last)).filter(|name| !name.is_empty())
    });
    let mut objects: Vec<&str> = Vec::new();
    names.for_each(|name| {
        if !objects.contains(&name) {
            objects.push(name);
        }
    });
    RankedPredictor {
        predictor: ranked.predictor.clone(),
        score: ranked.score,
        locations: places.iter().map(|place| source.location(*place)).collect(),
        target,
        object: objects.join(", "),
    }
}

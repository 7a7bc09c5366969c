//! Failure sketches (Kasikci, chapter 4; Gist): of many executions, what distinguishes those that fail from
//! those that pass, and the statements that this is about.
//!
//! A sketch is made of [logs](symx_trace::RunLog) of executions and of the [slice](Material::slice) from the
//! failure, whose memory dependences are what [`writers`] finds in the logs. Predictors are ranked by their
//! F-measure. Statements are those of one failing execution on which the failure depends in a way that
//! differs from passing executions.

mod accuracy;
mod dependences;
mod differences;
mod patterns;
mod ranking;
mod relevant;
mod runs;
mod statements;

pub use accuracy::{ordering_accuracy, relevance_accuracy};
pub use dependences::{Caller, Dependences, Need, Source};
pub use runs::{Sorted, writers};

use differences::Differences;
use ranking::{Ranked, best_of_types, ranking};
use relevant::Relevance;
use statements::Statements;
use std::collections::{BTreeMap, BTreeSet};
use symx_trace::sketch::{Predictor, RankedPredictor, SKETCH_VERSION, Sketch};
use symx_trace::{CodePlace, Failure, RunLog};

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
    let reporting = reporting_branches(runs, *source);
    let says = |predictor: &Predictor| {
        let is_known = |place: &CodePlace| source.location(*place).line != 0;
        predictor.places().iter().all(is_known)
            && !matches!(predictor, Predictor::Branch { place, .. } if reporting.contains(place))
    };
    let best = best_of_types(&ranking(runs, slice), &says);
    let shown = shown_run(runs, slice, best.first())?;
    let has_passing = !runs.passing.is_empty();
    let statements = Statements { run: shown, slice, source: *source, best: &best, has_passing };
    let parts = parts(runs, slice, best.first());
    let differences = Differences::new(shown, &parts, runs, slice);
    let relevant = Relevance::new(shown, *source, &differences).steps(&statements.of_best());
    let mut limits = Vec::new();
    if runs.passing.is_empty() {
        limits.push("no execution passes, so nothing can tell failing executions from passing ones".into());
    }
    let cut = runs.failing.iter().chain(&runs.passing).filter(|run| run.is_cut).count();
    if cut > 0 {
        let executions = if cut == 1 { "execution" } else { "executions" };
        limits.push(format!("only the last accesses of {cut} long {executions} were looked at"));
    }
    if relevant.is_cut {
        limits.push("not all dependences of the long execution were followed".into());
    }
    let mut lines = statements.lines(&relevant.steps);
    Some(Sketch {
        version: SKETCH_VERSION,
        program: material.program.clone(),
        failure: shown.failure.clone().unwrap_or_else(|| material.failure.clone()),
        runs: runs.counts(),
        followed: None,
        predictors: best.iter().map(|ranked| told(ranked, shown, *source)).collect(),
        threads: statements.used_threads(&mut lines),
        lines,
        slice: statements.whole() as u32,
        limits,
    })
}

/// The branches that lead to a report of the failure, such as that of a failed assertion. That they go there
/// says only that the failure fails.
fn reporting_branches(runs: &Sorted, source: &dyn Source) -> BTreeSet<CodePlace> {
    let ends = runs.failing.iter().flat_map(|run| &run.ends_at).map(|(_, place)| *place);
    let reports: BTreeSet<CodePlace> = ends.filter(|place| source.never_returns(*place)).collect();
    reports.into_iter().flat_map(|place| source.dependences(Need::Execution(place)).branches).collect()
}

/// The failing executions in which the best predictor holds, with the threads that have parts in the failure:
/// those that fail or wait, by where, then those of the predictor.
fn parts<'a>(
    runs: &Sorted<'a>,
    slice: &BTreeMap<CodePlace, u32>,
    best: Option<&Ranked>,
) -> Vec<(&'a RunLog, Vec<u32>)> {
    let of_run = |run: &&'a RunLog| {
        let run = *run;
        let mut ends: Vec<(CodePlace, u32)> = run.ends_at.iter().map(|(thread, at)| (*at, *thread)).collect();
        ends.sort_unstable();
        let mut threads: Vec<u32> = ends.into_iter().map(|(_, thread)| thread).collect();
        let times = best.map_or(Some(Vec::new()), |best| ranking::occurrence(run, slice, &best.predictor))?;
        for time in times {
            threads.extend(run.accesses.iter().find(|access| access.time == time).map(|it| it.thread));
        }
        Some((run, threads))
    };
    runs.failing.iter().filter_map(of_run).collect()
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
    let places = ranked.predictor.places();
    let target = match ranked.predictor {
        Predictor::Branch { place, edge } => {
            Some(source.target(place, edge)).filter(|target| target.line != 0)
        }
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

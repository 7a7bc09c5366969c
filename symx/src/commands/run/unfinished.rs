//! Explorations that were stopped early: kept in a file, and continued by `--resume`.

use super::RunArguments;
use crate::refusal::Refusal;
use crate::report::{MOST_OUTCOMES, Outcome, Report, Statistics};
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symx_posix_explore::{Exploration, Saved, Search};

/// The version of the file's format.
const VERSION: u32 = 3;

/// Its name in the folder of `--out`.
const NAME: &str = "unfinished.json";

/// An exploration that was ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Unfinished {
    version: u32,
    /// Hash of the symx that wrote it: another one may number what is in there in another way.
    build: String,
    program_hash: String,
    /// All that decides what is explored, by name.
    circumstances: BTreeMap<String, String>,
    /// The report so far.
    earlier: Report,
    saved: Arc<Saved>,
}

/// All that decides what is explored, by name; budgets and outputs are not among it.
fn circumstances(session: &Session, arguments: &RunArguments) -> BTreeMap<String, String> {
    let exploring = &arguments.exploring;
    let surroundings = &session.surroundings;
    let input = blake3::hash(&surroundings.standard_input).to_hex();
    let profile = arguments.guide.as_ref().and_then(|path| std::fs::read(path).ok());
    let profile = profile.map(|profile| blake3::hash(&profile).to_hex().to_string());
    let entries = [
        ("--memmodel", exploring.memory_model.name().to_owned()),
        ("--reduction", format!("{:?}", exploring.reduction)),
        ("--symmetry", exploring.symmetry.to_string()),
        ("--search", exploring.search_name().to_owned()),
        ("--preemptions", format!("{:?}", exploring.preemptions)),
        ("--delays", format!("{:?}", exploring.delays)),
        ("--max-depth", format!("{:?}", exploring.max_depth)),
        ("--max-steps", format!("{:?}", exploring.max_steps)),
        ("--unroll", format!("{:?}", exploring.unroll)),
        ("--spurious-wakeups", exploring.spurious_wakeups.to_string()),
        ("--independent-descriptors", exploring.independent_descriptors.to_string()),
        ("--check", format!("{:?}", exploring.check)),
        ("--property", exploring.properties().name()),
        ("--expect-stdout", format!("{:?}", session.options.expected_output)),
        ("--keep-going", exploring.keep_going.to_string()),
        ("the profile of --guide", profile.unwrap_or_else(|| "none".into())),
        ("--undefined", format!("{:?}", session.options.tolerance)),
        ("--what-if", format!("{:?}", arguments.what_if)),
        ("--mount", format!("{:?}", arguments.surroundings.mounts)),
        ("the program's arguments", format!("{:?}", surroundings.arguments.get(1..))),
        ("the program's environment", format!("{:?}", surroundings.environment)),
        ("standard input", input.to_string()),
        ("the symbolic inputs", format!("{:?}", surroundings.symbolic)),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Hash of the running program.
fn build() -> Result<String, Refusal> {
    let path = std::env::current_exe().map_err(|error| Refusal::unreadable("symx", error))?;
    let mut hasher = blake3::Hasher::new();
    // It is larger than all that many an exploration takes.
    std::fs::File::open(&path)
        .and_then(|file| hasher.update_reader(file).map(|_| ()))
        .map_err(|error| Refusal::unreadable(&path, error))?;
    Ok(hasher.finalize().to_hex().to_string())
}

impl Unfinished {
    /// Writes what is left of an exploration into `folder`. The file's path.
    pub fn write(
        folder: &Path,
        session: &Session,
        arguments: &RunArguments,
        report: &Report,
        saved: &Arc<Saved>,
    ) -> Result<PathBuf, Refusal> {
        let unfinished = Self {
            version: VERSION,
            build: build()?,
            program_hash: session.loaded.hash.clone(),
            circumstances: circumstances(session, arguments),
            earlier: report.clone(),
            saved: Arc::clone(saved),
        };
        let path = folder.join(NAME);
        let failed = |error: std::io::Error| Refusal::unwritable(&path, error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        // A process that is ended while writing leaves the file of the time before.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        serde_json::to_writer(std::io::BufWriter::new(&mut file), &unfinished)
            .map_err(|error| failed(error.into()))?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(path)
    }

    /// Reads what an earlier run left in `folder`, and checks that it fits what is to be run now.
    pub fn read(folder: &Path, session: &Session, arguments: &RunArguments) -> Result<Self, Refusal> {
        /// The fields that every version has.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let path = folder.join(NAME);
        let text = std::fs::read(&path).map_err(|error| Refusal::unreadable(&path, error))?;
        let refused = |why: String| Refusal::Unfinished { path: path.clone(), why };
        let damaged = |error: serde_json::Error| refused(format!("damaged: {error}"));
        let Versioned { version } = serde_json::from_slice(&text).map_err(damaged)?;
        if version != VERSION {
            return Err(refused(format!("format version {version}; this symx reads {VERSION}")));
        }
        let unfinished: Self = serde_json::from_slice(&text).map_err(damaged)?;
        if unfinished.build != build()? {
            return Err(refused("saved by a different build of symx".into()));
        }
        if unfinished.program_hash != session.loaded.hash {
            return Err(refused("saved by the exploration of a different program".into()));
        }
        for (name, now) in circumstances(session, arguments) {
            let then = unfinished.circumstances.get(&name);
            if then != Some(&now) {
                let then = then.map_or("nothing", String::as_str);
                return Err(refused(format!("{name} was {then}, and is {now} now")));
            }
        }
        if !unfinished.saved.is_sound() {
            return Err(refused("damaged: it contradicts itself".into()));
        }
        Ok(unfinished)
    }

    /// Where to continue.
    pub fn saved(&self) -> Arc<Saved> {
        Arc::clone(&self.saved)
    }

    /// How many errors were found before.
    pub fn violations(&self) -> usize {
        self.earlier.violations.len()
    }

    /// Removes the file from its folder: the exploration is complete.
    pub fn remove(folder: &Path) {
        // It does no harm if it stays.
        let _ = std::fs::remove_file(folder.join(NAME));
    }

    /// Executions that were counted before and are not counted again.
    pub fn executions(&self, exploration: &Exploration) -> u64 {
        if exploration.begun_anew { 0 } else { self.earlier.stats.executions }
    }

    /// Adds what was found before; and what was counted, unless the exploration had to restart. The bound
    /// that an iterative search had completed is left out: the rest of it names another one.
    pub fn add_to(self, report: &mut Report, exploration: &Exploration, search: Search) {
        let mut earlier = self.earlier;
        earlier.incomplete.retain(|cut| Some(cut.reason) != search.bound_reason());
        if exploration.begun_anew {
            earlier.outcomes = Some(Vec::new());
            earlier.stats = Statistics { wall_ms: earlier.stats.wall_ms, ..Statistics::default() };
        }
        let found = std::mem::replace(&mut report.violations, earlier.violations);
        for violation in found {
            let is_same = |known: &crate::report::Violation| {
                (&known.kind, &known.detail, &known.location)
                    == (&violation.kind, &violation.detail, &violation.location)
            };
            if !report.violations.iter().any(is_same) {
                report.violations.push(violation);
            }
        }
        report.outcomes = match (earlier.outcomes, report.outcomes.take()) {
            (Some(before), Some(now)) => {
                Some(together(before, now)).filter(|outcomes| outcomes.len() <= MOST_OUTCOMES)
            }
            _ => None,
        };
        earlier.incomplete.retain(|cut| !cut.reason.ends_exploration());
        add_new(&mut report.incomplete, earlier.incomplete);
        add_new(&mut report.warnings, earlier.warnings);
        add_new(&mut report.contradictions, earlier.contradictions);
        add_new(&mut report.notes, earlier.notes);
        report.property = earlier.property;
        report.beyond_reads_from = report.beyond_reads_from.take().or(earlier.beyond_reads_from);
        let (now, before) = (&mut report.stats, earlier.stats);
        now.executions += before.executions;
        now.blocked += before.blocked;
        now.paths += before.paths;
        now.instructions += before.instructions;
        now.events += before.events;
        now.threads = now.threads.max(before.threads);
        now.queries += before.queries;
        now.cache_hits += before.cache_hits;
        now.solver_queries += before.solver_queries;
        now.solver_ms += before.solver_ms;
        now.wall_ms += before.wall_ms;
        now.peak_rss_kib = now.peak_rss_kib.max(before.peak_rss_kib);
        report.verdict = Report::verdict(&report.violations, &report.incomplete);
    }
}

/// Adds what is not there.
fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

/// Outcomes of two parts of an exploration.
fn together(before: Vec<Outcome>, now: Vec<Outcome>) -> Vec<Outcome> {
    let mut all: BTreeMap<(String, Option<String>, u8), Outcome> = BTreeMap::new();
    for outcome in before.into_iter().chain(now) {
        let key = (outcome.stdout.clone(), outcome.hex.clone(), outcome.exit_status);
        all.entry(key)
            .and_modify(|known| {
                known.executions += outcome.executions;
                known.example |= outcome.example;
            })
            .or_insert(outcome);
    }
    all.into_values().collect()
}

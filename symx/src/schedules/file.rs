//! Schedules read back from files.

use crate::load::Loaded;
use crate::options::symbolic;
use crate::refusal::Refusal;
use crate::schedules::limits::MOST_DECISIONS;
use serde::Deserialize;
use std::path::Path;
use symx_memmodel::MemoryModel;
use symx_trace::Schedule;
use symx_trace::schedule::VERSION;

/// The part of a schedule that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
    /// What no other file of symx has by this name.
    decisions: Option<serde::de::IgnoredAny>,
}

/// Reads a schedule; one of another version is refused by that name, whatever else is in it.
pub fn read(path: &Path) -> Result<Schedule, Refusal> {
    let refused = |why: String| Refusal::Schedule { path: path.into(), why };
    let text = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    let versioned: Versioned =
        serde_json::from_slice(&text).map_err(|error| refused(format!("not a schedule: {error}")))?;
    if versioned.decisions.is_none() {
        return Err(refused("not a schedule: it has no decisions".into()));
    }
    if versioned.version != VERSION {
        return Err(refused(format!("format version {}; this symx reads {VERSION}", versioned.version)));
    }
    let schedule: Schedule =
        serde_json::from_slice(&text).map_err(|error| refused(format!("damaged: {error}")))?;
    bounded(&schedule).map_err(|why| refused(format!("damaged: {why}")))?;
    Ok(schedule)
}

/// Whether there is room for what a few digits of a schedule ask for.
fn bounded(schedule: &Schedule) -> Result<(), String> {
    let decisions = schedule.decisions.iter().map(|run| u64::from(run.times));
    if decisions.fold(0, u64::saturating_add) > MOST_DECISIONS {
        return Err(format!("a schedule has at most {MOST_DECISIONS} decisions"));
    }
    symbolic::check(&schedule.symbolic)
}

/// Checks that a schedule belongs to a program, and finds its memory model.
pub fn check(
    path: &Path,
    schedule: &Schedule,
    program: &Loaded,
) -> Result<&'static dyn MemoryModel, Refusal> {
    let refused = |why: String| Refusal::Schedule { path: path.into(), why };
    if schedule.program_hash != program.hash {
        return Err(refused(format!(
            "recorded for a different build of `{}` (hash {}, not {}): record again",
            schedule.program,
            short(&schedule.program_hash),
            short(&program.hash)
        )));
    }
    symx_memmodel::by_name(&schedule.memory_model)
        .ok_or_else(|| refused(format!("memory model `{}` is not known", schedule.memory_model)))
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let refusal = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path).unwrap_err().to_string()
        };
        assert!(refusal("{\"version\": 99, \"decisions\": []}").contains("format version 99"));
        assert!(refusal("{\"version\": 1, \"decisions\": []}").contains("damaged"));
        assert!(refusal("{\"version\": 1}").contains("not a schedule: it has no decisions"));
        assert!(refusal("nonsense").contains("not a schedule"));
    }

    #[test]
    fn a_schedule_that_asks_for_too_much_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let mut schedule: Schedule = serde_json::from_value(serde_json::json!({
            "version": VERSION, "program": "a.c", "program_hash": "00", "memory_model": "sc", "arguments": [],
            "environment": [], "standard_input": "", "visible_sites": [], "tolerates_sync_misuse": false, "threads": ["0"],
            "inputs": [], "decisions": [{ "decision": { "run": { "thread": 0 } }, "times": 3 }], "failure": null
        }))
        .unwrap();
        let refusal = |schedule: &Schedule| {
            std::fs::write(&path, serde_json::to_string(schedule).unwrap()).unwrap();
            read(&path).err().map(|refusal| refusal.to_string()).unwrap_or_default()
        };
        assert_eq!(refusal(&schedule), "");
        schedule.symbolic.standard_input = u64::MAX;
        assert!(refusal(&schedule).contains("at most 1048576 bytes"));
        schedule.symbolic.standard_input = 0;
        schedule.decisions[0].times = u32::MAX;
        assert!(refusal(&schedule).contains("at most 67108864 decisions"));
    }
}

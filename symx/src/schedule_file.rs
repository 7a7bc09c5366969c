//! Schedules read back from files.

use crate::load::Loaded;
use crate::refusal::Refusal;
use serde::Deserialize;
use std::path::Path;
use symx_memmodel::MemoryModel;
use symx_trace::Schedule;
use symx_trace::schedule::VERSION;

/// The part of a schedule that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Reads a schedule; one of another version is refused by that name, whatever else is in it.
pub fn read(path: &Path) -> Result<Schedule, Refusal> {
    let refused = |why: String| Refusal::Schedule { path: path.into(), why };
    let text = std::fs::read_to_string(path).map_err(|error| Refusal::unreadable(path, error))?;
    let versioned: Versioned =
        serde_json::from_str(&text).map_err(|error| refused(format!("not a schedule: {error}")))?;
    if versioned.version != VERSION {
        return Err(refused(format!("format version {}; this symx reads {VERSION}", versioned.version)));
    }
    serde_json::from_str(&text).map_err(|error| refused(format!("damaged: {error}")))
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
            "made for another program: `{}` of hash {}, not {}",
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
        assert!(refusal("{\"version\": 99}").contains("format version 99"));
        assert!(refusal("{\"version\": 1}").contains("damaged"));
        assert!(refusal("nonsense").contains("not a schedule"));
    }
}

//! Executions that files give. A schedule is replayed; profiles of equal paths are followed together.

use super::followed::EqualPaths;
use super::opening::{Given, Opening, logged};
use crate::limits::budget::Deadline;
use crate::load::profile::read_profile;
use crate::options::ProgramOptions;
use crate::refusal::Refusal;
use crate::schedules::scheduled::Scheduled;
use crate::text::counted;
use std::io::Read;
use std::path::{Path, PathBuf};
use symx_memmodel::{MemoryModel, SequentialConsistency};
use symx_trace::Decision;
use symx_trace::profile::DecodeError;
use symx_trace::sketch::FollowedProfiles;

/// The executions of some files.
#[derive(Default)]
pub struct GivenRuns {
    /// Those of schedules, then those of profiles.
    pub given: Vec<Given>,
    /// The profiles among the files, if there are any.
    pub followed: Option<FollowedProfiles>,
    /// What was left out, a sentence each.
    pub limits: Vec<String>,
}

/// A file, read.
enum Opened {
    Schedule(Box<Given>),
    Profile(Box<EqualPaths>),
}

impl Opening<'_> {
    /// The executions of these files. A file without any is left out if others have some.
    pub fn open_all(&self, files: &[PathBuf]) -> Result<GivenRuns, Refusal> {
        let mut runs = GivenRuns::default();
        let mut profiles: Vec<EqualPaths> = Vec::new();
        let mut left_out = LeftOut::default();
        for file in files {
            match self.open(file) {
                Ok(Opened::Schedule(given)) => runs.given.push(*given),
                Ok(Opened::Profile(found)) => {
                    match profiles.iter_mut().find(|equal| equal.path == found.path) {
                        Some(equal) => equal.files.extend(found.files),
                        None => profiles.push(*found),
                    }
                }
                Err(why) => left_out.add(self.end, 1, why),
            }
        }
        for (equal, rest) in profiles.iter().zip((1..=profiles.len() as u32).rev()) {
            let end = self.end.within(self.end.left() / rest);
            match self.followed(equal, &end) {
                Ok(given) => {
                    let none = FollowedProfiles { profiles: 0, paths: 0, executions: 0 };
                    let followed = runs.followed.get_or_insert(none);
                    followed.profiles += equal.files.len() as u32;
                    followed.paths += 1;
                    followed.executions += given.logs.len() as u32;
                    runs.given.push(given);
                }
                Err(why) => left_out.add(self.end, equal.files.len(), why),
            }
        }
        if runs.given.is_empty()
            && let Some(why) = left_out.first
        {
            return Err(why);
        }
        runs.limits = left_out.notes;
        if let (Some(reason), 1..) = (self.end.reason(), left_out.late) {
            let (late, all) = (left_out.late, files.len());
            runs.limits.insert(0, format!("incomplete: {reason}: {late} of {all} files were not followed"));
        }
        Ok(runs)
    }

    fn open(&self, path: &Path) -> Result<Opened, Refusal> {
        if let Some(reason) = self.end.reason() {
            return Err(Refusal::Ended { path: path.into(), reason });
        }
        let mut first = [0];
        let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut first));
        read.map_err(|error| Refusal::unreadable(path, error))?;
        // A schedule is a JSON object.
        if first == *b"{" {
            return Ok(Opened::Schedule(Box::new(self.scheduled(path)?)));
        }
        let profile = read_profile(path, &self.end.cutoff())?;
        let recorded = profile.path(&self.end.cutoff()).map_err(|error| match error {
            DecodeError::Stopped { reason, .. } => Refusal::Ended { path: path.into(), reason },
            error => Refusal::Profile { path: path.into(), why: error.to_string() },
        })?;
        Ok(Opened::Profile(Box::new(EqualPaths { profile, path: recorded, files: vec![path.into()] })))
    }

    fn scheduled(&self, path: &Path) -> Result<Given, Refusal> {
        let ProgramOptions { program, surroundings, .. } = self.program;
        let refused = |why: String| Refusal::Schedule { path: path.into(), why };
        let scheduled = Scheduled::open(program, path, surroundings, self.source)?;
        let Scheduled { schedule, session, options, sites } = scheduled;
        if session.memory_model.name() != SequentialConsistency.name() {
            return Err(refused("a sketch needs executions under sequential consistency".into()));
        }
        let decisions: Vec<Decision> = schedule.unfolded().collect();
        let inputs = schedule.inputs.clone();
        let log = logged(&session, &inputs, sites.as_deref(), &decisions, &options, self.end);
        let log = log.map_err(refused)?;
        let is_reproduced = match (&log.failure, &schedule.failure) {
            (Some(seen), Some(expected)) => seen.same_fault(expected),
            (None, None) => true,
            _ => false,
        };
        if !is_reproduced {
            return Err(refused("the execution does not end as the schedule says".into()));
        }
        Ok(Given { session, options, inputs, logs: vec![log] })
    }
}

/// Files without an execution.
#[derive(Default)]
struct LeftOut {
    /// Why the first is.
    first: Option<Refusal>,
    /// Why others than late ones are, a sentence each.
    notes: Vec<String>,
    /// How many came too late.
    late: usize,
}

impl LeftOut {
    fn add(&mut self, end: &Deadline, files: usize, why: Refusal) {
        if end.is_over() {
            self.late += files;
        } else {
            let others = match files - 1 {
                0 => String::new(),
                others => format!("; so are {} with equal paths", counted(others as u64, "profile")),
            };
            self.notes.push(format!("left out: {why}{others}"));
        }
        self.first.get_or_insert(why);
    }
}

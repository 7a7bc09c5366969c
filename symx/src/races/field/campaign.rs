//! Which installation watches which candidate, in a file.

use super::listed::Listed;
use crate::report::{CandidateEnd, CandidateReport};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// The version of the format.
const FORMAT: u32 = 1;

/// An installation and what it watches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The installation's name.
    pub installation: String,
    /// The candidate's number.
    pub candidate: usize,
}

/// A campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Campaign {
    format: u32,
    /// The hash of the program.
    pub program: String,
    /// In the order in which they were made.
    pub assignments: Vec<Assignment>,
}

/// Why there is no next candidate.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// It is no campaign.
    #[error("not a campaign: {0}")]
    Malformed(String),
    /// It has another format.
    #[error("format version {0}; this symx reads {FORMAT}")]
    OtherFormat(u32),
    /// It is of another program.
    #[error("a campaign for another program ({campaign:.12}, not {listed:.12})")]
    OtherProgram {
        /// The campaign's.
        campaign: String,
        /// The list's.
        listed: String,
    },
}

/// The file of a campaign, locked until it is closed: installations are often built in parallel.
pub struct CampaignFile {
    file: File,
    /// Its content.
    pub campaign: Campaign,
}

impl CampaignFile {
    /// Opens a file; one that is new or empty is a campaign without assignments.
    pub fn open(path: &Path, listed: &Listed) -> Result<Self, CampaignError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let campaign = match text.trim() {
            "" => Campaign { format: FORMAT, program: listed.program.clone(), assignments: Vec::new() },
            text => {
                serde_json::from_str(text).map_err(|error| CampaignError::Malformed(error.to_string()))?
            }
        };
        match &campaign {
            Campaign { format, .. } if *format != FORMAT => Err(CampaignError::OtherFormat(*format)),
            Campaign { program, .. } if *program != listed.program => {
                Err(CampaignError::OtherProgram { campaign: program.clone(), listed: listed.program.clone() })
            }
            _ => Ok(Self { file, campaign }),
        }
    }

    /// Adds an assignment and writes the file.
    pub fn assign(&mut self, candidate: usize, installation: Option<&str>) -> Result<(), CampaignError> {
        let assignments = &mut self.campaign.assignments;
        let installation = match installation {
            Some(name) => name.to_owned(),
            None => format!("{}", assignments.len() + 1),
        };
        assignments.push(Assignment { installation, candidate });
        let text = serde_json::to_string_pretty(&self.campaign).expect("plain data becomes JSON");
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())?;
        self.file.write_all(b"\n")?;
        let length = self.file.stream_position()?;
        Ok(self.file.set_len(length)?)
    }
}

impl Campaign {
    /// The candidates that may be watched: the least watched first, then those that are open, then those of
    /// one place, then by number.
    pub fn order(&self, listed: &Listed) -> Vec<usize> {
        let watched = |number: usize| self.assignments.iter().filter(|made| made.candidate == number).count();
        let mut order: Vec<&CandidateReport> = listed.candidates.iter().collect();
        order.sort_by_cached_key(|candidate| {
            let is_known = candidate.end != CandidateEnd::Open;
            (watched(candidate.number), is_known, candidate.rank(), candidate.number)
        });
        order.iter().map(|candidate| candidate.number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::joined::tests::list;
    use super::*;

    #[test]
    fn open_candidates_come_first_and_those_of_one_place_before_others() {
        let mut listed = list(4);
        listed.candidates[0].end = CandidateEnd::Refuted;
        listed.candidates[1].end = CandidateEnd::Confirmed;
        listed.candidates[3].is_ordered = true;
        let campaign = Campaign { format: FORMAT, program: "aa".into(), assignments: Vec::new() };
        assert_eq!(campaign.order(&listed), [4, 3, 2, 1]);
    }

    #[test]
    fn the_least_watched_candidate_is_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("campaign.json");
        let listed = list(3);
        for expected in [1, 2, 3, 1, 2] {
            let mut file = CampaignFile::open(&path, &listed).unwrap();
            assert_eq!(file.campaign.order(&listed)[0], expected);
            file.assign(expected, (expected == 3).then_some("berlin")).unwrap();
        }
        let campaign = CampaignFile::open(&path, &listed).unwrap().campaign;
        let names: Vec<_> = campaign.assignments.iter().map(|made| made.installation.as_str()).collect();
        assert_eq!(names, ["1", "2", "berlin", "4", "5"]);
        let other = Listed { program: "bb".into(), ..listed.clone() };
        assert!(matches!(CampaignFile::open(&path, &other), Err(CampaignError::OtherProgram { .. })));
        std::fs::write(&path, "[1]").unwrap();
        assert!(matches!(CampaignFile::open(&path, &listed), Err(CampaignError::Malformed(_))));
    }
}

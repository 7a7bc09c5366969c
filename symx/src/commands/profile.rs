//! `symx profile`: look into a profile.

use crate::limits::budget::Deadline;
use crate::limits::memory::KeptFree;
use crate::load::profile::read_profile;
use crate::load::{Wanted, load};
use crate::native::profile_summary::Summary;
use crate::native::profile_words::{describe_end, gaps};
use crate::refusal::Refusal;
use crate::text::visible;
use clap::Subcommand;
use std::path::PathBuf;
use symx_trace::profile::ProgramHash;

/// What to do with a profile.
#[derive(Subcommand, Debug)]
pub enum ProfileCommand {
    /// Print a profile: the calls and paths of each thread, and the most frequent paths
    Show {
        /// The profile
        #[arg(value_name = "PROFILE")]
        profile: PathBuf,
        /// The recorded program, for function names and coverage
        #[arg(long, value_name = "PROG")]
        program: Option<PathBuf>,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub fn profile(command: &ProfileCommand) -> Result<u8, Refusal> {
    let ProfileCommand::Show { profile: path, program, json } = command;
    let stop = Deadline::at(None).or_without_memory(None, KeptFree::Eighth).cutoff();
    let profile = read_profile(path, &stop)?;
    let refused = |why: String| Refusal::Profile { path: path.clone(), why };
    let loaded = program.as_ref().map(|program| load(program, Wanted::default())).transpose()?;
    let program = loaded.as_ref().map(|loaded| &loaded.program);
    if let Some(program) = program {
        profile.check_program(ProgramHash(program.hash)).map_err(|error| refused(error.to_string()))?;
    }
    let end = describe_end(&profile.process.end);
    let summary = Summary::new(&profile, program.map(|program| &**program), end, gaps(&profile), &stop);
    let summary = summary.map_err(|error| refused(error.to_string()))?;
    if *json {
        println!("{}", serde_json::to_string_pretty(&summary).expect("plain data becomes JSON"));
    } else {
        print!("{}", visible(&summary.text()));
    }
    Ok(0)
}

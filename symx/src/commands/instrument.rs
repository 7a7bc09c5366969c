//! `symx instrument`: a native program from bitcode that records its paths, or watches one candidate.

use super::races::field::read_list;
use crate::load;
use crate::native::driver::linked_again;
use crate::races::field::campaign::CampaignFile;
use crate::races::field::listed::Listed;
use crate::refusal::Refusal;
use crate::text::one_line;
use clap::Args;
use std::path::{Path, PathBuf};
use symx_recorder::{BuildError, BuildOptions, WatchError, build, build_watching};
use symx_trace::profile::ProgramHash;

/// Arguments of `instrument`.
#[derive(Args, Debug)]
pub struct InstrumentArguments {
    /// The program: .bc, .ll, a .c/.cc file that clang compiles, or a binary built by `symx cc`
    #[arg(value_name = "PROG")]
    program: PathBuf,
    /// The native program to write
    #[arg(short = 'o', long = "output", value_name = "BIN")]
    binary: PathBuf,
    /// Level of optimisation after instrumentation, as in clang's -O
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2")]
    optimisation: String,
    /// Record nothing, and watch the candidate of this number for a race instead. SYMX_WATCH_DIR names the
    /// folder of the reports when it runs, by its absolute path; `symx field` reads them
    #[arg(long, value_name = "N", requires = "candidates", conflicts_with = "campaign")]
    watch: Option<usize>,
    /// The result of `symx races PROG.bc --candidates --json FILE`
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// Watch the candidate that the fewest installations of this campaign watch, and add this one to it
    #[arg(long, value_name = "FILE", requires = "candidates")]
    campaign: Option<PathBuf>,
    /// The name of this installation in the campaign [default: a number]
    #[arg(long, value_name = "NAME", requires = "campaign")]
    installation: Option<String>,
    /// Further arguments for linking, such as -lz
    #[arg(last = true, value_name = "LINK ARGS", allow_hyphen_values = true)]
    link_arguments: Vec<String>,
}

/// Runs the command.
pub fn instrument(arguments: &InstrumentArguments) -> Result<u8, Refusal> {
    load::check(&arguments.program)?;
    let program = load::bitcode(&arguments.program, load::Compilation::default())?;
    let mut link_arguments = linked_again(&arguments.program)?;
    link_arguments.extend(arguments.link_arguments.iter().cloned());
    let options = BuildOptions {
        optimisation: arguments.optimisation.clone(),
        link_arguments,
        ..BuildOptions::default()
    };
    let Some(list) = &arguments.candidates else {
        build(&program, &arguments.binary, &options).map_err(|error| match error {
            BuildError::Instrument(why) => {
                Refusal::Undecodable { path: arguments.program.clone(), why: why.to_string() }
            }
            other => cannot(arguments, &other),
        })?;
        return Ok(0);
    };
    let listed = read_list(list)?;
    let refused = |why: String| Refusal::Candidates { path: list.clone(), why };
    listed.check_program(ProgramHash::of(&program)).map_err(|error| refused(error.to_string()))?;
    let watching = Watching { arguments, list, listed: &listed, program: &program, options: &options };
    match (arguments.watch, &arguments.campaign) {
        (Some(number), _) => watching.build(number)?,
        (None, Some(campaign)) => watching.build_next(campaign)?,
        (None, None) => {
            return Err(Refusal::Usage("--candidates: --watch N or --campaign FILE says which one".into()));
        }
    }
    Ok(0)
}

fn cannot(arguments: &InstrumentArguments, error: &BuildError) -> Refusal {
    Refusal::Recording(format!("cannot instrument `{}`: {error}", arguments.program.display()))
}

/// A program to build that watches a candidate of a list.
struct Watching<'a> {
    arguments: &'a InstrumentArguments,
    list: &'a Path,
    listed: &'a Listed,
    program: &'a [u8],
    options: &'a BuildOptions,
}

impl Watching<'_> {
    /// Watches the candidate of that number.
    fn build(&self, number: usize) -> Result<(), Refusal> {
        let refused = |why: String| Refusal::Candidates { path: self.list.to_path_buf(), why };
        let pair = self.listed.pair(number).map_err(|error| refused(error.to_string()))?;
        match build_watching(self.program, &pair, &self.arguments.binary, self.options) {
            Ok(_) => Ok(()),
            Err(BuildError::Watch(why @ (WatchError::NoSuchPlace(_) | WatchError::NoSuchAccess(_)))) => {
                Err(refused(format!("candidate {number}: {why}")))
            }
            Err(BuildError::Watch(why)) => {
                Err(Refusal::Undecodable { path: self.arguments.program.clone(), why: why.to_string() })
            }
            Err(other) => Err(cannot(self.arguments, &other)),
        }
    }

    /// Watches the next candidate of a campaign. Those that cannot be watched are passed over.
    fn build_next(&self, campaign: &Path) -> Result<(), Refusal> {
        let refused = |error: &dyn std::fmt::Display| Refusal::Candidates {
            path: campaign.to_path_buf(),
            why: error.to_string(),
        };
        let mut file = CampaignFile::open(campaign, self.listed).map_err(|error| refused(&error))?;
        for number in file.campaign.order(self.listed) {
            match self.build(number) {
                Ok(()) => {
                    let name = self.arguments.installation.as_deref();
                    file.assign(number, name).map_err(|error| refused(&error))?;
                    let binary = self.arguments.binary.display().to_string();
                    println!("{} watches candidate {number}", one_line(&binary));
                    return Ok(());
                }
                Err(why @ Refusal::Candidates { .. }) => {
                    eprintln!("symx: passed over: {}", one_line(&why.to_string()))
                }
                Err(other) => return Err(other),
            }
        }
        Err(refused(&"no candidate of the list can be watched"))
    }
}

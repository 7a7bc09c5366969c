//! The task of a campaign on a worker.

use crate::commands::run::campaign_task::Task;
use crate::commands::run::{RunArguments, bound, machine_options};
use crate::load::profile::{guide, profile_in};
use crate::load::{Wanted, load};
use crate::options::{CompilingOptions, ProgramOptions, SurroundingOptions};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::session::sent_files::SentFiles;
use crate::session::surroundings::{Elsewhere, Surroundings};
use std::path::Path;
use std::sync::Arc;
use symx_cluster::{Cluster, Digest};
use symx_expr::StopToken;

/// Reads a command line: the exploration that it asks for, if it asks for one, or why it is none.
pub type ReadCommand = fn(&[String]) -> Result<Option<Box<RunArguments>>, String>;

/// A task on a worker, ready to be worked on.
pub struct Prepared {
    pub session: Session,
    pub arguments: Box<RunArguments>,
}

impl Prepared {
    /// The task that was kept there, unless preparing it is ended.
    pub fn new(
        cluster: &Cluster,
        kept: &Digest,
        read: ReadCommand,
        stop: &StopToken,
    ) -> Result<Self, Refusal> {
        let damaged = |why: String| Refusal::Usage(format!("the campaign's task: {why}"));
        let task: Task =
            serde_json::from_slice(&cluster.get(kept)?).map_err(|error| damaged(error.to_string()))?;
        let Some(mut arguments) = read(&task.command).map_err(damaged)? else {
            return Err(damaged("no exploration".into()));
        };
        let asked = Some(task.properties.clone()).filter(|properties| !properties.is_empty());
        arguments.exploring.property = asked.into_iter().collect();
        let program = cluster.get(&task.program)?;
        let folder = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
        let path = folder.path().join(if is_text(&program) { "program.ll" } else { "program.bc" });
        std::fs::write(&path, &program).map_err(|error| Refusal::unwritable(&path, error))?;
        let profile = task.profile.as_ref().map(|profile| cluster.get(profile)).transpose()?;
        let files = postcard::from_bytes(&cluster.get(&task.files)?);
        let files = files.map_err(|error| damaged(error.to_string()))?;
        let session = bound_to(task, &path, &arguments, files, (profile.as_deref(), stop))?;
        Ok(Self { session, arguments })
    }
}

/// A session for the program at a path, bound to what the task says of it.
fn bound_to(
    task: Task,
    path: &Path,
    arguments: &RunArguments,
    files: SentFiles,
    (profile, stop): (Option<&[u8]>, &StopToken),
) -> Result<Session, Refusal> {
    let loaded =
        load(path, Wanted::at(arguments.surroundings.symbolic.entry()))?.under(&arguments.what_if)?;
    let mut surroundings = Surroundings {
        arguments: task.arguments,
        environment: task.environment,
        standard_input: task.standard_input,
        symbolic: task.symbolic,
        recorded_calls: std::collections::BTreeMap::new(),
        elsewhere: Some(Elsewhere { directory: task.directory, files: Arc::new(files) }),
    };
    let mut options = machine_options(arguments, &surroundings);
    options.expected_output = task.expected_output.map(Into::into);
    if let (Some(bytes), Some(path)) = (profile, &arguments.guide) {
        let profile = profile_in(bytes, path, stop)?;
        surroundings.take_calls_from(&profile);
        options.guide = Some(Arc::new(guide(path, &profile, &loaded.program, stop)?));
    }
    let program = ProgramOptions {
        program: path.into(),
        arguments: Vec::new(),
        surroundings: SurroundingOptions::default(),
        undefined: arguments.undefined.clone(),
        // It is compiled.
        compiling: CompilingOptions::default(),
    };
    bound(arguments, &program, loaded, surroundings, options)
}

/// Whether a program is LLVM's text.
fn is_text(program: &[u8]) -> bool {
    !program.starts_with(b"BC") && !program.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

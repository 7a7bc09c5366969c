//! The task of a campaign, as its workers get it: the program, its surroundings, and the command line.

use super::RunArguments;
use crate::load::{bitcode, c_library, cxx_library};
use crate::options::properties::Properties;
use crate::refusal::Refusal;
use crate::schedules::guided::Engine;
use crate::session::Session;
use crate::session::sent_files::SentFiles;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use symx_cluster::{Cluster, Digest};
use symx_posix_explore::Search;
use symx_trace::SymbolicSurroundings;

/// The exploration to do, and how.
#[derive(Clone, Serialize, Deserialize)]
pub struct Task {
    /// The command line of `symx run`: every worker reads the same options out of it.
    pub command: Vec<String>,
    pub program: Digest,
    pub arguments: Vec<String>,
    pub environment: Vec<String>,
    pub standard_input: Vec<u8>,
    pub symbolic: SymbolicSurroundings,
    /// The folder of the process, and the files that it sees.
    pub directory: String,
    pub files: Digest,
    pub expected_output: Option<Vec<u8>>,
    /// The recorded paths to follow.
    pub profile: Option<Digest>,
    /// What counts, and so which ends of executions are quiet: a file that states it is on one machine only.
    pub properties: Properties,
}

/// Options that do not make an exploration another one: where it runs, how long, and where results go.
const OWN: &[&str] = &[
    "--attach",
    "--cluster",
    "--color",
    "--json",
    "--max-time",
    "--nats-ca",
    "--nats-cert",
    "--nats-creds",
    "--nats-key",
    "--out",
    // Part of the task as data.
    "--property",
    "--sarif",
    "--slice",
    "--source-root",
    "--witness",
];

/// The same, of options without a value.
const OWN_FLAGS: &[&str] = &["--quiet", "--no-explain"];

impl Task {
    /// The task that this process was given. The program and its profile go into the server's store.
    pub fn new(cluster: &Cluster, session: &Session, arguments: &RunArguments) -> Result<Self, Refusal> {
        let loaded = &session.loaded;
        let profile = arguments.guide.as_ref().map(|path| {
            let profile = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
            Ok::<_, Refusal>(cluster.put(&profile)?)
        });
        let surroundings = &session.surroundings;
        let command: Result<Vec<String>, _> =
            arguments.words.iter().cloned().map(std::ffi::OsString::into_string).collect();
        let command = command.map_err(|text| {
            Refusal::Usage(format!("--cluster: `{}` is not text that can be sent", text.display()))
        })?;
        Ok(Self {
            command: shared(command),
            program: cluster.put(&bitcode(&loaded.path, loaded.compilation())?)?,
            arguments: surroundings.arguments.clone(),
            environment: surroundings.environment.clone(),
            standard_input: surroundings.standard_input.clone(),
            symbolic: surroundings.symbolic.clone(),
            directory: surroundings.directory()?,
            files: cluster.put(&postcard::to_stdvec(&session.files_to_send()?).unwrap_or_default())?,
            expected_output: session.options.expected_output.as_deref().map(<[u8]>::to_vec),
            profile: profile.transpose()?,
            properties: arguments.exploring.properties(),
        })
    }

    /// Whether a campaign of the other one, as that was kept, is one of this one. Some folders that the
    /// program sees may have been written into since.
    pub fn is_that_of(&self, cluster: &Cluster, kept: &Digest) -> Result<bool, Refusal> {
        if *kept == Digest::of(&self.to_bytes()) {
            return Ok(true);
        }
        let Ok(other) = serde_json::from_slice::<Self>(&cluster.get(kept)?) else { return Ok(false) };
        if Digest::of(&Self { files: other.files.clone(), ..self.clone() }.to_bytes()) != *kept {
            return Ok(false);
        }
        let read = |files: &Digest| Ok::<_, Refusal>(postcard::from_bytes(&cluster.get(files)?).ok());
        let (own, others): (Option<SentFiles>, Option<SentFiles>) = (read(&self.files)?, read(&other.files)?);
        Ok(own.zip(others).is_some_and(|(own, others)| own.hold_the_same(&others)))
    }

    /// As it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A command line without what is this process's own.
fn shared(command: Vec<String>) -> Vec<String> {
    let mut kept = vec!["symx".to_owned()];
    let mut words = command.into_iter().skip(1);
    while let Some(word) = words.next() {
        if word == "--" {
            kept.push(word);
            kept.extend(words);
            break;
        }
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if OWN.contains(&name) {
            if !word.contains('=') {
                words.next();
            }
        } else if !OWN_FLAGS.contains(&name) {
            kept.push(word);
        }
    }
    kept
}

/// The build that all of a campaign's processes have to be of: that of symx and of the libraries that it
/// links to programs.
pub fn build() -> Result<String, Refusal> {
    let mut hasher = blake3::Hasher::new();
    let symx = std::env::current_exe().map_err(|error| Refusal::unreadable("symx", error))?;
    let files: Vec<PathBuf> = [symx].into_iter().chain(c_library()).chain(cxx_library()).collect();
    for path in files {
        let read = std::fs::File::open(&path).and_then(|file| hasher.update_reader(file).map(|_| ()));
        read.map_err(|error| Refusal::unreadable(&path, error))?;
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

/// Refuses options that cannot be explored in units, or need what workers do not have.
pub fn refuse_what_does_not_work(arguments: &RunArguments) -> Result<(), Refusal> {
    let exploring = &arguments.exploring;
    let refused = [
        (arguments.engine != Engine::Search, "--engine: only the engine `search` explores in units"),
        (arguments.resume.is_some(), "--resume: a campaign is gone on with by --attach"),
        (arguments.write_paths.is_some(), "--write-paths: test cases are written by one process"),
        (arguments.report.coverage.is_some(), "--coverage: coverage is noted by one process"),
        (exploring.search() != Search::Exhaustive, "--search: units are explored depth-first"),
        (exploring.max_forks.is_some(), "--max-forks: forks of all units together are not bounded yet"),
        (exploring.max_memory.is_some(), "--max-memory: give it to `symx worker`"),
        (exploring.jobs.is_some(), "--jobs: give it to `symx worker`"),
    ];
    if let Some((_, why)) = refused.iter().find(|(is_refused, _)| *is_refused) {
        return Err(Refusal::Usage(format!("--cluster with {why}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_process_s_own_is_not_sent() {
        let command = [
            "/bin/symx",
            "run",
            "--quiet",
            "--json",
            "x",
            "--slice=2s",
            "--property",
            "safe.prp",
            "--witness=w.yml",
            "--memmodel",
            "tso",
            "p.c",
            "--",
            "--json",
            "y",
        ];
        let kept = shared(command.map(str::to_owned).to_vec());
        assert_eq!(kept, ["symx", "run", "--memmodel", "tso", "p.c", "--", "--json", "y"]);
    }
}

//! The modelled process a program runs in: arguments, environment, standard input, files.

use crate::files::normal_path::normal;
use crate::options::{ProgramOptions, SurroundingOptions};
use crate::refusal::Refusal;
use crate::session::host_files::VisibleFiles;
use crate::session::sent_files::SentFiles;
use std::collections::BTreeMap;
use std::sync::Arc;
use symx_posix_model::{HostFiles, PosixOptions};
use symx_trace::SymbolicSurroundings;
use symx_trace::profile::{Profile, RecordedCall};

/// The environment of a program that is given no other.
const ENVIRONMENT: [&str; 3] = ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "LANG=C"];

/// Files of another machine.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The folder of the process.
    pub directory: String,
    /// All that is there for it.
    pub files: Arc<SentFiles>,
}

/// A process as it starts.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Arguments, the program's name first.
    pub arguments: Vec<String>,
    /// Environment, `NAME=value` each.
    pub environment: Vec<String>,
    /// The content of standard input.
    pub standard_input: Vec<u8>,
    /// The symbolic inputs.
    pub symbolic: SymbolicSurroundings,
    /// The answers of calls through which input entered a recorded run, by the threads' names.
    pub recorded_calls: BTreeMap<String, Vec<RecordedCall>>,
    /// The process's folder, and its files, if they are those of another machine.
    pub elsewhere: Option<Elsewhere>,
}

impl Surroundings {
    /// The folder of the process.
    pub fn directory(&self) -> Result<String, Refusal> {
        if let Some(elsewhere) = &self.elsewhere {
            return Ok(elsewhere.directory.clone());
        }
        let directory = std::env::current_dir().map_err(|error| Refusal::unreadable(".", error))?;
        Ok(normal(&directory).display().to_string())
    }

    /// The surroundings by the command line; the program's name is its path as typed.
    pub fn new(options: &ProgramOptions) -> Result<Self, Refusal> {
        let name = options.program.display().to_string();
        let directory = std::env::current_dir().map_err(|error| Refusal::unreadable(".", error))?;
        Ok(Self {
            arguments: [name].into_iter().chain(options.arguments.iter().cloned()).collect(),
            environment: environment(&options.surroundings.environment),
            standard_input: options.surroundings.standard_input()?.unwrap_or_default(),
            symbolic: options.surroundings.symbolic.surroundings(&directory)?,
            recorded_calls: BTreeMap::new(),
            elsewhere: None,
        })
    }

    /// Takes over what a recorded process was given, except for what the command line says. The program's
    /// name is always the recorded one: the program may look at it.
    pub fn take_from(&mut self, profile: &Profile, options: &ProgramOptions) {
        let process = &profile.process;
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        if options.arguments.is_empty() && !process.arguments.is_empty() {
            self.arguments = process.arguments.iter().map(text).collect();
        } else if let Some(name) = process.arguments.first() {
            self.arguments[0] = text(name);
        }
        let recorded =
            process.environment.iter().map(|(name, value)| format!("{}={}", text(name), text(value)));
        let variables: Vec<String> =
            recorded.chain(options.surroundings.environment.iter().cloned()).collect();
        self.environment = environment(&variables);
        if options.surroundings.stdin.is_none()
            && let Some(input) = &process.stdin
        {
            self.standard_input.clone_from(input);
        }
        self.take_calls_from(profile);
    }

    /// Takes over the answers of recorded calls.
    pub fn take_calls_from(&mut self, profile: &Profile) {
        // Calls of signal handlers are not noted, and where a record begins late its first call is unknown.
        let known =
            profile.threads.iter().filter(|thread| thread.signal_handlers == 0 && thread.lost_units == 0);
        let known = known.filter(|thread| !thread.inputs.is_empty());
        self.recorded_calls = known.map(|thread| (thread.name.clone(), thread.inputs.clone())).collect();
    }

    /// In the model's words. Files that the arguments name, and `options.mounts`, are visible of the host.
    pub fn posix_options(
        &self,
        options: &SurroundingOptions,
    ) -> Result<(PosixOptions, Arc<VisibleFiles>), Refusal> {
        let directory = std::env::current_dir().map_err(|error| Refusal::unreadable(".", error))?;
        if let Some(missing) = options.mounts.iter().find(|mount| !mount.exists()) {
            return Err(Refusal::Usage(format!("--mount: `{}` does not exist", missing.display())));
        }
        let named = self.arguments.get(1..).unwrap_or_default();
        let (files, host) = match &self.elsewhere {
            Some(elsewhere) => (Arc::default(), Arc::clone(&elsewhere.files) as Arc<dyn HostFiles>),
            None => {
                let files = Arc::new(VisibleFiles::new(&directory, named, &options.mounts));
                (Arc::clone(&files), files as Arc<dyn HostFiles>)
            }
        };
        let bytes = |texts: &[String]| texts.iter().map(|text| text.clone().into_bytes()).collect();
        let posix = PosixOptions {
            arguments: bytes(&self.arguments),
            environment: bytes(&self.environment),
            standard_input: Arc::from(self.standard_input.as_slice()),
            symbolic: self.symbolic.clone(),
            recorded_calls: Arc::new(self.recorded_calls.clone()),
            host,
            directory: self.directory()?,
            ..PosixOptions::default()
        };
        Ok((posix, files))
    }
}

/// The default environment with `given` added; of variables given twice the last counts.
fn environment(given: &[String]) -> Vec<String> {
    let name = |variable: &str| variable.split('=').next().unwrap_or_default().to_owned();
    let mut variables: Vec<String> = Vec::new();
    for variable in ENVIRONMENT.iter().map(|variable| (*variable).to_owned()).chain(given.iter().cloned()) {
        variables.retain(|earlier| name(earlier) != name(&variable));
        variables.push(variable);
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_given_replaces_the_default() {
        let variables = environment(&["HOME=/home/me".into(), "A=1".into(), "A=2".into()]);
        assert_eq!(variables, [ENVIRONMENT[0], ENVIRONMENT[2], "HOME=/home/me", "A=2"]);
    }
}

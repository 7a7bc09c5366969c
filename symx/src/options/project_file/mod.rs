//! `symx.toml`: settings of a project that need not be given on each command line. A setting denotes an
//! option; the command line takes precedence.

mod settings;

use crate::refusal::Refusal;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use settings::{Setting, Settings};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use symx_posix_explore::NamedSearch;

/// Its name.
const NAME: &str = "symx.toml";

/// Names another one; empty, none.
pub const OVERRIDE: &str = "SYMX_CONFIG";

/// The file of a project.
pub struct ProjectFile {
    path: PathBuf,
    text: String,
    settings: Settings,
}

/// The path of the file that holds here: the one that the environment names, else the nearest in the current
/// folder and those above it.
pub fn find() -> Option<PathBuf> {
    match std::env::var_os(OVERRIDE) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        None => nearest(&std::env::current_dir().ok()?),
    }
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

impl ProjectFile {
    /// Reads it.
    pub fn read(path: PathBuf) -> Result<Self, Refusal> {
        let text = std::fs::read_to_string(&path).map_err(|error| Refusal::unreadable(&path, error))?;
        let settings = toml::from_str(&text).map_err(|error| {
            refusal(&path, &text, error.span().unwrap_or_default(), error.message().to_owned())
        })?;
        Ok(Self { path, text, settings })
    }

    /// The folder of tests that it names.
    pub fn tests(&self) -> Option<PathBuf> {
        self.settings.tests().map(|folder| self.folder().join(folder))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The arguments with the settings that the given ones leave open.
    pub fn complete(&self, cli: &clap::Command, given: &[OsString]) -> Result<Vec<OsString>, Refusal> {
        let mut all = given.to_vec();
        let Ok(matches) = cli.clone().try_get_matches_from(given) else { return Ok(all) };
        let Some((name, own)) = matches.subcommand() else { return Ok(all) };
        let Some(command) = cli.find_subcommand(name) else { return Ok(all) };
        let Some(at) = given.iter().skip(1).position(|argument| argument == name).map(|at| at + 2) else {
            return Ok(all);
        };
        for setting in self.settings.of(name) {
            let Some(argument) = command.get_arguments().find(|it| it.get_long() == Some(setting.option))
            else {
                continue;
            };
            let is_pointless = setting.not_beside.is_some_and(|option| is_given_as(command, own, option))
                || setting.not_in_search.is_some_and(|search| is_searched_as(own, search));
            if is_pointless || !setting.adds && is_decided(command, own, argument) {
                continue;
            }
            let mut with = all.clone();
            with.splice(at..at, self.said(&setting));
            // The option's own parser knows what it takes; the place is the file's.
            if let Err(error) = cli.clone().try_get_matches_from(&with) {
                // It goes with an option that is not given.
                if error.kind() == ErrorKind::MissingRequiredArgument {
                    continue;
                }
                return Err(refusal(&self.path, &self.text, setting.span.clone(), first_line(&error)));
            }
            all = with;
        }
        Ok(all)
    }

    fn said(&self, setting: &Setting) -> Vec<OsString> {
        let said = |value: &String| {
            let mut text = OsString::from(format!("--{}", setting.option));
            match (setting.is_path, setting.is_flag) {
                (_, true) => {}
                (true, _) => {
                    text.push("=");
                    text.push(self.folder().join(value));
                }
                (false, _) => text.push(format!("={value}")),
            }
            text
        };
        setting.values.iter().map(said).collect()
    }
}

fn is_given(given: &ArgMatches, argument: &Arg) -> bool {
    given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
}

/// Whether the command line gives the option of that name.
fn is_given_as(command: &clap::Command, given: &ArgMatches, option: &str) -> bool {
    command.get_arguments().any(|it| it.get_long() == Some(option) && is_given(given, it))
}

/// Whether the command line asks for this way of searching.
fn is_searched_as(given: &ArgMatches, search: &str) -> bool {
    let asked = given.try_get_one::<&'static NamedSearch>("search").ok().flatten();
    asked.is_some_and(|asked| asked.name == search)
}

/// Whether the command line gives an option, or one that excludes it.
fn is_decided(command: &clap::Command, given: &ArgMatches, argument: &Arg) -> bool {
    let is_given = |it: &Arg| is_given(given, it);
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|it| it.get_id() == other.get_id())
    };
    is_given(argument)
        || command
            .get_arguments()
            .any(|other| is_given(other) && (excludes(other, argument) || excludes(argument, other)))
}

/// The first line of clap's message, without its heading.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let ends = |paragraph: &&str| paragraph.starts_with("Usage:") || paragraph.starts_with("For more");
    let paragraphs = text.split("\n\n").take_while(|paragraph| !ends(paragraph));
    paragraphs.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

fn refusal(path: &Path, text: &str, span: Range<usize>, why: String) -> Refusal {
    let before = &text[..text.floor_char_boundary(span.start)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    Refusal::Misstated { path: path.into(), line, column, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::command_line::CommandLine;
    use clap::CommandFactory;

    fn file(text: &str) -> Result<ProjectFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, text).unwrap();
        let read = ProjectFile::read(path).map_err(|refusal| refusal.to_string());
        read.map(|file| ProjectFile { path: "/project/symx.toml".into(), ..file })
    }

    fn completed(text: &str, given: &str) -> Result<String, String> {
        let given: Vec<OsString> = given.split(' ').map(OsString::from).collect();
        let all = file(text)?.complete(&CommandLine::command(), &given).map_err(|it| it.to_string())?;
        Ok(all.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn settings_are_options_that_the_command_line_leaves_open() {
        let text = "[explore]\nmemory-model = \"tso\"\npreemptions = 2\nmax-time = 30\n\
                    [program]\nmounts = [\"data\"]\n[races]\nsuppressions = \"tsan.supp\"\n";
        let all = completed(text, "symx run a.c --mount b -- --memmodel").unwrap();
        assert_eq!(
            all,
            "symx run --mount=/project/data --preemptions=2 --max-time=30 --memmodel=tso a.c --mount b -- --memmodel"
        );
        // Options that are given, and those that exclude a setting, win.
        let all = completed(text, "symx run a.c --memmodel pso --delays 1 --max-time 5").unwrap();
        assert_eq!(all, "symx run --mount=/project/data a.c --memmodel pso --delays 1 --max-time 5");
        let all = completed(text, "symx races a.c").unwrap();
        assert!(all.contains("--suppressions=/project/tsan.supp") && !all.contains("preemptions"), "{all}");
        let all =
            completed("[explore]\njobs = 2\nmemory-model = \"tso\"\n", "symx run a.c --cluster nats://x");
        assert_eq!(
            all.unwrap(),
            "symx run --memmodel=tso a.c --cluster nats://x",
            "workers have jobs of their own"
        );
        // Only with --interpreted does `record` know what a program sees.
        assert_eq!(completed(text, "symx record -- ./a").unwrap(), "symx record -- ./a");
        // The bound of another kind than the search iterates.
        let text = "[explore]\npreemptions = 2\n";
        let all = completed(text, "symx run a.c --search delays").unwrap();
        assert_eq!(all, "symx run a.c --search delays");
        let all = completed(text, "symx run a.c --search preemptions").unwrap();
        assert_eq!(all, "symx run --preemptions=2 a.c --search preemptions");
        let text = "[program]\nstandards = [\"c++23\", \"gnu17\"]\n";
        let all = completed(text, "symx races a.cc").unwrap();
        assert_eq!(all, "symx races --std=c++23 --std=gnu17 a.cc");
        let all = completed(text, "symx run a.cc --std c++20").unwrap();
        assert_eq!(all, "symx run a.cc --std c++20");
        // Commands without such options have none.
        assert_eq!(completed(text, "symx doctor").unwrap(), "symx doctor");
        assert_eq!(completed(text, "symx").unwrap(), "symx");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let wrong = |text: &str| completed(text, "symx run a.c").unwrap_err();
        let unknown = wrong("[explore]\n\nmemory = \"tso\"\n");
        assert!(unknown.contains("symx.toml:3:1: unknown field `memory`, expected one of"), "{unknown}");
        let kind = wrong("[explore]\npreemptions = \"two\"\n");
        assert!(kind.contains("symx.toml:2:15: invalid type: string \"two\", expected u32"), "{kind}");
        let value = wrong("[explore]\nmemory-model = \"tos\"\n");
        assert!(value.contains("/project/symx.toml:2:16: invalid value 'tos'"), "{value}");
        let both = wrong("[explore]\npreemptions = 1\ndelays = 1\n");
        assert!(both.contains("symx.toml:3:10: ") && both.contains("cannot be used with"), "{both}");
        let broken = wrong("[explore\n");
        assert!(broken.contains("symx.toml:1:"), "{broken}");
    }

    #[test]
    fn the_nearest_file_holds() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(folder.path().join(NAME), "").unwrap();
        assert_eq!(nearest(&inner), Some(folder.path().join(NAME)));
        std::fs::write(folder.path().join("a").join(NAME), "").unwrap();
        assert_eq!(nearest(&inner), Some(folder.path().join("a").join(NAME)));
    }
}

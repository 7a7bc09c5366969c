//! The keys of `symx.toml`, and their options.

use crate::options::reported_command::ReportedCommand;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// All of the file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    explore: Explore,
    program: Program,
    source: Source,
    races: Races,
    test: Test,
}

/// Which executions `run` and `races` explore.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Explore {
    memory_model: Option<Spanned<String>>,
    check: Option<Spanned<Vec<String>>>,
    max_time: Option<Spanned<f64>>,
    max_executions: Option<Spanned<u64>>,
    max_memory: Option<Spanned<u64>>,
    max_depth: Option<Spanned<u32>>,
    max_forks: Option<Spanned<u64>>,
    max_steps: Option<Spanned<u64>>,
    unroll: Option<Spanned<u32>>,
    preemptions: Option<Spanned<u32>>,
    delays: Option<Spanned<u32>>,
    jobs: Option<Spanned<u32>>,
    spurious_wakeups: Option<Spanned<bool>>,
}

/// The part of the host that a program sees, and how its source is compiled.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Program {
    mounts: Option<Spanned<Vec<String>>>,
    standards: Option<Spanned<Vec<String>>>,
}

/// Where sources are.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Source {
    roots: Option<Spanned<Vec<String>>>,
}

/// Of data races.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Races {
    suppressions: Option<Spanned<String>>,
}

/// Of `symx test`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Test {
    folder: Option<String>,
}

/// An option with its values.
pub struct Setting {
    /// Its long name.
    pub option: &'static str,
    /// The values; an option is given once for each.
    pub values: Vec<String>,
    /// Whether they are paths from the file's folder.
    pub is_path: bool,
    /// Whether the option takes no value.
    pub is_flag: bool,
    /// Whether they go with those of the command line.
    pub adds: bool,
    /// An option beside which they say nothing: with a server, the jobs and the memory are those of workers.
    pub not_beside: Option<&'static str>,
    /// A value of `--search` beside which they say nothing: it iterates a bound of another kind.
    pub not_in_search: Option<&'static str>,
    /// Where the file says so.
    pub span: Range<usize>,
}

impl Settings {
    /// The folder of tests.
    pub fn tests(&self) -> Option<&str> {
        self.test.folder.as_deref()
    }

    /// The settings that concern a command, in their order.
    pub fn of(&self, command: &str) -> Vec<Setting> {
        let mut settings = Vec::new();
        let model = self.explore.memory_model.iter().map(|it| one("memmodel", it));
        match ReportedCommand::by_name(command) {
            Some(ReportedCommand::Run | ReportedCommand::Races) => {
                settings.extend(model.chain(self.explore.bounds()));
                let suppressions = self.races.suppressions.iter().map(|it| one("suppressions", it));
                settings.extend(suppressions.map(|it| Setting { is_path: true, ..it }));
            }
            Some(ReportedCommand::Exec) => settings.extend(model),
            None => {}
        }
        let roots = self.source.roots.iter().map(|it| paths("source-root", it));
        let mounts = self.program.mounts.iter().map(|it| Setting { adds: true, ..paths("mount", it) });
        let standards =
            self.program.standards.iter().map(|it| Setting { is_path: false, ..paths("std", it) });
        settings.extend(roots.chain(mounts).chain(standards));
        settings
    }
}

impl Explore {
    fn bounds(&self) -> impl Iterator<Item = Setting> {
        let whole = [
            ("max-executions", &self.max_executions),
            ("max-memory", &self.max_memory),
            ("max-forks", &self.max_forks),
            ("max-steps", &self.max_steps),
        ];
        let small = [
            ("max-depth", &self.max_depth),
            ("unroll", &self.unroll),
            ("preemptions", &self.preemptions),
            ("delays", &self.delays),
            ("jobs", &self.jobs),
        ];
        let time = self.max_time.iter().map(|it| one("max-time", it));
        let check = self
            .check
            .iter()
            .map(|it| Setting { values: vec![it.get_ref().join(",")], ..paths("check", it) });
        let check = check.map(|it| Setting { is_path: false, ..it });
        let wakeups = self.spurious_wakeups.iter().filter(|it| *it.get_ref());
        let wakeups = wakeups.map(|it| Setting { is_flag: true, ..one("spurious-wakeups", it) });
        let where_it_counts = |it: Setting| match it.option {
            "jobs" | "max-memory" => Setting { not_beside: Some("cluster"), ..it },
            "preemptions" => Setting { not_in_search: Some("delays"), ..it },
            "delays" => Setting { not_in_search: Some("preemptions"), ..it },
            _ => it,
        };
        time.chain(whole.into_iter().flat_map(|(option, it)| it.iter().map(move |it| one(option, it))))
            .chain(small.into_iter().flat_map(|(option, it)| it.iter().map(move |it| one(option, it))))
            .map(where_it_counts)
            .chain(check)
            .chain(wakeups)
    }
}

fn one(option: &'static str, value: &Spanned<impl ToString>) -> Setting {
    let values = vec![value.get_ref().to_string()];
    Setting {
        option,
        values,
        is_path: false,
        is_flag: false,
        adds: false,
        not_beside: None,
        not_in_search: None,
        span: value.span(),
    }
}

fn paths(option: &'static str, value: &Spanned<Vec<String>>) -> Setting {
    let values = value.get_ref().clone();
    Setting {
        option,
        values,
        is_path: true,
        is_flag: false,
        adds: false,
        not_beside: None,
        not_in_search: None,
        span: value.span(),
    }
}

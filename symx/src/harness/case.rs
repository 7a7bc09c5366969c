//! One program under one memory model.

use super::annotation::{Expectations, Label, Severity};
use super::bless::Seen;
use super::compile;
use super::judge::{as_named, judge, outputs};
use super::judge_races::{described, judge_races};
use super::problem::{Problem, Problems};
use super::process::{NO_STORY, Symx, SymxError, SymxRun};
use super::source_file;
use crate::load::language::Language;
use crate::options::reported_command::ReportedCommand;
use crate::refusal::Refusal;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program under a memory model.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program's source.
    pub source: PathBuf,
    /// The model's name.
    pub model: &'static str,
    /// The folder and the file, for people.
    pub name: String,
}

/// Every program below `folder` under every model, and under each variant it names, sorted. Programs that are
/// checked for races are also run where reads may return old writes. Folders called `input` or `programs`
/// hold no cases: tests of their own run what is in them.
pub fn cases(folder: &Path) -> std::io::Result<Vec<Case>> {
    let mut sources = Vec::new();
    collect(folder, &mut Vec::new(), &mut sources)?;
    sources.sort();
    let plain = |source: &PathBuf| source.strip_prefix(folder).unwrap_or(source).with_extension("");
    let mut namesakes: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for source in &sources {
        *namesakes.entry(plain(source)).or_default() += 1;
    }
    let mut cases = Vec::new();
    for source in sources {
        let plain = plain(&source);
        let whole = source.strip_prefix(folder).unwrap_or(&source);
        let name = if namesakes[&plain] > 1 { whole } else { &plain }.display().to_string();
        // An unreadable or malformed file is reported when the case runs.
        let text = source_file::read(&source).unwrap_or_default();
        let expectations = Expectations::parse(&text).unwrap_or_default();
        let wanted = |model: &dyn symx_memmodel::MemoryModel| {
            expectations.name_model(model.name()) || model.keeps_history() && expectations.check_races()
        };
        let named = symx_memmodel::VARIANTS.iter().filter(|model| wanted(**model));
        for model in symx_memmodel::MODELS.iter().chain(named) {
            cases.push(Case { source: source.clone(), model: model.name(), name: name.clone() });
        }
    }
    Ok(cases)
}

/// Adds the programs below a folder. Links are followed, but into none of the folders that they are `inside`.
fn collect(folder: &Path, inside: &mut Vec<PathBuf>, sources: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let canonical = std::fs::canonicalize(folder)?;
    if inside.contains(&canonical) {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder)?;
    inside.push(canonical);
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            let is_left_out = name == "input" || name == "programs";
            // One that cannot be read is reported as a case of its own.
            if !is_left_out && collect(&path, inside, sources).is_err() {
                sources.push(path);
            }
        } else if is_case(&path) {
            sources.push(path);
        }
    }
    inside.pop();
    Ok(())
}

/// Whether a file is a program to test. A file of Rust is one only if it is annotated: most belong to
/// packages. A link to nothing and a file that cannot be read are tested, and fail.
fn is_case(path: &Path) -> bool {
    let is_special = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    match Language::of(path) {
        _ if is_special => false,
        None => false,
        Some(Language::C | Language::Cxx) => true,
        Some(Language::Rust) => source_file::read(path)
            .map_or(true, |text| text.lines().any(|line| line.starts_with("//@") || line.contains("//~"))),
    }
}

impl Case {
    /// Its results, as far as its annotations can express them. `Err` says what else is not as expected.
    pub fn seen(&self, symx: &Symx, cache: &Path) -> Result<Seen, Problems> {
        let expectations = self.expectations()?;
        let bitcode = self.bitcode(symx, &expectations, cache)?;
        let options = self.options(&expectations);
        let (mut seen, mut problems) = (Seen::default(), Vec::new());
        if expectations.are_of_races() {
            let run = self.report(symx, ReportedCommand::Races, &bitcode, &options)?;
            let source = as_named(&self.source);
            seen.races = run.report.races.iter().flatten().map(|race| described(&source, race)).collect();
            let expectations = expectations.with_races(&seen.races);
            problems.extend(judge_races(&self.source, self.model, &expectations, &run));
        }
        if expectations.are_of_runs() {
            let run = self.report(symx, ReportedCommand::Run, &bitcode, &options)?;
            problems.extend(judge(&self.source, self.model, &expectations.without_sets(), &run));
            let stats = &run.report.stats;
            seen.outcomes = outputs(&run.report);
            (seen.executions, seen.blocked) = (stats.executions, stats.blocked);
        }
        Problems::of(problems).map(|()| seen)
    }

    /// Runs it. `Err` says everything that is not as expected; compiled programs are kept in `cache`.
    pub fn run(&self, symx: &Symx, cache: &Path) -> Result<(), Problems> {
        let expectations = self.expectations()?;
        let is_error = |label: &Label| label.severity == Severity::Error;
        if self.must_fail() && !expectations.labels.iter().any(is_error) {
            return Err("a program in `fail/` without `//~ ERROR:`".to_owned().into());
        }
        let bitcode = self.bitcode(symx, &expectations, cache)?;
        let options = self.options(&expectations);
        let mut problems = Vec::new();
        if expectations.are_of_races() {
            let run = self.report(symx, ReportedCommand::Races, &bitcode, &options)?;
            problems.extend(judge_races(&self.source, self.model, &expectations, &run));
        }
        if expectations.are_of_runs() {
            let run = self.report(symx, ReportedCommand::Run, &bitcode, &options)?;
            problems.extend(judge(&self.source, self.model, &expectations, &run));
        }
        for further in &expectations.again {
            let options: Vec<String> = options.iter().chain(further).cloned().collect();
            let run = self.report(symx, ReportedCommand::Run, &bitcode, &options)?;
            let found = judge(&self.source, self.model, &expectations.without_counts(), &run);
            problems.extend(found.into_iter().map(|problem| Problem {
                text: format!("with {}: {problem}", further.join(" ")),
                ..problem
            }));
        }
        // A native run knows nothing of models: it is compared once.
        if expectations.native && self.model == symx_memmodel::MODELS[0].name() {
            problems.extend(self.compare_with_native(symx, &expectations, &bitcode, cache)?);
        }
        Problems::of(problems)
    }

    /// Whether it is below a folder of programs that are to fail.
    fn must_fail(&self) -> bool {
        let folder = Path::new(&self.name).parent();
        folder.is_some_and(|folder| folder.components().any(|part| part.as_os_str() == "fail"))
    }

    fn report(
        &self,
        symx: &Symx,
        command: ReportedCommand,
        bitcode: &Path,
        options: &[String],
    ) -> Result<SymxRun, String> {
        let program = bitcode.display().to_string();
        symx.report(command, &program, options, &[]).map_err(|error| match error {
            // A user knows the source, not what was made of it.
            SymxError::Refused(words) => words.replace(&program, &self.source.display().to_string()),
            other => other.to_string(),
        })
    }

    fn expectations(&self) -> Result<Expectations, String> {
        let text = source_file::read(&self.source)
            .map_err(|error| Refusal::unreadable(&self.source, error).to_string())?;
        Expectations::parse(&text).map_err(|error| error.to_string())
    }

    fn bitcode(&self, symx: &Symx, expectations: &Expectations, cache: &Path) -> Result<PathBuf, String> {
        let compiled = compile::bitcode(&self.source, &expectations.compiler_flags, cache, &symx.children);
        compiled.map_err(|error| error.to_string())
    }

    /// Runs it, the artefacts in `out`: its bitcode, and the schedules of what fails in it,
    /// in the order found.
    pub fn failing_schedules(
        &self,
        symx: &Symx,
        cache: &Path,
        out: &Path,
    ) -> Result<(PathBuf, Vec<PathBuf>), String> {
        self.failures(symx, cache, out, false)
    }

    /// The same; the page of the first failure explains it.
    pub fn explained_failures(
        &self,
        symx: &Symx,
        cache: &Path,
        out: &Path,
    ) -> Result<(PathBuf, Vec<PathBuf>), String> {
        self.failures(symx, cache, out, true)
    }

    fn failures(
        &self,
        symx: &Symx,
        cache: &Path,
        out: &Path,
        is_explained: bool,
    ) -> Result<(PathBuf, Vec<PathBuf>), String> {
        let expectations = self.expectations()?;
        let bitcode = self.bitcode(symx, &expectations, cache)?;
        let is_of_races = expectations.are_of_races();
        let command = if is_of_races { ReportedCommand::Races } else { ReportedCommand::Run };
        let words =
            [command.name(), "--quiet", "--max-time", &symx.max_time.to_string(), "--out"].map(str::to_owned);
        let folder = [out.display().to_string()];
        let program = [bitcode.display().to_string()];
        let mut options = self.options(&expectations);
        if !is_explained && command == ReportedCommand::Run {
            options.push(NO_STORY.into());
        }
        let arguments: Vec<String> = words.into_iter().chain(folder).chain(options).chain(program).collect();
        symx.output(&arguments).map_err(|error| error.to_string())?;
        // Races that are harmless have numbers, too, but no schedule.
        let number = |name: &str| -> Option<u32> {
            name.strip_prefix("failure-")?.strip_suffix(".schedule.json")?.parse().ok()
        };
        let mut numbers: Vec<u32> = match std::fs::read_dir(out) {
            Ok(entries) => {
                entries.flatten().filter_map(|entry| number(entry.file_name().to_str()?)).collect()
            }
            Err(_) => Vec::new(),
        };
        numbers.sort_unstable();
        let schedules = numbers.into_iter().map(|number| out.join(format!("failure-{number}.schedule.json")));
        Ok((bitcode, schedules.collect()))
    }

    /// Programs that read a file read their own source or the folder it is in.
    fn options(&self, expectations: &Expectations) -> Vec<String> {
        let source = std::fs::canonicalize(&self.source).unwrap_or_else(|_| self.source.clone());
        let folder = source.parent().unwrap_or(&source).display().to_string();
        let mut options = vec!["--memmodel".into(), self.model.into(), "--mount".into(), folder];
        if expectations.labels_under(self.model, Severity::Error).count() > 1 {
            options.push("--keep-going".into());
        }
        options.extend(expectations.flags.iter().cloned());
        options
    }

    fn compare_with_native(
        &self,
        symx: &Symx,
        expectations: &Expectations,
        bitcode: &Path,
        cache: &Path,
    ) -> Result<Vec<Problem>, String> {
        let binary = compile::native(&self.source, &expectations.compiler_flags, cache, &symx.children)
            .map_err(|error| error.to_string())?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = Command::new(&binary);
        command.current_dir(folder.path()).stdin(Stdio::null());
        let limit = Duration::from_secs(symx.max_time.into());
        let native = symx.children.output_within(&mut command, limit);
        let native = native.map_err(|error| format!("the native program: {error}"))?;
        let mut options = self.options(expectations);
        options.truncate(4); // the model and the folder; the rest is for exploring
        let run = self.report(symx, ReportedCommand::Exec, bitcode, &options)?;
        let mut problems = Vec::new();
        let stdout = String::from_utf8_lossy(&native.stdout).into_owned();
        if run.report.stdout.as_deref() != Some(&stdout) {
            let seen = run.report.stdout.unwrap_or_default();
            problems.push(format!("exec writes {seen:?}, the native program {stdout:?}"));
        }
        let status = native.status.code();
        if run.report.exit_status.map(i32::from) != status || Some(run.code) != status {
            let seen = run.report.exit_status;
            problems.push(format!(
                "exec ends with {seen:?} (exit code {}), the native program with {status:?}",
                run.code
            ));
            problems.extend(run.report.incomplete.iter().map(|cut| format!("  exec: {cut}")));
            problems.extend(run.report.violations.iter().map(|found| format!("  exec: {}", found.message)));
        }
        Ok(problems.into_iter().map(Problem::new).collect())
    }
}

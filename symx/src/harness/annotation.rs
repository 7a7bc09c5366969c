//! Expectations in a program's comments.
//!
//! | annotation | meaning |
//! |---|---|
//! | `//~ ERROR: text`, `//~ NOTE: text` | a report's primary / related label on this line contains text |
//! | `//~ WARNING: text` | a warning on this line contains text |
//! | `//~[tso,pso] ...` | only under these models; the others must be clean. A program that names a variant runs under it, too |
//! | `//@ outcomes[pso]: 00 01` | the exact set of distinct outputs |
//! | `//@ executions[sc]: 3` | the exact number of complete executions |
//! | `//@ blocked[sc]: 0` | the exact number of pruned executions |
//! | `//@ races[pso]: output-differs at 8 14` | a race of this class between these lines; `symx races` must find just these. `//@ races: none` for none. `symx run` runs, too, if the program states anything else |
//! | `//@ races: output-differs at queue.h:8 14` | the first of the lines is in another file |
//! | `//@ flags: ...`, `//@ cflags: ...` | options of `symx run`; options of the compiler |
//! | `//@ again: ...` | run another time with these further options; numbers of executions are not compared then |
//! | `//@ sketch: a:9 b:12 ...`, `//@ predictor: ...` | the ideal failure sketch, as threads and lines in their order; the kind and the lines of its best predictor (`symx/tests/sketch.rs`) |
//! | `//@ native` | also compile for this machine, run, and compare with `symx exec` under `sc` |
//!
//! Everything else after `//~` or `//@` is an error.

use super::outcome_set::stated;
use std::collections::BTreeSet;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// The expected results of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expectations {
    /// Labels of reports.
    pub labels: Vec<Label>,
    /// Sets of outputs, with the models they are for.
    pub outcomes: Vec<(Models, BTreeSet<String>)>,
    /// Numbers of executions, with the models they are for.
    pub executions: Vec<(Models, u64)>,
    /// Numbers of pruned executions, with the models they are for.
    pub blocked: Vec<(Models, u64)>,
    /// Classes and lines of races, with the models they are for. If there is any, `symx races` is run.
    pub races: Vec<(Models, Option<ExpectedRace>)>,
    /// Options of `symx run`.
    pub flags: Vec<String>,
    /// Further options of `symx run` with which all but the numbers of executions is the same: one run each.
    pub again: Vec<Vec<String>>,
    /// Options of the compiler.
    pub compiler_flags: Vec<String>,
    /// Whether to compare with a native run.
    pub native: bool,
}

/// A label of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The line it is on, from 1.
    pub line: u32,
    /// Whether it is the primary one.
    pub severity: Severity,
    /// A part of the message.
    pub text: String,
    /// Under which models.
    pub models: Models,
}

/// A race that is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpectedRace {
    /// The contract's word.
    pub class: String,
    /// Where the accesses are, ascending.
    pub places: [RacePlace; 2],
}

/// Where an access of a race is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RacePlace {
    /// The name of the file; "" for the program's own.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl RacePlace {
    /// The line, if it is one of the program's own file.
    pub fn own_line(&self) -> Option<u32> {
        self.file.is_empty().then_some(self.line)
    }
}

impl fmt::Display for RacePlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.file.is_empty() { "" } else { ":" };
        write!(out, "{}{colon}{}", self.file, self.line)
    }
}

impl FromStr for RacePlace {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let (file, line) = text.rsplit_once(':').unwrap_or(("", text));
        Ok(Self { file: file.to_owned(), line: line.parse()? })
    }
}

impl fmt::Display for ExpectedRace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.places;
        write!(out, "{} at {first}", self.class)?;
        if first == second { Ok(()) } else { write!(out, " {second}") }
    }
}

impl ExpectedRace {
    /// Reads `CLASS at [FILE:]LINE [[FILE:]LINE]`; `none` is no race.
    fn parse(text: &str) -> Result<Option<Self>, &'static str> {
        if text == "none" {
            return Ok(None);
        }
        let (class, lines) = text.split_once(" at ").ok_or("expected CLASS at LINE [LINE]")?;
        let known = ["spec-violated", "output-differs", "k-witness-harmless", "single-ordering"];
        if !known.contains(&class) {
            return Err("unknown class of race");
        }
        let places: Result<Vec<RacePlace>, _> = lines.split_whitespace().map(str::parse).collect();
        let mut places = match places.as_deref() {
            Ok([place]) => [place.clone(), place.clone()],
            Ok([one, other]) => [one.clone(), other.clone()],
            _ => return Err("expected one or two lines"),
        };
        places.sort_unstable();
        Ok(Some(Self { class: class.to_owned(), places }))
    }
}

/// Which label of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The primary one.
    Error,
    /// A related one.
    Note,
    /// Of a warning.
    Warning,
}

/// Names of memory models; `None` is all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Models(Option<Vec<String>>);

impl Models {
    /// Whether none is named.
    pub fn are_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the model called `name` is among them.
    pub fn contain(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
    }
}

/// An annotation that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}: `{text}`")]
pub struct AnnotationError {
    /// The line, from 1.
    line: u32,
    /// The error.
    what: &'static str,
    /// The annotation.
    text: String,
}

impl Expectations {
    /// Reads the annotations of a program.
    pub fn parse(source: &str) -> Result<Self, AnnotationError> {
        let mut expectations = Self::default();
        for (number, text) in (1..).zip(source.lines()) {
            let error = |what| AnnotationError { line: number, what, text: text.trim().to_owned() };
            // In prose an annotation is named between backquotes.
            if let Some(annotation) = after(text, "//~") {
                expectations.labels.push(label(number, annotation).map_err(error)?);
            }
            if let Some(annotation) = after(text, "//@") {
                expectations.directive(annotation).map_err(error)?;
            }
        }
        Ok(expectations)
    }

    fn directive(&mut self, text: &str) -> Result<(), &'static str> {
        let (head, value) = head_and_value(text);
        let (name, models) = models(head)?;
        let value_of = |value: Option<&str>| value.map(str::to_owned).ok_or("a value is missing");
        match name {
            "outcomes" => self.outcomes.push((models, stated(&value_of(value)?)?)),
            "executions" | "blocked" => {
                let count = value_of(value)?.parse().map_err(|_| "not a number")?;
                let counts = if name == "blocked" { &mut self.blocked } else { &mut self.executions };
                counts.push((models, count));
            }
            "races" => self.races.push((models, ExpectedRace::parse(&value_of(value)?)?)),
            "flags" if models.0.is_none() => self.flags.extend(words(&value_of(value)?)),
            "again" if models.0.is_none() => self.again.push(words(&value_of(value)?)),
            "cflags" if models.0.is_none() => self.compiler_flags.extend(words(&value_of(value)?)),
            // Another test reads them.
            "sketch" | "predictor" if models.0.is_none() && value.is_some() => {}
            "native" if models.0.is_none() && value.is_none() => self.native = true,
            _ => return Err("unknown annotation"),
        }
        Ok(())
    }

    /// Whether `symx races` is to be run.
    pub fn are_of_races(&self) -> bool {
        !self.races.is_empty()
    }

    /// Whether `symx run` is to be run: unless races are all that is stated.
    pub fn are_of_runs(&self) -> bool {
        let are_sets = [self.outcomes.is_empty(), self.executions.is_empty(), self.blocked.is_empty()];
        !self.are_of_races()
            || are_sets.contains(&false)
            || self.native
            || !(self.labels.is_empty() && self.again.is_empty())
    }

    /// Whether the program is run with `--check race`.
    pub fn check_races(&self) -> bool {
        let mut checks = self.flags.windows(2).filter(|flags| flags[0] == "--check");
        checks.any(|flags| flags[1].split(',').any(|check| check == "race"))
    }

    /// Whether an annotation names the model, and not just all of them.
    pub fn name_model(&self, name: &str) -> bool {
        let labels = self.labels.iter().map(|label| &label.models);
        let sets = self.outcomes.iter().map(|(models, _)| models);
        let counts = self.executions.iter().map(|(models, _)| models);
        let named = |models: &Models| models.0.is_some() && models.contain(name);
        let races = self.races.iter().map(|(models, _)| models);
        labels.chain(sets).chain(counts).chain(races).any(named)
    }

    /// The expectations of a run with further options.
    pub fn without_counts(&self) -> Self {
        Self { executions: Vec::new(), blocked: Vec::new(), ..self.clone() }
    }

    /// The races that are expected under a model.
    pub fn races_under<'a>(&'a self, model: &'a str) -> impl Iterator<Item = &'a ExpectedRace> {
        let under = self.races.iter().filter(move |(models, _)| models.contain(model));
        under.filter_map(|(_, race)| race.as_ref())
    }

    /// The expectations besides sets and numbers that a run can be asked for.
    pub fn without_sets(&self) -> Self {
        Self { outcomes: Vec::new(), ..self.without_counts() }
    }

    /// The same expectations with these races under each model.
    pub fn with_races(&self, races: &[ExpectedRace]) -> Self {
        let races = races.iter().map(|race| (Models(None), Some(race.clone())));
        Self { races: races.collect(), ..self.clone() }
    }

    /// The labels of one severity under a model.
    pub fn labels_under<'a>(&'a self, model: &'a str, severity: Severity) -> impl Iterator<Item = &'a Label> {
        self.labels.iter().filter(move |label| label.severity == severity && label.models.contain(model))
    }
}

/// A line's `//@` annotation.
pub struct Directive<'a> {
    /// The text before it.
    pub before: &'a str,
    /// Its name and models, as written.
    pub head: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The models it is for.
    pub models: Models,
    /// The text after its name, if there is any.
    pub value: &'a str,
}

/// The `//@` annotation of a line, if it has one.
pub fn directive(number: u32, line: &str) -> Result<Option<Directive<'_>>, AnnotationError> {
    let Some(annotation) = after(line, "//@") else { return Ok(None) };
    let before = &line[..line.len() - annotation.len() - "//@".len()];
    let (head, value) = head_and_value(annotation);
    let error = |what| AnnotationError { line: number, what, text: line.trim().to_owned() };
    let (name, models) = models(head).map_err(error)?;
    Ok(Some(Directive { before, head, name, models, value: value.unwrap_or_default() }))
}

fn head_and_value(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((head, value)) => (head.trim(), Some(value.trim())),
        None => (text.trim(), None),
    }
}

/// The text after `mark`, unless the mark is quoted.
fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let at = text.find(mark)?;
    (!text[..at].ends_with('`')).then(|| &text[at + mark.len()..])
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Splits `name[a,b]`.
fn models(head: &str) -> Result<(&str, Models), &'static str> {
    let Some((name, rest)) = head.split_once('[') else { return Ok((head, Models(None))) };
    let list = rest.strip_suffix(']').ok_or("a `]` is missing")?;
    let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(|name| symx_memmodel::by_name(name).is_none()) {
        return Err("unknown memory model");
    }
    Ok((name, Models(Some(names))))
}

fn label(line: u32, text: &str) -> Result<Label, &'static str> {
    let (models, text) = match text.strip_prefix('[') {
        Some(_) => {
            let end = text.find(']').ok_or("a `]` is missing")?;
            (models(&text[..=end])?.1, &text[end + 1..])
        }
        None => (Models(None), text),
    };
    let (severity, text) = match text.trim().split_once(':') {
        Some(("ERROR", text)) => (Severity::Error, text),
        Some(("NOTE", text)) => (Severity::Note, text),
        Some(("WARNING", text)) => (Severity::Warning, text),
        _ => return Err("expected ERROR:, NOTE: or WARNING:"),
    };
    match text.trim() {
        "" => Err("the expected text is missing"),
        text => Ok(Label { line, severity, text: text.to_owned(), models }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_annotation_is_read() {
        let source = "//@ outcomes[sc,tso]: 00 11\n//@ outcomes[pso]: 10\n//@ executions[sc]: 3\n\
                      //@ blocked: 1\n//@ flags: --check leak\n//@ cflags: -fno-builtin -lm\n//@ native\n\
                      //@ again: --jobs 2\n\
                      x = 1; //~[tso,pso] NOTE: reads 0\n  assert(x); //~ ERROR: assertion failed";
        let read = Expectations::parse(source).unwrap();
        assert_eq!(read.outcomes.len(), 2);
        assert!(read.outcomes[0].0.contain("tso") && !read.outcomes[0].0.contain("pso"));
        assert_eq!(read.outcomes[1].1, BTreeSet::from(["10".to_owned()]));
        assert_eq!(read.executions[0].1, 3);
        assert_eq!(read.blocked[0].1, 1);
        assert_eq!(read.flags, ["--check", "leak"]);
        assert_eq!(read.compiler_flags, ["-fno-builtin", "-lm"]);
        assert_eq!(read.again, [["--jobs", "2"]]);
        assert!(read.native);
        let races = "//@ races: single-ordering at 9 4\n//@ races[weak]: none";
        let races = Expectations::parse(races).unwrap().races;
        assert_eq!(races[0].1.as_ref().map(ToString::to_string), Some("single-ordering at 4 9".into()));
        let there = ExpectedRace::parse("output-differs at queue.h:3 7").unwrap().unwrap();
        assert_eq!(there.to_string(), "output-differs at 7 queue.h:3");
        assert_eq!(there.places.map(|place| place.own_line()), [Some(7), None]);
        assert!(races[1].1.is_none() && !races[1].0.contain("sc"));
        assert_eq!((read.labels[0].line, read.labels[0].severity), (9, Severity::Note));
        assert_eq!(read.labels_under("sc", Severity::Error).count(), 1);
        assert_eq!(read.labels_under("sc", Severity::Note).count(), 0);
        assert_eq!(read.labels[1].text, "assertion failed");
        assert!(read.without_counts().executions.is_empty() && !read.without_counts().outcomes.is_empty());
        assert!(read.name_model("pso") && !read.name_model("weak"));
    }

    #[test]
    fn races_switch_no_other_expectation_off() {
        let read = |more: &str| Expectations::parse(&format!("//@ races: none\n{more}")).unwrap();
        assert!(read("").are_of_races() && !read("//@ flags: --check leak").are_of_runs());
        for more in ["//@ outcomes: 1", "//@ executions: 1", "//@ native", "//@ again: -x", "//~ ERROR: x"] {
            assert!(read(more).are_of_runs(), "{more}");
        }
        assert!(Expectations::default().are_of_runs());
    }

    #[test]
    fn what_is_unknown_is_an_error() {
        for wrong in [
            "//@ outcome: 1",
            "//@ native: yes",
            "//@ outcomes",
            "//@ executions[sc]: many",
            "//@ outcomes[arm]: 1",
            "//@ outcomes[sc: 1",
            "//@ check: root-cause",
            "//@ races: harmless at 3",
            "//@ races: single-ordering",
            "//~ REMARK: x",
            "//~ ERROR:",
            "//~[sc ERROR: x",
        ] {
            assert!(Expectations::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn prose_may_name_an_annotation() {
        let read = Expectations::parse("// The `//~` annotation below describes `//@ native`.").unwrap();
        assert_eq!(read, Expectations::default());
    }
}

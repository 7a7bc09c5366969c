//! Candidates for races, from the static analysis or from other tools' reports, and what the exploration says
//! of each.
//!
//! The analysis ends with the time, the memory and Ctrl-C. What it has found by then is listed; candidates of
//! reports do without it.

use crate::refusal::Refusal;
use crate::report::{
    AccessKind, CandidateEnd, CandidatePlace, CandidateReport, CandidateSource, CandidatesReport,
    ClassifiedRace, Cut, Report,
};
use crate::text::counted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;
use symx_candidates::reported::{self, Reported, ReportedAccess, Tool};
use symx_candidates::{Candidate, FoundCandidates, Position};
use symx_expr::{StopReason, StopToken};
use symx_ir::{FunctionId, Program, Span};
use symx_posix_explore::FoundRace;
use symx_trace::profile::ProgramHash;
use symx_trace::{IncompleteReason, Location, RaceAccess};

/// Where candidates come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The static analysis.
    Static,
    /// Reports in a file.
    File(PathBuf),
}

impl Source {
    /// From what stands after `--candidates`.
    pub fn of(argument: &Option<Option<PathBuf>>) -> Option<Self> {
        Some(match argument.as_ref()? {
            None => Self::Static,
            Some(path) => Self::File(path.clone()),
        })
    }
}

/// Candidates that wait for what the exploration says.
pub struct Candidates {
    list: Vec<Awaited>,
    /// How many the static analysis has found, and why it ended before it was done.
    found: usize,
    ended: Option<StopReason>,
    analysis_ms: u64,
    program: String,
}

/// A candidate with what a race has to match.
struct Awaited {
    report: CandidateReport,
    /// Of each access, where and whether it writes; `None` if that is not in the program.
    sides: [Option<Side>; 2],
    /// The accesses as a tool reported them, if it did and knows both.
    reported: Option<[ReportedAccess; 2]>,
}

/// The expected side that an access is compared with.
struct Side {
    place: Location,
    /// Whether the column counts, and the writing thread is known for certain.
    is_exact: bool,
    writes: bool,
}

impl Side {
    fn is(&self, location: &Location, writes: bool) -> bool {
        self.place.file == location.file
            && self.place.line == location.line
            && self.writes == writes
            && (!self.is_exact || self.place.column == location.column)
    }
}

impl Awaited {
    fn is(&self, [first, second]: [(&Location, bool); 2]) -> bool {
        let [Some(one), Some(other)] = &self.sides else { return false };
        one.is(first.0, first.1) && other.is(second.0, second.1)
            || one.is(second.0, second.1) && other.is(first.0, first.1)
    }

    /// Whether a race may be the reported one, though on other lines. Compilers differ in the lines of a
    /// statement that spans several.
    fn may_mean(&self, [first, second]: &[RaceAccess; 2]) -> bool {
        let Some([one, other]) = &self.reported else { return false };
        may_be(one, first) && may_be(other, second) || may_be(one, second) && may_be(other, first)
    }
}

/// Whether a reported access may be one of a race: of the same kind, and one of them is made in a function
/// that the other one has on its stack, for calls may be inlined in either.
fn may_be(reported: &ReportedAccess, access: &RaceAccess) -> bool {
    let names = || reported.frames.iter().map(|frame| frame.function.as_str());
    let stack = || access.stack.iter().map(|frame| frame.function.as_str());
    let is_reported = || names().any(|name| is_in_name(&access.location.function, name));
    let is_on_stack = |name: &str| stack().any(|function| is_in_name(function, name));
    reported.writes == access.writes && (is_reported() || names().next().is_some_and(is_on_stack))
}

/// Whether a function may be the one that a tool calls so, be it with scopes, parameters and result.
fn is_in_name(function: &str, name: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let own = function.split(['<', '(']).next().unwrap_or_default();
    words(own).last().is_some_and(|own| words(name).contains(own))
}

impl Candidates {
    /// The candidates of a program that starts at `entry`; the static analysis ends with `stop`.
    pub fn of(program: &Program, entry: &str, source: &Source, stop: &StopToken) -> Result<Self, Refusal> {
        let reports = match source {
            Source::Static => None,
            Source::File(path) => Some(read(path)?),
        };
        let began = Instant::now();
        let entry = program.function_named(entry).unwrap_or(FunctionId(0));
        let FoundCandidates { list: found, mut ended } = symx_candidates::candidates(program, entry, stop);
        let list = match &reports {
            None => (1..).zip(&found).map(|(number, one)| of_analysis(number, one)).collect(),
            Some(reports) => {
                let known: Vec<Awaited> = found.iter().map(|one| of_analysis(0, one)).collect();
                let mut places = Places::of(program);
                let mut list = Vec::new();
                for (number, one) in (1..).zip(reports) {
                    ended = ended.or_else(|| stop.reason());
                    list.push(of_tool(&mut places, number, one, (&known, ended.is_none())));
                }
                list
            }
        };
        let analysis_ms = began.elapsed().as_millis() as u64;
        let program = ProgramHash(program.hash).to_string();
        Ok(Self { list, found: found.len(), ended, analysis_ms, program })
    }

    /// Why the list may lack candidates of the static analysis, if it may.
    pub fn cut(&self) -> Option<Cut> {
        let reason = IncompleteReason::from(self.ended?);
        let found = match self.found {
            0 => "no candidate".into(),
            found => counted(found as u64, "candidate"),
        };
        Some(Cut::because(reason, format!("the static analysis ended early, with {found} so far")))
    }

    /// The end of each, by the races found and by what the report says of the exploration.
    pub fn judged(self, found: &[FoundRace], report: &Report) -> CandidatesReport {
        let own = self.cut();
        let cuts: Vec<&Cut> = report.incomplete.iter().filter(|cut| Some(*cut) != own.as_ref()).collect();
        let is_complete = cuts.is_empty() && report.contradictions.is_empty();
        let classified = report.races.as_deref().unwrap_or_default();
        let races: Vec<[(&Location, bool); 2]> =
            found.iter().map(|found| sides(&found.race.accesses)).collect();
        let is_listed = |race: &[(&Location, bool); 2]| self.list.iter().any(|candidate| candidate.is(*race));
        let all = found.iter().map(|found| &found.race.accesses);
        let elsewhere: Vec<&[RaceAccess; 2]> = all.filter(|race| !is_listed(&sides(race))).collect();
        let places = |race: &[RaceAccess; 2]| race.each_ref().map(|access| access.location.clone());
        let races_elsewhere = elsewhere.iter().map(|race| places(race)).collect();
        let list = self.list.into_iter().map(|candidate| {
            let raced = races.iter().any(|race| candidate.is(*race));
            let class = classified.iter().find(|race| is_race(&candidate, race)).map(|race| race.class);
            let is_in_program = candidate.sides.iter().all(Option::is_some);
            let meant = elsewhere.iter().find(|race| candidate.may_mean(race));
            let (end, why) = match (raced, is_in_program, meant, is_complete) {
                (true, ..) => (CandidateEnd::Confirmed, "the exploration met this race".to_owned()),
                (_, false, ..) => {
                    (CandidateEnd::Open, "the program has no code at one of the places reported".to_owned())
                }
                (_, _, Some(race), _) => {
                    let [one, other] = places(race).map(|place| format!("{}:{}", place.file, place.line));
                    let met = format!("the race of {one} and {other}");
                    (CandidateEnd::Open, format!("not met on these lines; {met} may be this one"))
                }
                (_, _, None, true) => {
                    let count = report.stats.executions;
                    let why = format!("none of the executions has it, and all were explored ({count})");
                    (CandidateEnd::Refuted, why)
                }
                _ => {
                    let reasons: Vec<&str> = cuts.iter().map(|cut| cut.reason.word()).collect();
                    let why = format!("not met, and not everything was explored ({})", unique(reasons));
                    (CandidateEnd::Open, why)
                }
            };
            CandidateReport { end, class, why, ..candidate.report }
        });
        CandidatesReport {
            list: list.collect(),
            races_elsewhere,
            analysis_ms: self.analysis_ms,
            analysis_ended: self.ended.map(IncompleteReason::from),
            program: Some(self.program),
        }
    }
}

fn unique(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

fn sides(accesses: &[RaceAccess; 2]) -> [(&Location, bool); 2] {
    accesses.each_ref().map(|access| (&access.location, access.writes))
}

fn is_race(candidate: &Awaited, race: &ClassifiedRace) -> bool {
    let [first, second] = &race.accesses[..] else { return false };
    candidate.is([first, second].map(|access| (&access.location, access.kind != AccessKind::Read)))
}

fn location(position: &Position) -> Location {
    Location {
        file: position.file.clone(),
        line: position.line,
        column: position.column,
        function: position.function.clone(),
    }
}

fn of_analysis(number: usize, candidate: &Candidate) -> Awaited {
    let accesses = candidate.accesses.iter().map(|access| CandidatePlace {
        location: location(&access.position),
        kind: if access.ends { AccessKind::End } else { AccessKind::new(access.writes, access.atomic) },
        locks: access.locks.clone(),
        thread: access.thread.clone(),
    });
    let side = |number: usize| {
        let access = &candidate.accesses[number];
        Some(Side { place: location(&access.position), is_exact: true, writes: access.writes })
    };
    Awaited {
        report: CandidateReport {
            number,
            source: CandidateSource::Static,
            line: None,
            is_static: None,
            objects: candidate.objects.clone(),
            accesses: accesses.collect(),
            reason: candidate.reason.clone(),
            end: CandidateEnd::Open,
            class: None,
            why: String::new(),
        },
        sides: [side(0), side(1)],
        reported: None,
    }
}

fn read(path: &Path) -> Result<Vec<Reported>, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    // Programs print what they like between reports.
    let reports = reported::read(&String::from_utf8_lossy(&bytes));
    reports.map_err(|error| Refusal::Usage(format!("candidates `{}`: {error}", path.display())))
}

/// A tool's report. `known` are candidates of the static analysis, and whether they are all.
fn of_tool(
    places: &mut Places<'_>,
    number: usize,
    reported: &Reported,
    (known, are_all): (&[Awaited], bool),
) -> Awaited {
    let (source, who) = match reported.tool {
        Tool::ThreadSanitizer => (CandidateSource::ThreadSanitizer, "ThreadSanitizer"),
        Tool::Helgrind => (CandidateSource::Helgrind, "Helgrind"),
    };
    let sides = reported.accesses.each_ref().map(|access| {
        let access = access.as_ref()?;
        let place = places.of_access(access)?;
        Some(Side { place, is_exact: false, writes: access.writes })
    });
    let is_static = match &sides {
        [Some(one), Some(other)] => {
            let pair = |one: &Side, other: &Side, known: &Awaited| {
                let [Some(left), Some(right)] = &known.sides else { return false };
                one.is(&left.place, left.writes) && other.is(&right.place, right.writes)
            };
            known.iter().any(|known| pair(one, other, known) || pair(other, one, known))
        }
        _ => false,
    };
    let accesses = reported.accesses.iter().zip(&sides).filter_map(|(access, side)| {
        let access = access.as_ref()?;
        let own = access.frames.first().map(location).unwrap_or_default();
        Some(CandidatePlace {
            location: side.as_ref().map_or(own, |side| side.place.clone()),
            kind: AccessKind::new(access.writes, access.atomic),
            locks: Vec::new(),
            thread: access.thread.clone(),
        })
    });
    Awaited {
        report: CandidateReport {
            number,
            source,
            line: Some(reported.line),
            is_static: (is_static || are_all).then_some(is_static),
            objects: reported.object.iter().cloned().collect(),
            accesses: accesses.collect(),
            reason: format!("{who} reports it on line {}", reported.line),
            end: CandidateEnd::Open,
            class: None,
            why: String::new(),
        },
        sides,
        reported: match &reported.accesses {
            [Some(one), Some(other)] => Some([one.clone(), other.clone()]),
            _ => None,
        },
    }
}

/// The lines of a program's own code.
struct Places<'p> {
    program: &'p Program,
    /// By line, in the program's order.
    spans: FxHashMap<u32, Vec<Span>>,
    /// By a report's name for a file: the program's files that it may mean.
    files: FxHashMap<String, FxHashSet<u32>>,
}

impl<'p> Places<'p> {
    fn of(program: &'p Program) -> Self {
        let mut spans: FxHashMap<u32, Vec<Span>> = FxHashMap::default();
        let own = program.functions.iter().filter(|function| function.in_program);
        for id in own.flat_map(|function| &function.spans) {
            let span = *program.span(*id);
            let of_line = spans.entry(span.line).or_default();
            // The instructions of a line mostly follow each other.
            if of_line.last() != Some(&span) {
                of_line.push(span);
            }
        }
        Self { program, spans, files: FxHashMap::default() }
    }

    /// The first frame that is code of the program, by its names for files.
    fn of_access(&mut self, access: &ReportedAccess) -> Option<Location> {
        let Self { program, spans, files } = self;
        access.frames.iter().find_map(|frame| {
            let files: &FxHashSet<u32> = files.entry(frame.file.clone()).or_insert_with(|| {
                let named = (0..).zip(&program.files).filter(|(_, name)| is_same_file(name, &frame.file));
                named.map(|(number, _)| number).collect()
            });
            let here: Vec<&Span> =
                spans.get(&frame.line)?.iter().filter(|span| files.contains(&span.file)).collect();
            // Several files of one name may have code on a line of that number.
            let is_named = |span: &Span| {
                let scope = program.scopes.get(span.scope as usize);
                scope.is_some_and(|scope| is_in_name(scope, &frame.function))
            };
            let span = here.iter().find(|span| is_named(span)).or(here.first())?;
            let file = program.files.get(span.file as usize)?.clone();
            let function = program.scopes.get(span.scope as usize).cloned().unwrap_or_default();
            Some(Location { file, line: span.line, column: 0, function })
        })
    }
}

/// Whether two names of files may mean the same: one is the end of the other, whole parts taken.
fn is_same_file(one: &str, other: &str) -> bool {
    Path::new(one).ends_with(other.trim_start_matches("./"))
        || Path::new(other).ends_with(one.trim_start_matches("./"))
}

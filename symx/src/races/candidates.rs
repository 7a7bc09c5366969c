//! Candidates for races, from the static analysis or from other tools' reports, and what the exploration says
//! of each.
//!
//! The analysis ends with the time, the memory and Ctrl-C. What it has found by then is listed; candidates of
//! reports do without it.

use crate::races::ordered::{OrderedPlaces, Place};
use crate::races::reported_places::{Places, is_in_name};
use crate::refusal::Refusal;
use crate::report::{
    AccessKind, CandidateEnd, CandidatePlace, CandidateRank, CandidateReport, CandidateSource,
    CandidatesReport, ClassifiedRace, Cut, Report,
};
use crate::text::counted;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;
use symx_candidates::reported::{self, Reported, ReportedAccess, Tool};
use symx_candidates::{Candidate, CandidatePair, FoundCandidates, MOST_IN_WORDS, Position};
use symx_expr::{StopReason, StopToken};
use symx_ir::{FunctionId, Program, SpanId};
use symx_posix_explore::FoundRaces;
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

/// Open candidates that no execution has met and that are listed. A longer list fills a disk, and is not
/// read.
const MOST_OPEN: usize = 100_000;

/// Candidates that wait for what the exploration says.
pub struct Candidates {
    list: Vec<Awaited>,
    /// What the static analysis has found, whether the list is of that, and why it ended before it was done.
    pairs: Vec<CandidatePair>,
    is_static: bool,
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
#[derive(Clone)]
struct Side {
    place: Location,
    /// Whether the column counts, and the writing thread is known for certain.
    is_exact: bool,
    writes: bool,
}

impl Side {
    /// As pairs that were ordered are looked up.
    fn key(&self) -> Place<'_> {
        let column = self.is_exact.then_some(self.place.column);
        (&self.place.file, self.place.line, column, self.writes)
    }

    fn is(&self, location: &Location, writes: bool) -> bool {
        self.place.file == location.file
            && self.place.line == location.line
            && self.writes == writes
            && (!self.is_exact || self.place.column == location.column)
    }
}

impl Awaited {
    /// Whether an execution had its accesses ordered.
    fn is_ordered(&self, places: &OrderedPlaces<'_>) -> bool {
        let [Some(one), Some(other)] = &self.sides else { return false };
        places.have([one.key(), other.key()])
    }

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

impl Candidates {
    /// The candidates of a program that starts at `entry`; the static analysis ends with `stop`.
    pub fn of(program: &Program, entry: &str, source: &Source, stop: &StopToken) -> Result<Self, Refusal> {
        let began = Instant::now();
        let entry = program.function_named(entry).unwrap_or(FunctionId(0));
        let (found, list) = match source {
            Source::Static => {
                let mut found = symx_candidates::candidates(program, entry, stop);
                let list = std::mem::take(&mut found.list).into_iter();
                (found, (1..).zip(list).map(|(number, one)| of_analysis(number, one)).collect())
            }
            Source::File(path) => {
                let reports = read(path)?;
                let mut places = Places::of(program);
                let sides: Vec<_> = reports.iter().map(|one| sides_of(&mut places, one)).collect();
                let mut found = symx_candidates::candidates_at(program, entry, &spans(program, &sides), stop);
                let mut list = Vec::new();
                for (number, (one, sides)) in (1..).zip(reports.iter().zip(sides)) {
                    found.ended = found.ended.or_else(|| stop.reason());
                    list.push(of_tool(program, number, one, sides, &found));
                }
                (found, list)
            }
        };
        let analysis_ms = began.elapsed().as_millis() as u64;
        let program = ProgramHash(program.hash).to_string();
        let is_static = *source == Source::Static;
        let FoundCandidates { pairs, ended, .. } = found;
        Ok(Self { list, pairs, is_static, ended, analysis_ms, program })
    }

    /// Why the list may lack candidates of the static analysis, if it may.
    pub fn cut(&self) -> Option<Cut> {
        let reason = IncompleteReason::from(self.ended?);
        let found = match self.pairs.len() {
            0 => "no candidate".into(),
            found => counted(found as u64, "candidate"),
        };
        Some(Cut::because(reason, format!("the static analysis ended early, with {found} so far")))
    }

    /// The end of each, by the races found and by the report of the exploration, without the analysis.
    pub fn judged(
        self,
        program: &Program,
        FoundRaces { races: found, ordered, .. }: &FoundRaces,
        report: &Report,
    ) -> CandidatesReport {
        let ordered = OrderedPlaces::of(program, ordered);
        let is_complete = report.incomplete.is_empty() && report.contradictions.is_empty();
        let classified = report.races.as_deref().unwrap_or_default();
        let races: Vec<[(&Location, bool); 2]> =
            found.iter().map(|found| sides(&found.race.accesses)).collect();
        let is_listed = |race: &[(&Location, bool); 2]| {
            let side =
                |(place, writes): (&Location, bool)| Side { place: place.clone(), is_exact: true, writes };
            self.list.iter().any(|candidate| candidate.is(*race))
                || self.is_static && have(program, &self.pairs, &race.map(side))
        };
        let all = found.iter().map(|found| &found.race.accesses);
        let elsewhere: Vec<&[RaceAccess; 2]> = all.filter(|race| !is_listed(&sides(race))).collect();
        let places = |race: &[RaceAccess; 2]| race.each_ref().map(|access| access.location.clone());
        let races_elsewhere = elsewhere.iter().map(|race| places(race)).collect();
        let in_words = if self.is_static { MOST_IN_WORDS } else { self.pairs.len() };
        let mut left_out = self.pairs.len().saturating_sub(in_words);
        let (mut list, mut open) = (Vec::new(), 0);
        for candidate in self.list {
            let raced = races.iter().any(|race| candidate.is(*race));
            let class = classified.iter().find(|race| is_race(&candidate, race)).map(|race| race.class);
            let is_in_program = candidate.sides.iter().all(Option::is_some);
            let meant = elsewhere.iter().find(|race| candidate.may_mean(race));
            let is_ordered = candidate.is_ordered(&ordered);
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
                    let reasons = report.incomplete.iter().map(|cut| cut.reason.word()).collect();
                    let met = if is_ordered { "only met in an order" } else { "not met" };
                    let why = format!("{met}, and not everything was explored ({})", unique(reasons));
                    (CandidateEnd::Open, why)
                }
            };
            let judged = CandidateReport { end, class, is_ordered, why, ..candidate.report };
            open += usize::from(judged.rank() == CandidateRank::Open);
            if judged.rank() == CandidateRank::Open && open > MOST_OPEN {
                left_out += 1;
            } else {
                list.push(judged);
            }
        }
        CandidatesReport {
            list,
            left_out,
            left_out_end: if is_complete { CandidateEnd::Refuted } else { CandidateEnd::Open },
            races_elsewhere,
            analysis_ms: self.analysis_ms,
            analysis_ended: self.ended.map(IncompleteReason::from),
            program: Some(self.program),
        }
    }
}

/// Whether candidates of the static analysis have two sides.
fn have(program: &Program, pairs: &[CandidatePair], [left, right]: &[Side; 2]) -> bool {
    let is = |(span, writes): (SpanId, bool), side: &Side| {
        let is_there = program.position(span).is_some_and(|(file, line, column)| {
            side.place.line == line
                && (!side.is_exact || side.place.column == column)
                && side.place.file == file
        });
        writes == side.writes && is_there
    };
    pairs
        .iter()
        .any(|[one, other]| is(*one, left) && is(*other, right) || is(*one, right) && is(*other, left))
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

fn of_analysis(number: usize, candidate: Candidate) -> Awaited {
    let sides = candidate.accesses.each_ref().map(|access| {
        Some(Side { place: location(&access.position), is_exact: true, writes: access.writes })
    });
    let accesses = candidate.accesses.into_iter().map(|access| CandidatePlace {
        location: location(&access.position),
        kind: if access.ends { AccessKind::End } else { AccessKind::new(access.writes, access.atomic) },
        locks: access.locks,
        thread: access.thread,
    });
    Awaited {
        report: CandidateReport {
            number,
            source: CandidateSource::Static,
            line: None,
            is_static: None,
            objects: candidate.objects,
            further_objects: candidate.further_objects,
            accesses: accesses.collect(),
            reason: candidate.reason,
            end: CandidateEnd::Open,
            class: None,
            is_ordered: false,
            why: String::new(),
        },
        sides,
        reported: None,
    }
}

fn read(path: &Path) -> Result<Vec<Reported>, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    // Programs print what they like between reports.
    let reports = reported::read(&String::from_utf8_lossy(&bytes));
    reports.map_err(|error| Refusal::Usage(format!("candidates `{}`: {error}", path.display())))
}

/// The sides of a tool's report that are in the program.
fn sides_of(places: &mut Places<'_>, reported: &Reported) -> [Option<Side>; 2] {
    reported.accesses.each_ref().map(|access| {
        let access = access.as_ref()?;
        let place = places.of_access(access)?;
        Some(Side { place, is_exact: false, writes: access.writes })
    })
}

/// The places in the program at which reported accesses may be.
fn spans(program: &Program, sides: &[[Option<Side>; 2]]) -> FxHashSet<SpanId> {
    let sides = || sides.iter().flatten().flatten();
    let lines: FxHashSet<(&str, u32)> = sides().map(|side| (&side.place.file[..], side.place.line)).collect();
    let is_reported =
        |span: &SpanId| program.position(*span).is_some_and(|(file, line, _)| lines.contains(&(file, line)));
    (0..program.spans.len() as u32).map(SpanId).filter(is_reported).collect()
}

/// A tool's report. `found` are candidates of the static analysis at the places that are reported.
fn of_tool(
    program: &Program,
    number: usize,
    reported: &Reported,
    sides: [Option<Side>; 2],
    found: &FoundCandidates,
) -> Awaited {
    let (source, who) = match reported.tool {
        Tool::ThreadSanitizer => (CandidateSource::ThreadSanitizer, "ThreadSanitizer"),
        Tool::Helgrind => (CandidateSource::Helgrind, "Helgrind"),
    };
    let both = match &sides {
        [Some(one), Some(other)] => Some([one.clone(), other.clone()]),
        _ => None,
    };
    let is_static = both.is_some_and(|both| have(program, &found.pairs, &both));
    let are_all = found.ended.is_none();
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
            further_objects: 0,
            accesses: accesses.collect(),
            reason: format!("{who} reports it on line {}", reported.line),
            end: CandidateEnd::Open,
            class: None,
            is_ordered: false,
            why: String::new(),
        },
        sides,
        reported: match &reported.accesses {
            [Some(one), Some(other)] => Some([one.clone(), other.clone()]),
            _ => None,
        },
    }
}

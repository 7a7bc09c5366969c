//! Classes of the races that a search comes upon, each as soon as it is found. So if the search is ended,
//! there are classes by then. The time, if it has an end, is shared between looking for races and classifying
//! them.

use crate::limits::budget::Budget;
use crate::limits::counted_solver::SolverCounts;
use crate::races::results::RaceFinding;
use crate::races::suppressions::Suppressions;
use crate::render;
use crate::report::Cut;
use crate::session::Session;
use std::cmp::Reverse;
use std::time::{Duration, Instant};
use symx_checkers::race_class::{Effort, Judgement, Unclassified, classify};
use symx_expr::StopToken;
use symx_interp::machine::Machine;
use symx_posix_explore::{FoundRace, KeptStates, Observer, Progress, RaceObserver, RaceRuns};
use symx_posix_model::Posix;
use symx_trace::{IncompleteReason, Race};

/// Watches a search for races, and classifies what it finds.
pub struct RaceClasses<'c> {
    session: &'c Session,
    machine: &'c Machine<Posix>,
    suppressions: &'c Suppressions,
    effort: Effort,
    /// Ends everything.
    pub budget: Budget,
    cutoff: StopToken,
    kept: KeptStates<Posix>,
    /// In the order found.
    judged: Vec<Judged>,
    /// Whether a race was seen that is not suppressed, as far as that is known.
    has_race: bool,
    /// Whether judging a race was left for the end.
    is_any_left: bool,
    /// Time spent on classes.
    spent: Duration,
    /// Whether looking for races ended for what was found to be classified.
    pub is_search_cut: bool,
    /// The work of the solvers.
    pub counts: &'c SolverCounts,
}

/// The known facts about a race.
struct Judged {
    race: Race,
    /// In how many executions it had been seen when it was judged.
    witnesses: usize,
    outcome: Result<RaceFinding, NoClass>,
}

/// Why a race has no class.
enum NoClass {
    /// It is not known, and what exactly.
    Open(IncompleteReason, String),
    /// Its witness does not replay: how that showed.
    Diverged(String),
}

/// The races of a search.
#[derive(Default)]
pub struct Classified {
    /// Those with a class, in the order found.
    pub races: Vec<RaceFinding>,
    /// Why others have none.
    pub open: Vec<Cut>,
    /// Those whose witness does not replay.
    pub diverged: Vec<Cut>,
}

/// Ends the work on one race.
struct Slice<'s> {
    budget: &'s mut Budget,
    end: Option<Instant>,
}

impl Observer for Slice<'_> {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        let is_over = self.end.is_some_and(|end| Instant::now() >= end);
        self.budget.progress(progress).or_else(|| is_over.then_some(IncompleteReason::MaxTime))
    }
}

impl Observer for RaceClasses<'_> {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        self.has_race |= progress.races > 0;
        if let Some(reason) = self.budget.progress(progress) {
            return Some(reason);
        }
        self.is_search_cut = self.is_search_over();
        self.is_search_cut.then_some(IncompleteReason::MaxTime)
    }
}

impl RaceObserver for RaceClasses<'_> {
    fn races(&mut self, found: &[FoundRace]) {
        let mut new: Vec<&FoundRace> = found.iter().filter(|found| self.is_open(found)).collect();
        self.has_race |= !new.is_empty();
        new.sort_by_key(|found| Reverse(found.danger()));
        for race in new {
            // An execution that fails shows more in less time than one that does not, and may be found later.
            let is_urgent = self.budget.left().is_none() || race.danger().fails;
            if is_urgent && !self.is_search_over() {
                self.judge(race, 2);
            } else {
                self.is_any_left = true;
            }
        }
    }
}

impl<'c> RaceClasses<'c> {
    /// For the races of the session's program. `machine` is the session's machine.
    pub fn new(
        session: &'c Session,
        machine: &'c Machine<Posix>,
        suppressions: &'c Suppressions,
        effort: Effort,
        (budget, counts): (Budget, &'c SolverCounts),
    ) -> Self {
        Self {
            session,
            machine,
            suppressions,
            effort,
            cutoff: budget.cutoff(),
            budget,
            kept: KeptStates::default(),
            judged: Vec::new(),
            has_race: false,
            is_any_left: false,
            spent: Duration::ZERO,
            is_search_cut: false,
            counts,
        }
    }

    /// Whether the rest of the time is needed for classes. It is all after the half if a race has none. Else
    /// it is as much as they took so far, since what is harmless is judged again with all executions that
    /// show it.
    fn is_search_over(&self) -> bool {
        let Some(left) = self.budget.left() else { return false };
        if !self.has_race {
            return false;
        }
        let has_none = self.judged.is_empty() || self.judged.iter().any(|judged| judged.outcome.is_err());
        let passed = self.budget.elapsed();
        if has_none || self.is_any_left { passed >= left } else { self.spent >= left }
    }

    /// Whether a race was not judged yet.
    fn is_open(&self, found: &FoundRace) -> bool {
        !self.suppressions.cover(&found.race) && self.known(found).is_none()
    }

    fn known(&self, found: &FoundRace) -> Option<usize> {
        self.judged.iter().position(|judged| judged.race.is_same(&found.race))
    }

    /// Judges all races found. First those without a class, the most dangerous first. Then those that were
    /// harmless in the first execution that showed them, if others show them, too.
    pub fn finish(&mut self, found: &[FoundRace]) {
        let told = |found: &&FoundRace| !self.suppressions.cover(&found.race);
        let mut open: Vec<&FoundRace> = found.iter().filter(told).collect();
        let has_class = |found: &FoundRace| {
            let known = self.known(found).map(|at| &self.judged[at]);
            known.is_some_and(|judged| judged.outcome.is_ok())
        };
        open.sort_by_key(|found| (has_class(found), Reverse(found.danger())));
        open.retain(|found| {
            let known = self.known(found).map(|at| &self.judged[at]);
            known.is_none_or(|judged| match &judged.outcome {
                Ok(finding) => !finding.report.class.is_harmful() && judged.witnesses < found.witnesses(),
                Err(_) => true,
            })
        });
        let last = open.len().saturating_sub(1);
        for (number, race) in open.into_iter().enumerate() {
            self.judge(race, if number == last { 1 } else { 2 });
        }
    }

    /// Judges a race in such a part of the time that is left. Equal parts for all could be too short for
    /// each. An earlier result stays if there is none now.
    fn judge(&mut self, found: &FoundRace, part: u32) {
        let began = Instant::now();
        let end = self.budget.left().map(|left| began + left / part);
        let outcome = self.judgement(found, end);
        self.spent += began.elapsed();
        let judged = Judged { race: found.race.clone(), witnesses: found.witnesses(), outcome };
        match self.known(found) {
            None => self.judged.push(judged),
            Some(at) if judged.outcome.is_ok() || self.judged[at].outcome.is_err() => {
                self.judged[at] = judged
            }
            Some(_) => {}
        }
    }

    fn judgement(&mut self, found: &FoundRace, end: Option<Instant>) -> Result<RaceFinding, NoClass> {
        let mut slice = Slice { budget: &mut self.budget, end };
        if let Some(reason) = slice.progress(&Progress::default()) {
            let why = Unclassified::Ended { reason, harmless: 0 };
            return Err(NoClass::Open(reason, why.to_string()));
        }
        let solver = || self.session.counted_solver(self.cutoff.clone(), self.counts);
        let mut runs = RaceRuns::new(self.machine, solver(), found, &mut self.kept, &mut slice);
        let judged = classify(&mut runs, self.session.terms(), solver(), &self.effort);
        let judgement = judged.map_err(|why| match why {
            Unclassified::Ended { reason, .. } => NoClass::Open(reason, why.to_string()),
            Unclassified::Unknown(why) => NoClass::Open(IncompleteReason::RaceUnclassified, why),
        })?;
        let visible = witness(&judgement).map_or_else(Vec::new, |witness| runs.visible(witness));
        RaceFinding::new(self.session, &found.race, &judgement, &visible).map_err(NoClass::Diverged)
    }

    /// The classes of all races.
    pub fn classified(&mut self) -> Classified {
        let mut classified = Classified::default();
        for Judged { race, outcome, .. } in self.judged.drain(..) {
            match outcome {
                Ok(finding) => classified.races.push(finding),
                Err(NoClass::Open(reason, why)) => classified.open.push(unclassified(&race, reason, &why)),
                Err(NoClass::Diverged(why)) => {
                    classified.diverged.push(unclassified(&race, IncompleteReason::ReplayDiverged, &why));
                }
            }
        }
        classified
    }
}

/// A race without a class, with both its places.
fn unclassified(race: &Race, reason: IncompleteReason, why: &str) -> Cut {
    let [first, second] = race.accesses.each_ref().map(|access| &access.location);
    let what = format!("data race on {} with {}: {why}", race.part.quoted(), render::place(second));
    Cut { location: Some(first.clone()), ..Cut::because(reason, what) }
}

/// The witness of what shows a harm.
fn witness(judgement: &Judgement) -> Option<usize> {
    judgement.evidence.as_ref().map(|evidence| evidence.witness)
}

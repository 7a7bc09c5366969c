//! Consequences of a data race: Portend's classes (Kasikci, thesis 2015, chapter 5).
//!
//! A race is judged where both of its accesses are next, so that two executions differ in nothing but their
//! order. The continuations of each order, all schedules and inputs or a sample of them, are compared as
//! sets. A failure that only one order leads to violates the specification. An output that only one can have
//! makes outputs differ. Outputs that depend on inputs are compared by the solver, for all inputs at once. So
//! effects of other races, or of threads that print in any order, are not attributed to this race.

use std::sync::Arc;
use symx_expr::solver::{Model, PathQueries, Solver, Unresolved};
use symx_expr::{PathCondition, Term, Terms};
use symx_trace::IncompleteReason;
use symx_trace::race::{
    AccessOrder, Continuation, EndResult, Ending, Executions, RaceClass, RaceOrders, SideBySide, Written,
};

/// How much is tried (the thesis's Mp and Ma).
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Executions with the race that are looked into, beyond those that fail.
    pub paths: usize,
    /// Schedules after the race for each.
    pub schedules: usize,
    /// Seed of schedules at random.
    pub seed: u64,
}

/// The class of a race.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Its class.
    pub class: RaceClass,
    /// Pairs of path and schedule under which both orders were compared.
    pub k: usize,
    /// Whether, where the race was seen, everything that can follow was compared.
    pub is_exhaustive: bool,
    /// The execution that shows the harm.
    pub evidence: Option<Evidence>,
}

/// Executions that show what a race does.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The witness from which they branch off.
    pub witness: usize,
    /// Values of the inputs.
    pub inputs: Model,
    /// The order that leads to `shown`.
    pub order: AccessOrder,
    /// An execution whose end the other order cannot have.
    pub shown: Ending,
    /// One with the other order, for the same inputs.
    pub other: Option<Ending>,
}

/// Why a race has no class.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unclassified {
    /// It could not be determined.
    #[error("{0}")]
    Unknown(String),
    /// No more executions may be run.
    #[error("not classified{}", so_far(*harmless))]
    Ended {
        /// Why.
        reason: IncompleteReason,
        /// How many pairs of path and schedule have shown no observable effect.
        harmless: usize,
    },
}

fn so_far(harmless: usize) -> String {
    match harmless {
        0 => String::new(),
        pairs => format!("; no observable effect so far, in {pairs} pairs of path and schedule"),
    }
}

/// The sum of the witnesses examined so far.
#[derive(Default)]
struct Tally {
    /// Pairs of path and schedule.
    k: usize,
    compared: usize,
    harmless: usize,
    single: usize,
    is_exhaustive: bool,
    differs: Option<Evidence>,
    unknown: Option<String>,
    /// Why no more executions may be run.
    ended: Option<IncompleteReason>,
}

impl Tally {
    /// The class of a race that violates nothing.
    fn class(self, effort: &Effort) -> Result<Judgement, Unclassified> {
        let Tally { k, is_exhaustive, .. } = self;
        let judgement = |class, k, evidence| Ok(Judgement { class, k, is_exhaustive, evidence });
        match (self.differs, self.ended, self.unknown) {
            (Some(evidence), ..) => judgement(RaceClass::OutputDiffers, k, Some(evidence)),
            // Of harmless ones it is known then that they are so often.
            (None, Some(reason), _) if self.harmless == 0 || k < effort.paths * effort.schedules => {
                Err(Unclassified::Ended { reason, harmless: k })
            }
            (None, _, Some(why)) => Err(Unclassified::Unknown(why)),
            // With all that can follow compared, no number of witnesses would say more.
            (None, _, None) if self.harmless > 0 => {
                let k = if is_exhaustive { k.max(effort.paths * effort.schedules) } else { k };
                judgement(RaceClass::KWitnessHarmless, k, None)
            }
            (None, _, None) if self.single > 0 => judgement(RaceClass::SingleOrdering, 0, None),
            (None, _, None) => Err(Unclassified::Unknown("no execution shows the race again".into())),
        }
    }
}

/// Two sets of ends, and why they are not complete.
#[derive(Default)]
struct Sides {
    seen: Executions,
    reversed: Executions,
}

/// An end that one side has and the other has not.
struct Difference {
    shown: Ending,
    order: AccessOrder,
    other: Option<Ending>,
    inputs: Model,
}

impl Difference {
    /// Where one order can exit and the other can only fail, it is the failure that shows the harm.
    fn by_harm(self) -> Self {
        match self.other {
            Some(other) if is_failure(&other) && !is_failure(&self.shown) => {
                let order = match self.order {
                    AccessOrder::Seen => AccessOrder::Reversed,
                    AccessOrder::Reversed => AccessOrder::Seen,
                };
                Self { shown: other, order, other: Some(self.shown), inputs: self.inputs }
            }
            _ => self,
        }
    }
}

/// Judges a race. `solver` decides about terms of the pool.
pub fn classify<S: Solver>(
    race: &mut dyn RaceOrders,
    terms: &Arc<Terms>,
    solver: S,
    effort: &Effort,
) -> Result<Judgement, Unclassified> {
    // With fewer witnesses than wanted, each goes on in more ways.
    let witnesses = race.witnesses().clamp(1, effort.paths.max(1));
    let schedules = (effort.paths * effort.schedules).div_ceil(witnesses);
    let queries = PathQueries::new(Arc::clone(terms), solver);
    let mut judge = Judge { race, terms, queries, effort, schedules };
    judge.classify()
}

/// Witnesses looked into at most, for each path wanted.
const WITNESSES_A_PATH: usize = 4;

/// How many times as many schedules are run to remove a difference between samples.
const MORE_SCHEDULES: usize = 4;

struct Judge<'j, S> {
    race: &'j mut dyn RaceOrders,
    terms: &'j Arc<Terms>,
    queries: PathQueries<S>,
    effort: &'j Effort,
    /// Schedules for each place where the accesses are side by side.
    schedules: usize,
}

impl<S: Solver> Judge<'_, S> {
    fn classify(&mut self) -> Result<Judgement, Unclassified> {
        let mut tally = Tally { is_exhaustive: true, ..Tally::default() };
        let most = self.effort.paths.saturating_mul(WITNESSES_A_PATH);
        for witness in 0..self.race.witnesses().min(most) {
            for way in 0..self.race.ways() {
                match self.race.side_by_side(witness, way) {
                    SideBySide::Known => {}
                    SideBySide::Impossible => tally.single += 1,
                    SideBySide::Unknown(why) => tally.unknown = Some(why),
                    SideBySide::Reached => {
                        if let Some(found) = self.judge(&mut tally, witness) {
                            return Ok(found);
                        }
                    }
                }
                tally.ended = tally.ended.or_else(|| self.race.ended());
                if tally.ended.is_some() {
                    tally.is_exhaustive = false;
                    return tally.class(self.effort);
                }
                // Sampling takes long: as many paths as are wanted, and no more.
                if !tally.is_exhaustive && tally.compared >= self.effort.paths {
                    return tally.class(self.effort);
                }
            }
        }
        tally.class(self.effort)
    }

    /// Compares both orders where they are side by side. `Some` if that settles the class.
    fn judge(&mut self, tally: &mut Tally, witness: usize) -> Option<Judgement> {
        let mut sides = Sides::default();
        // Where it did not terminate once, it will not the next time.
        if tally.is_exhaustive {
            sides = self.every();
            tally.is_exhaustive = sides.seen.cut.is_none() && sides.reversed.cut.is_none();
        }
        let found = if tally.is_exhaustive { self.difference(&sides) } else { self.sampled(&mut sides) };
        // Where one order was followed further than the other, a difference is none of the program's.
        tally.ended = self.race.ended();
        if tally.ended.is_some() {
            return None;
        }
        tally.compared += 1;
        tally.k += self.schedules;
        let evidence = |found: Difference| Evidence {
            witness,
            inputs: found.inputs,
            order: found.order,
            shown: found.shown,
            other: found.other,
        };
        match found {
            Ok(None) => tally.harmless += 1,
            Ok(Some(found)) if is_failure(&found.shown) => {
                return Some(Judgement {
                    class: RaceClass::SpecViolated,
                    k: tally.k,
                    is_exhaustive: tally.is_exhaustive,
                    evidence: Some(evidence(found)),
                });
            }
            Ok(Some(found)) => {
                tally.differs.get_or_insert(evidence(found));
            }
            Err(why) => tally.unknown = Some(why.to_string()),
        }
        None
    }

    fn every(&mut self) -> Sides {
        let seen = self.race.executions(AccessOrder::Seen, Continuation::Every);
        let reversed = self.race.executions(AccessOrder::Reversed, Continuation::Every);
        Sides { seen, reversed }
    }

    /// Compares samples: a difference counts only if more schedules of the other order do not remove it.
    fn sampled(&mut self, sides: &mut Sides) -> Result<Option<Difference>, Unresolved> {
        let first = std::iter::once(Continuation::Turns);
        let seed = self.effort.seed;
        let random = move |from: usize, to: usize| {
            (from..to).map(move |number| Continuation::Random(seed.wrapping_add(number as u64)))
        };
        let some = self.schedules;
        for how in first.chain(random(1, some)) {
            sides.seen.endings.extend(self.race.executions(AccessOrder::Seen, how).endings);
            sides.reversed.endings.extend(self.race.executions(AccessOrder::Reversed, how).endings);
        }
        if sides.seen.endings.is_empty() || sides.reversed.endings.is_empty() {
            return Err(Unresolved::Unknown("no execution of one of the orders came to an end".into()));
        }
        let found = self.difference(sides)?;
        let Some(found) = found else { return Ok(None) };
        let (other, order) = match found.order {
            AccessOrder::Seen => (&mut sides.reversed, AccessOrder::Reversed),
            AccessOrder::Reversed => (&mut sides.seen, AccessOrder::Seen),
        };
        for how in random(some, some * (1 + MORE_SCHEDULES)) {
            other.endings.extend(self.race.executions(order, how).endings);
        }
        self.difference(sides)
    }

    /// An end that only one order has, for some input: a failure rather than an exit.
    fn difference(&mut self, sides: &Sides) -> Result<Option<Difference>, Unresolved> {
        let (seen, reversed) = (distinct(&sides.seen.endings), distinct(&sides.reversed.endings));
        for fails in [true, false] {
            for (order, ours, theirs) in
                [(AccessOrder::Reversed, &reversed, &seen), (AccessOrder::Seen, &seen, &reversed)]
            {
                for ending in ours.iter().filter(|ending| is_failure(ending) == fails) {
                    if let Some(inputs) = self.only_here(ending, theirs)? {
                        let other = self.under(&inputs, theirs);
                        return Ok(Some(
                            Difference { shown: (*ending).clone(), order, other, inputs }.by_harm(),
                        ));
                    }
                }
            }
        }
        // Where nothing but failures follows, the race is no less in what fails for both orders doing so.
        let fails_always = seen.iter().chain(&reversed).all(|ending| is_failure(ending));
        match reversed.first().or(seen.first()) {
            Some(ending) if fails_always => self.difference_of_none(ending),
            _ => Ok(None),
        }
    }

    fn difference_of_none(&mut self, ending: &Ending) -> Result<Option<Difference>, Unresolved> {
        let inputs = self.only_here(ending, &[])?;
        let order = AccessOrder::Reversed;
        Ok(inputs.map(|inputs| Difference { shown: ending.clone(), order, other: None, inputs }))
    }

    /// Inputs under which executions end so, but none of the others does.
    fn only_here(&mut self, ending: &Ending, others: &[&Ending]) -> Result<Option<Model>, Unresolved> {
        let mut path = PathCondition::new();
        let mut is_possible = true;
        for constraint in &ending.path {
            is_possible &= path.add(self.terms, *constraint);
        }
        for other in others {
            let Some(same) = self.same_result(&ending.result, &other.result) else { continue };
            let alike = self.terms.all(other.path.iter().copied().chain([same]));
            is_possible &= path.add(self.terms, self.terms.not(alike));
        }
        if !is_possible {
            return Ok(None);
        }
        if path.is_empty() {
            return Ok(Some(Model::default()));
        }
        match self.queries.model(&path) {
            Ok(model) => Ok(Some(model)),
            Err(Unresolved::Infeasible) => Ok(None),
            Err(unknown) => Err(unknown),
        }
    }

    /// When two results are the same; `None` for never.
    fn same_result(&self, one: &EndResult, other: &EndResult) -> Option<Term> {
        match (one, other) {
            (EndResult::Failed(one), EndResult::Failed(other)) => one.same_fault(other).then_some(Term::TRUE),
            (
                EndResult::Exit { status, output, errors, files },
                EndResult::Exit {
                    status: their_status,
                    output: their_output,
                    errors: their_errors,
                    files: their_files,
                },
            ) if status == their_status && files.len() == their_files.len() => {
                let mut same = vec![self.same_bytes(output, their_output)?];
                same.push(self.same_bytes(errors, their_errors)?);
                for ((path, left), (their_path, their_left)) in files.iter().zip(their_files) {
                    match (left, their_left) {
                        _ if path != their_path => return None,
                        (Some(left), Some(their_left)) => same.push(self.same_bytes(left, their_left)?),
                        (None, None) => {}
                        _ => return None,
                    }
                }
                Some(self.terms.all(same))
            }
            _ => None,
        }
    }

    fn same_bytes(&self, one: &Written, other: &Written) -> Option<Term> {
        if one.bytes.len() != other.bytes.len() {
            return None;
        }
        let (mut mine, mut theirs) = (one.symbolic.iter().peekable(), other.symbolic.iter().peekable());
        let mut equal = Vec::new();
        for (at, (left, right)) in (0_u64..).zip(one.bytes.iter().zip(&other.bytes)) {
            let left_term = mine.next_if(|entry| entry.0 == at).map(|entry| entry.1);
            let right_term = theirs.next_if(|entry| entry.0 == at).map(|entry| entry.1);
            if left_term.is_none() && right_term.is_none() {
                if left != right {
                    return None;
                }
                continue;
            }
            let constant = |byte: u8| self.terms.constant(8, u64::from(byte));
            let left = left_term.unwrap_or_else(|| constant(*left));
            let right = right_term.unwrap_or_else(|| constant(*right));
            equal.push(self.terms.equal(left, right));
        }
        Some(self.terms.all(equal))
    }

    /// An execution of these that has the inputs, if there is one then one that does not fail.
    fn under(&self, inputs: &Model, endings: &[&Ending]) -> Option<Ending> {
        let mut evaluator = symx_expr::Evaluator::new(self.terms, inputs);
        let fits = |ending: &&&Ending| ending.path.iter().all(|constraint| evaluator.is_true(*constraint));
        let fitting: Vec<&&Ending> = endings.iter().filter(fits).collect();
        let exits = fitting.iter().find(|ending| !is_failure(ending));
        exits.or(fitting.first()).map(|ending| (**ending).clone())
    }
}

fn is_failure(ending: &Ending) -> bool {
    matches!(ending.result, EndResult::Failed(_))
}

/// The ends that differ in path or result.
fn distinct(endings: &[Ending]) -> Vec<&Ending> {
    let mut kept: Vec<&Ending> = Vec::new();
    for ending in endings {
        if !kept.iter().any(|known| (&known.path, &known.result) == (&ending.path, &ending.result)) {
            kept.push(ending);
        }
    }
    kept
}

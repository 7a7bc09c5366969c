//! From summaries to candidates.

use crate::budget::Budget;
use crate::candidate::{Candidate, CandidateAccess, FoundCandidates, MOST_IN_WORDS};
use crate::concurrency::{Concurrency, Runner};
use crate::flow::Flow;
use crate::flow::alive::Alive;
use crate::flow::summary::{Access, Kind, Lock, LockName};
use crate::names::Names;
use crate::objects::{Object, ObjectId};
use crate::offsets::{Offset, UNBOUNDED};
use crate::points_to::PointsTo;
use crate::targets::Targets;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use symx_expr::{StopReason, StopToken};
use symx_ir::known_functions::EXIT;
use symx_ir::{FunctionId, Program, SourceName, SpanId};

/// An access of a runner.
struct Made {
    access: Access,
    span: SpanId,
    /// The number of its runner and of the threads that may run beside it.
    side: usize,
}

/// By place and kind, the key of an access of a pair.
type Side = (SpanId, Kind);

/// What was found about a pair of places.
struct Found {
    /// The numbers of two accesses there: the first that were found.
    accesses: [usize; 2],
    /// The objects that they may access, in lists that pairs have in common.
    objects: Vec<Rc<[(ObjectId, Offset)]>>,
}

/// Objects of a candidate that are listed: a longer list tells no more.
const MOST_OBJECTS: usize = 16;

/// The candidates of a program that starts at `entry`. Those compared until `stop` are listed; the comparison
/// is the last part of the analysis.
pub fn candidates(program: &Program, entry: FunctionId, stop: &StopToken) -> FoundCandidates {
    found(program, entry, None, stop)
}

/// Those of them whose accesses both lie at some of these places: large programs have too many to compare
/// all.
pub fn candidates_at(
    program: &Program,
    entry: FunctionId,
    places: &FxHashSet<SpanId>,
    stop: &StopToken,
) -> FoundCandidates {
    found(program, entry, Some(places), stop)
}

fn found(
    program: &Program,
    entry: FunctionId,
    places: Option<&FxHashSet<SpanId>>,
    stop: &StopToken,
) -> FoundCandidates {
    let budget = Budget::until(stop);
    let mut found = FoundCandidates::default();
    let ended = find(program, entry, places, &budget, &mut found).err();
    found.list.sort_by(|one, other| (!one.is_variable, one).cmp(&(!other.is_variable, other)));
    found.list.dedup();
    FoundCandidates { ended, ..found }
}

fn find(
    program: &Program,
    entry: FunctionId,
    places: Option<&FxHashSet<SpanId>>,
    budget: &Budget,
    found: &mut FoundCandidates,
) -> Result<(), StopReason> {
    // Code of libraries before and after the program is their own.
    let is_own = |id: &&FunctionId| program.function(**id).in_program;
    let mut first: Vec<FunctionId> = program.constructors.iter().filter(is_own).copied().collect();
    first.push(entry);
    first.extend(program.function_named(EXIT));
    first.extend(program.destructors.iter().filter(is_own));
    let mut facts = PointsTo::of(program, &first, budget)?;
    let mut started: BTreeMap<FunctionId, Vec<_>> = BTreeMap::new();
    for (at, functions) in &facts.starts {
        functions.iter().for_each(|function| started.entry(*function).or_default().push(*at));
    }
    let mut later: Vec<FunctionId> = facts.later.iter().copied().collect();
    later.sort_unstable();
    let others: Vec<FunctionId> = started.keys().copied().chain(later.iter().copied()).collect();
    let mut flow = Flow::of(program, &mut facts, [&first, &others], budget)?;
    let mut runners = vec![Runner::First];
    for (function, creations) in &started {
        let mut sites: Vec<_> = creations.iter().filter_map(|place| flow.sites.get(place)).copied().collect();
        sites.sort_unstable();
        runners.push(Runner::Threads(*function, sites));
    }
    runners.extend(later.into_iter().map(Runner::AnyThread));
    let mut of_first = Vec::new();
    let mut alive = Alive::default();
    for id in first {
        let Some(summary) = flow.summary(id) else { continue };
        of_first.push((id, Rc::clone(&summary), alive.clone()));
        let after = summary.exit.as_ref().map_or(&summary.alive, |exit| &exit.alive);
        alive = alive.then(after);
    }
    let mut made = AllMade { places, ..AllMade::default() };
    for (number, runner) in runners.iter().enumerate() {
        match runner {
            Runner::First => {
                for (id, summary, before) in &of_first {
                    made.collect(&mut flow, number, (*id, &summary.accesses), before)?;
                }
            }
            Runner::Threads(id, _) | Runner::AnyThread(id) => {
                let Some(summary) = flow.summary(*id) else { continue };
                made.collect(&mut flow, number, (*id, &summary.accesses), &Alive::default())?;
            }
        }
    }
    let of_first: Vec<_> = of_first.into_iter().map(|(_, summary, before)| (summary, before)).collect();
    let concurrency = Concurrency::of(program, &flow, &of_first, &runners)?;
    let mut comparison = Comparison {
        made: &made.list,
        sides: made.sides,
        runners: &runners,
        concurrency: &concurrency,
        names: Names { program, facts: flow.facts, sites: &flow.sites },
        budget,
        overlap: FxHashMap::default(),
        found: FxHashMap::default(),
    };
    let ended = comparison.pairs(&made.targets);
    comparison.tell(found);
    ended
}

/// The accesses of all runners.
#[derive(Default)]
struct AllMade<'a> {
    /// Only those at these places count.
    places: Option<&'a FxHashSet<SpanId>>,
    list: Vec<Made>,
    targets: Targets,
    /// Runners, with the threads that may run beside them, and their numbers.
    sides: Vec<(usize, Alive)>,
    numbers: FxHashMap<(usize, Alive), usize>,
}

impl AllMade<'_> {
    fn collect(
        &mut self,
        flow: &mut Flow<'_, '_>,
        runner: usize,
        (id, accesses): (FunctionId, &[Access]),
        before: &Alive,
    ) -> Result<(), StopReason> {
        for access in accesses {
            flow.budget.proceed()?;
            let is_asked = |span: &SpanId| self.places.is_none_or(|places| places.contains(span));
            let Some(span) = access.span.filter(is_asked) else { continue };
            let places = flow.places(id, &access.address);
            flow.budget.weigh(places.len());
            let side = (runner, before.then(&access.alive));
            let side = *self.numbers.entry(side.clone()).or_insert_with(|| {
                self.sides.push(side);
                self.sides.len() - 1
            });
            let places = places.into_iter().map(|place| flow.facts.place(place)).collect();
            self.targets.add(places, access.size, self.list.len());
            self.list.push(Made { access: access.clone(), span, side });
        }
        Ok(())
    }
}

/// What accesses are compared by.
struct Comparison<'c> {
    made: &'c [Made],
    /// Runners, and the threads that may run beside them.
    sides: Vec<(usize, Alive)>,
    runners: &'c [Runner],
    concurrency: &'c Concurrency,
    names: Names<'c, 'c>,
    budget: &'c Budget,
    /// Of two sides: whether they may run at once.
    overlap: FxHashMap<(usize, usize), bool>,
    found: FxHashMap<(Side, Side), Found>,
}

impl Comparison<'_> {
    fn pairs(&mut self, targets: &Targets) -> Result<(), StopReason> {
        let is_of_call = |object| matches!(self.names.facts.objects.object(object), Object::Stack(..));
        for pair in targets.that_meet(self.budget)? {
            let [left, right] = pair.map(|number| &targets.classes[number]);
            let common = left.common(right);
            self.budget.weigh(left.places.len() + right.places.len());
            // A variable of a call ends once.
            let beyond_calls: Rc<[_]> =
                common.iter().copied().filter(|(object, _)| !is_of_call(*object)).collect();
            for (at, one) in left.made.iter().enumerate() {
                let others = if pair[0] == pair[1] { &right.made[at..] } else { &right.made[..] };
                for other in others {
                    self.budget.proceed()?;
                    let (ours, theirs) = (&self.made[*one].access, &self.made[*other].access);
                    let both_end = ours.kind.ends && theirs.kind.ends;
                    let objects = if both_end { &beyond_calls } else { &common };
                    let conflicts = (ours.kind.writes || theirs.kind.writes)
                        && !(ours.kind.is_atomic && theirs.kind.is_atomic);
                    if conflicts && !objects.is_empty() && !is_guarded(ours, theirs) {
                        self.compare([*one.min(other), *one.max(other)], objects)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes two accesses that conflict in objects if nothing orders them.
    fn compare(&mut self, pair: [usize; 2], objects: &Rc<[(ObjectId, Offset)]>) -> Result<(), StopReason> {
        let [left, right] = pair.map(|number| &self.made[number]);
        if !self.may_overlap([left.side, right.side])? {
            return Ok(());
        }
        let known = self.found.entry(key(left, right));
        let known = known.or_insert_with(|| Found { accesses: pair, objects: Vec::new() });
        known.accesses = known.accesses.min(pair);
        if known.objects.iter().all(|known| !Rc::ptr_eq(known, objects)) {
            known.objects.push(Rc::clone(objects));
        }
        Ok(())
    }

    fn may_overlap(&mut self, [one, other]: [usize; 2]) -> Result<bool, StopReason> {
        let sides = (one.min(other), one.max(other));
        if let Some(known) = self.overlap.get(&sides) {
            return Ok(*known);
        }
        let [left, right] = [one, other].map(|side| {
            let (runner, alive) = &self.sides[side];
            (&self.runners[*runner], alive)
        });
        let may_overlap = self.concurrency.may_overlap(left, right, self.budget);
        self.budget.check()?;
        self.overlap.insert(sides, may_overlap);
        Ok(may_overlap)
    }

    /// Adds what was found: all as pairs, the first in words.
    fn tell(&self, into: &mut FoundCandidates) {
        let is_of_variable = |found: &Found| {
            let mut objects = found.objects.iter().flat_map(|objects| objects.iter());
            objects.any(|(object, _)| self.names.is_variable(*object))
        };
        let mut all: Vec<_> =
            self.found.iter().map(|(key, found)| (!is_of_variable(found), *key, found)).collect();
        all.sort_unstable_by_key(|(is_other, key, _)| (*is_other, *key));
        into.pairs =
            all.iter().map(|(_, (one, other), _)| [one, other].map(|side| (side.0, side.1.writes))).collect();
        let mut names: FxHashMap<(ObjectId, Offset), SourceName> = FxHashMap::default();
        let first = all.iter().take(MOST_IN_WORDS);
        into.list = first.map(|(is_other, _, found)| self.in_words(found, !is_other, &mut names)).collect();
    }

    fn in_words(
        &self,
        found: &Found,
        is_variable: bool,
        names: &mut FxHashMap<(ObjectId, Offset), SourceName>,
    ) -> Candidate {
        let mut accesses = found.accesses.map(|number| self.told(&self.made[number]));
        accesses.sort();
        let mut places: BTreeMap<ObjectId, Offset> = BTreeMap::new();
        for (object, offset) in found.objects.iter().flat_map(|objects| objects.iter()) {
            places.entry(*object).or_insert(*offset);
        }
        let name = |object: (ObjectId, Offset)| {
            names.entry(object).or_insert_with(|| self.names.object(object.0, object.1)).clone()
        };
        let mut objects: Vec<SourceName> = places.into_iter().map(name).collect();
        objects.sort();
        objects.dedup();
        let further_objects = objects.len().saturating_sub(MOST_OBJECTS);
        objects.truncate(MOST_OBJECTS);
        let reason = reason(&accesses);
        Candidate { is_variable, accesses, objects, further_objects, reason }
    }

    fn told(&self, made: &Made) -> CandidateAccess {
        let kind = made.access.kind;
        CandidateAccess {
            position: self.names.position(made.span),
            writes: kind.writes,
            atomic: kind.is_atomic,
            ends: kind.ends,
            locks: self.names.locks(&made.access.locks),
            thread: self.names.runner(&self.runners[self.sides[made.side].0]),
        }
    }
}

fn key(one: &Made, other: &Made) -> (Side, Side) {
    let (one, other) = ((one.span, one.access.kind), (other.span, other.access.kind));
    if one <= other { (one, other) } else { (other, one) }
}

/// Whether both hold a lock that is the same, and one of them not as a reader.
fn is_guarded(one: &Access, other: &Access) -> bool {
    let is_regular = one.is_aligned && other.is_aligned && one.size == other.size && one.size != UNBOUNDED;
    one.locks.iter().any(|ours| {
        let means_same = |theirs: &&Lock| match ours.name {
            LockName::Key(_) => false,
            // The same distance is the same lock if the addresses are the same.
            LockName::Distance(_) => is_regular && ours.name == theirs.name,
            _ => ours.name == theirs.name,
        };
        other.locks.iter().filter(means_same).any(|theirs| !(ours.is_shared && theirs.is_shared))
    })
}

/// Why nothing that was looked at orders them.
fn reason(accesses: &[CandidateAccess; 2]) -> String {
    let [one, other] = accesses;
    let who = if one.thread == other.thread {
        format!("both accesses are made by {}, of which several may run", one.thread)
    } else {
        format!("{} and {} may run at the same time", one.thread, other.thread)
    };
    let locks = match (one.locks.is_empty(), other.locks.is_empty()) {
        (true, true) => "no lock is held at either access".into(),
        (false, true) => format!("{} is held at the first access alone", one.locks.join(", ")),
        (true, false) => format!("{} is held at the second access alone", other.locks.join(", ")),
        (false, false) => {
            format!(
                "{} is held at the first access, {} at the second",
                one.locks.join(", "),
                other.locks.join(", ")
            )
        }
    };
    format!("{who}; {locks}")
}

impl PointsTo<'_> {
    /// The place at a number, for code that names it.
    pub(crate) fn place(&self, id: crate::objects::PlaceId) -> crate::objects::Place {
        self.objects.place(id)
    }
}

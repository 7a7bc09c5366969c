//! From summaries to candidates.

use crate::budget::Budget;
use crate::candidate::{Candidate, CandidateAccess, FoundCandidates};
use crate::concurrency::{Concurrency, Runner};
use crate::flow::Flow;
use crate::flow::alive::Alive;
use crate::flow::summary::{Access, Kind, Lock, LockName};
use crate::names::Names;
use crate::objects::{Object, ObjectId, PlaceId};
use crate::offsets::{Offset, UNBOUNDED};
use crate::points_to::PointsTo;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use symx_expr::{StopReason, StopToken};
use symx_ir::known_functions::EXIT;
use symx_ir::{FunctionId, Program, SourceName, SpanId};

/// An access of a runner, with all that it may access.
struct Made {
    runner: usize,
    access: Access,
    span: SpanId,
    places: Vec<PlaceId>,
}

/// By place and kind, the key of an access of a pair.
type Side = (SpanId, Kind);

/// Facts found about a pair of places, in words.
struct Found {
    is_variable: bool,
    accesses: [CandidateAccess; 2],
    objects: BTreeMap<ObjectId, SourceName>,
}

/// The candidates of a program that starts at `entry`. Those compared until `stop` are listed; the comparison
/// is the last part of the analysis.
pub fn candidates(program: &Program, entry: FunctionId, stop: &StopToken) -> FoundCandidates {
    let budget = Budget::until(stop);
    let mut found = BTreeMap::new();
    let ended = find(program, entry, &budget, &mut found).err();
    let mut list: Vec<Candidate> = found.into_values().map(candidate).collect();
    list.sort_by(|one, other| (!one.is_variable, one).cmp(&(!other.is_variable, other)));
    list.dedup();
    FoundCandidates { list, ended }
}

/// Pairs of places by their keys.
type Pairs = BTreeMap<(Side, Side), Found>;

fn find(program: &Program, entry: FunctionId, budget: &Budget, found: &mut Pairs) -> Result<(), StopReason> {
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
    for (function, places) in &started {
        let mut sites: Vec<_> = places.iter().filter_map(|place| flow.sites.get(place)).copied().collect();
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
    let mut made = Vec::new();
    for (number, runner) in runners.iter().enumerate() {
        match runner {
            Runner::First => {
                for (id, summary, before) in &of_first {
                    collect(&mut flow, number, *id, &summary.accesses, before, &mut made)?;
                }
            }
            Runner::Threads(id, _) | Runner::AnyThread(id) => {
                let Some(summary) = flow.summary(*id) else { continue };
                collect(&mut flow, number, *id, &summary.accesses, &Alive::default(), &mut made)?;
            }
        }
    }
    let of_first: Vec<_> = of_first.into_iter().map(|(_, summary, before)| (summary, before)).collect();
    let concurrency = Concurrency::of(program, &flow, &of_first, &runners)?;
    let comparison = Comparison {
        made: &made,
        runners: &runners,
        concurrency: &concurrency,
        names: Names { program, facts: flow.facts, sites: &flow.sites },
        budget,
        overlap: FxHashMap::default(),
    };
    comparison.pairs(found)
}

fn collect(
    flow: &mut Flow<'_, '_>,
    runner: usize,
    id: FunctionId,
    accesses: &[Access],
    before: &Alive,
    made: &mut Vec<Made>,
) -> Result<(), StopReason> {
    for access in accesses {
        flow.budget.proceed()?;
        let Some(span) = access.span else { continue };
        let places = flow.places(id, &access.address);
        flow.budget.weigh(places.len());
        let access = Access { alive: before.then(&access.alive), ..access.clone() };
        made.push(Made { runner, access, span, places });
    }
    Ok(())
}

/// What accesses are compared by.
struct Comparison<'c> {
    made: &'c [Made],
    runners: &'c [Runner],
    concurrency: &'c Concurrency,
    names: Names<'c, 'c>,
    budget: &'c Budget,
    /// Of pairs that conflict: whether nothing orders them.
    overlap: FxHashMap<(usize, usize), bool>,
}

impl Comparison<'_> {
    fn pairs(mut self, found: &mut Pairs) -> Result<(), StopReason> {
        let made = self.made;
        let mut by_object: BTreeMap<ObjectId, Vec<(usize, Offset)>> = BTreeMap::new();
        for (number, one) in made.iter().enumerate() {
            for place in &one.places {
                self.budget.proceed()?;
                let place = self.names.facts.place(*place);
                by_object.entry(place.object).or_default().push((number, place.offset));
            }
        }
        for (object, accesses) in &by_object {
            let is_of_call = matches!(self.names.facts.objects.object(*object), Object::Stack(..));
            for (at, (one, here)) in accesses.iter().enumerate() {
                for (other, there) in &accesses[at..] {
                    self.budget.proceed()?;
                    let (ours, theirs) = (&made[*one].access, &made[*other].access);
                    let conflicts = (ours.kind.writes || theirs.kind.writes)
                        && !(ours.kind.is_atomic && theirs.kind.is_atomic)
                        // A variable of a call ends once.
                        && !(ours.kind.ends && theirs.kind.ends && is_of_call);
                    if conflicts && here.overlaps(ours.size, *there, theirs.size) {
                        self.compare([*one, *other], (*object, *here), found)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes two accesses that conflict in an object if nothing orders them.
    fn compare(
        &mut self,
        [one, other]: [usize; 2],
        (object, here): (ObjectId, Offset),
        found: &mut Pairs,
    ) -> Result<(), StopReason> {
        let [left, right] = [one, other].map(|number| &self.made[number]);
        let sides = sides(left, right);
        if found.get(&sides).is_some_and(|known| known.objects.contains_key(&object)) {
            return Ok(());
        }
        let may_overlap = match self.overlap.get(&(one, other)) {
            Some(known) => *known,
            None => {
                let side = |made: &'_ Made| (&self.runners[made.runner], made.access.alive.clone());
                let ((one_side, alive), (other_side, other_alive)) = (side(left), side(right));
                let sides = ((one_side, &alive), (other_side, &other_alive));
                let may_overlap = !is_guarded(&left.access, &right.access)
                    && self.concurrency.may_overlap(sides.0, sides.1, self.budget);
                self.budget.check()?;
                self.overlap.insert((one, other), may_overlap);
                may_overlap
            }
        };
        if may_overlap {
            let known = found.entry(sides).or_insert_with(|| Found {
                is_variable: false,
                accesses: [self.told(left), self.told(right)],
                objects: BTreeMap::new(),
            });
            known.is_variable |= self.names.is_variable(object);
            known.objects.insert(object, self.names.object(object, here));
        }
        Ok(())
    }

    fn told(&self, made: &Made) -> CandidateAccess {
        let kind = made.access.kind;
        CandidateAccess {
            position: self.names.position(made.span),
            writes: kind.writes,
            atomic: kind.is_atomic,
            ends: kind.ends,
            locks: self.names.locks(&made.access.locks),
            thread: self.names.runner(&self.runners[made.runner]),
        }
    }
}

fn sides(one: &Made, other: &Made) -> (Side, Side) {
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

fn candidate(found: Found) -> Candidate {
    let Found { is_variable, mut accesses, objects } = found;
    accesses.sort();
    let mut objects: Vec<SourceName> = objects.into_values().collect();
    objects.sort();
    objects.dedup();
    let reason = reason(&accesses);
    Candidate { is_variable, accesses, objects, reason }
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
    pub(crate) fn place(&self, id: PlaceId) -> crate::objects::Place {
        self.objects.place(id)
    }
}

//! The closest passing execution of the same paths, proven (MaxSMT, AAAI 2019, section 4.2).
//!
//! The bug is ruled out. That every read keeps its source is a wish, and as few of these as possible are
//! dropped. With that number fixed, it is a wish that each segment of the failing schedule stays whole.
//! (Events of another thread then come before or after all of it.) Orders left open are filled in from the
//! failing schedule, event by event.

use super::correction::{Correction, drop_fewest};
use crate::passing::limits::MOST_ORDERS;
use crate::synthesis::{
    Answer, Atom, Engine, EventId, Invalid, Literal, Model, Problem, Schedule, System, Unknown, execute,
    follow, linearise, validate,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use symx_expr::StopToken;
use symx_memmodel::Operation as Memory;

/// The nearest execution found that does not fail.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// It.
    pub schedule: Schedule,
    /// Reads that get their value from another write, by place.
    pub changed_flows: usize,
    /// Whether there is none with fewer.
    pub has_fewest_flows: bool,
    /// Segments of the failing schedule that it breaks.
    pub broken_segments: usize,
    /// Whether there is none with fewer among those that change as few flows.
    pub has_fewest_segments: bool,
}

/// Why there is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoPassingExecution {
    /// Every execution of these paths fails.
    #[error("every execution of these paths fails: a branch has to change")]
    Unavoidable,
    /// None was found, for this reason.
    #[error("{0}")]
    Unknown(Unknown),
}

/// Looks for it; the engine was given the [`avoiding`](crate::avoiding) system. Once `stop` ends it, the best
/// result so far is the answer.
pub fn nearest(
    problem: &Problem,
    failing: &Schedule,
    system: &System,
    engine: &mut dyn Engine,
    stop: &StopToken,
) -> Result<Nearest, NoPassingExecution> {
    let search = Search { problem, failing, system, places: places(problem, failing), atoms: atoms(system) };
    engine.prefer(&search.preferences());
    // Any execution that does not fail is better than none.
    let any = match engine.solve(&[]) {
        Answer::Model(model) => model,
        Answer::Core(_) => return Err(NoPassingExecution::Unavoidable),
        Answer::Unknown(reason) => return Err(NoPassingExecution::Unknown(reason)),
    };
    let wishes = search.flows();
    let mut best = search.nearest_of(&any, &HashSet::new());
    let fewest = match drop_fewest(engine, &wishes, &[], stop) {
        Correction::Impossible => return Err(NoPassingExecution::Unavoidable),
        Correction::Stopped(reason) => return best.ok_or(NoPassingExecution::Unknown(reason)),
        Correction::Fewest(model, fewest) => {
            search.improve(&mut best, &model, &HashSet::new());
            fewest
        }
    };
    let whole = search.segments();
    let mut fewest_segments = None;
    if let Some(clauses) = search.contracted(&whole) {
        let mut choice = system.choices;
        let mut fresh = || {
            choice += 1;
            Literal::of(Atom::Choice(choice - 1))
        };
        let kept: Vec<Literal> = whole.iter().map(|_| fresh()).collect();
        // The engine is good for other questions afterwards.
        let bounded = fresh();
        bound(engine, &wishes, fewest, bounded, &mut fresh);
        for (segment, mut clause) in clauses {
            clause.push(!kept[segment]);
            engine.add(&clause);
        }
        if let Correction::Fewest(model, broken) = drop_fewest(engine, &kept, &[bounded], stop) {
            search.improve(&mut best, &model, &search.unbroken(&whole, &model));
            fewest_segments = Some(broken);
        }
    }
    let mut best = best.ok_or(NoPassingExecution::Unknown(Unknown::NoExecution))?;
    best.has_fewest_flows = best.changed_flows <= fewest;
    best.has_fewest_segments =
        best.has_fewest_flows && fewest_segments.is_some_and(|fewest| best.broken_segments <= fewest);
    Ok(best)
}

/// At most `most` of the wishes are dropped, if `guard` holds (Sinz's counter).
fn bound(
    engine: &mut dyn Engine,
    wishes: &[Literal],
    most: usize,
    guard: Literal,
    fresh: &mut dyn FnMut() -> Literal,
) {
    let mut add = |clause: &[Literal]| engine.add(&[&[!guard], clause].concat());
    let mut reached: Vec<Literal> = Vec::new();
    for wish in wishes {
        if most == 0 {
            add(&[*wish]);
            continue;
        }
        let now: Vec<Literal> = (0..most).map(|_| fresh()).collect();
        add(&[*wish, now[0]]);
        for (count, before) in reached.iter().enumerate() {
            add(&[!*before, now[count]]);
            match now.get(count + 1) {
                Some(next) => add(&[!*before, *wish, *next]),
                None => add(&[!*before, *wish]),
            }
        }
        reached = now;
    }
}

/// By event, when it took effect.
fn places(problem: &Problem, schedule: &Schedule) -> Vec<usize> {
    let mut places = vec![usize::MAX; problem.event_count()];
    schedule.order.iter().enumerate().for_each(|(place, event)| places[event.index()] = place);
    places
}

fn atoms(system: &System) -> BTreeSet<Atom> {
    system.clauses.iter().flatten().map(|literal| literal.atom).collect()
}

struct Search<'a> {
    problem: &'a Problem,
    failing: &'a Schedule,
    system: &'a System,
    places: Vec<usize>,
    /// The atoms that the system has clauses about.
    atoms: BTreeSet<Atom>,
}

impl Search<'_> {
    /// The failing schedule's values of everything the system speaks of, sources of reads first.
    fn preferences(&self) -> Vec<Literal> {
        let orders = self.atoms.iter().filter_map(|atom| match *atom {
            Atom::Before(one, other) if self.places[one.index()] < self.places[other.index()] => {
                Some(Literal::before(one, other))
            }
            Atom::Before(one, other) => Some(Literal::before(other, one)),
            _ => None,
        });
        self.flows().into_iter().chain(orders).collect()
    }

    /// The sources of the failing schedule's reads that could be others.
    fn flows(&self) -> Vec<Literal> {
        let flows = sources(self.problem, &self.places);
        let literals =
            flows.into_iter().map(|((location, read), write)| Atom::ReadsFrom { location, read, write });
        literals.filter(|atom| self.atoms.contains(atom)).map(Literal::of).collect()
    }

    /// Stretches of one thread of more than one event, by their events.
    fn segments(&self) -> Vec<Vec<EventId>> {
        let thread = |event: &EventId| self.problem.position(*event).thread;
        let segments = self.failing.order.chunk_by(|one, next| thread(one) == thread(next));
        segments.filter(|segment| segment.len() > 1).map(<[EventId]>::to_vec).collect()
    }

    /// Clauses that say that each segment is whole, to which its wish is to be added. An event of another
    /// thread that comes before one of its events comes before the first. One that comes after one of them
    /// comes after the last. `None` where that is too much, or where events take effect out of order.
    fn contracted(&self, segments: &[Vec<EventId>]) -> Option<Vec<(usize, Vec<Literal>)>> {
        if self.problem.model.buffers_stores() {
            return None;
        }
        let mut of: HashMap<EventId, usize> = HashMap::new();
        for (number, segment) in segments.iter().enumerate() {
            of.extend(segment.iter().map(|event| (*event, number)));
        }
        let ends = |event: EventId| of.get(&event).map(|segment| (*segment, &segments[*segment]));
        let thread = |event: EventId| self.problem.position(event).thread;
        let crossing = |(one, other): &(EventId, EventId)| thread(*one) != thread(*other);
        let known = self.system.edges.iter().copied().filter(crossing).map(|pair| (pair, true));
        let open = self.atoms.iter().filter_map(|atom| match *atom {
            Atom::Before(one, other) if crossing(&(one, other)) => Some([(one, other), (other, one)]),
            _ => None,
        });
        let mut left: Vec<((EventId, EventId), bool)> =
            known.chain(open.flatten().map(|pair| (pair, false))).collect();
        let mut seen: HashSet<(EventId, EventId)> = left.iter().map(|(pair, _)| *pair).collect();
        let mut clauses = Vec::new();
        while let Some(((earlier, later), is_known)) = left.pop() {
            let mut imply = |segment: usize, before: EventId, after: EventId| {
                let mut clause = vec![Literal::before(before, after)];
                if !is_known {
                    clause.push(!Literal::before(earlier, later));
                }
                clauses.push((segment, clause));
                for pair in [(before, after), (after, before)] {
                    if seen.insert(pair) {
                        left.push((pair, false));
                    }
                }
            };
            if let Some((segment, events)) = ends(earlier)
                && let Some(last) = events.last().filter(|last| **last != earlier)
            {
                imply(segment, *last, later);
            }
            if let Some((segment, events)) = ends(later)
                && let Some(first) = events.first().filter(|first| **first != later)
            {
                imply(segment, earlier, *first);
            }
            if clauses.len() > MOST_ORDERS {
                return None;
            }
        }
        Some(clauses)
    }

    /// The segments that nothing has to interrupt in a model.
    fn unbroken(&self, segments: &[Vec<EventId>], model: &Model) -> HashSet<EventId> {
        let mut place = vec![0; self.problem.event_count()];
        model.order.iter().enumerate().for_each(|(number, event)| place[event.index()] = number);
        let thread = |event: &EventId| self.problem.position(*event).thread;
        let interrupts = |segment: &[EventId]| {
            let (first, last) = (segment[0], segment[segment.len() - 1]);
            self.atoms.iter().any(|atom| match *atom {
                Atom::Before(one, other) => {
                    // An event of another thread that is after one of the segment's and before
                    // another one of them.
                    let inside = |event: &EventId| {
                        *event >= first && *event <= last && thread(event) == thread(&first)
                    };
                    let (own, foreign) = if inside(&one) { (one, other) } else { (other, one) };
                    inside(&own)
                        && !inside(&foreign)
                        && place[foreign.index()] > place[first.index()]
                        && place[foreign.index()] < place[last.index()]
                }
                _ => false,
            })
        };
        let whole = segments.iter().filter(|segment| !interrupts(segment));
        whole.flat_map(|segment| segment.iter().copied()).collect()
    }

    /// Of the ways to execute a model, the one that is nearest.
    fn nearest_of(&self, model: &Model, whole: &HashSet<EventId>) -> Option<Nearest> {
        let ways = [
            model.moves.clone(),
            follow(self.problem, self.system, model, &self.places, whole),
            follow(self.problem, self.system, model, &self.places, &HashSet::new()),
            linearise(self.problem, &self.system.edges, model),
        ];
        let executed = ways.into_iter().flatten().filter_map(|moves| {
            let schedule = execute(self.problem, &moves, &model.inputs, false).ok()?;
            let fails = validate(self.problem, &moves, &model.inputs);
            matches!(fails, Err(Invalid::NoBug)).then_some(schedule)
        });
        let measured = executed.map(|schedule| Nearest {
            changed_flows: self.changed_flows(&schedule),
            broken_segments: self.broken_segments(&schedule),
            has_fewest_flows: false,
            has_fewest_segments: false,
            schedule,
        });
        measured.min_by_key(cost)
    }

    fn improve(&self, best: &mut Option<Nearest>, model: &Model, whole: &HashSet<EventId>) {
        let Some(found) = self.nearest_of(model, whole) else { return };
        if best.as_ref().is_none_or(|best| cost(&found) < cost(best)) {
            *best = Some(found);
        }
    }

    fn changed_flows(&self, schedule: &Schedule) -> usize {
        let now = sources(self.problem, &places(self.problem, schedule));
        let before = sources(self.problem, &self.places);
        now.iter().filter(|(read, write)| before.get(read) != Some(write)).count()
    }

    fn broken_segments(&self, schedule: &Schedule) -> usize {
        let places = places(self.problem, schedule);
        let thread = |event: &EventId| self.problem.position(*event).thread;
        let is_broken = |segment: &Vec<EventId>| {
            let ends = [segment[0], segment[segment.len() - 1]].map(|event| places[event.index()]);
            let (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            schedule.order[from..=to].iter().any(|event| thread(event) != thread(&segment[0]))
        };
        self.segments().iter().filter(|segment| is_broken(segment)).count()
    }
}

fn cost(nearest: &Nearest) -> (usize, usize, u32) {
    (nearest.changed_flows, nearest.broken_segments, nearest.schedule.context_switches)
}

/// By location and read, the write that it reads from, as effects come at these places.
fn sources(problem: &Problem, places: &[usize]) -> HashMap<(u32, EventId), Option<EventId>> {
    let events = &problem.execution.events;
    let mut sources = HashMap::new();
    for (number, location) in problem.execution.locations.iter().enumerate() {
        let mut writes = location.coherence.clone();
        writes.sort_unstable_by_key(|write| places[*write]);
        for (read, _) in &location.reads_from {
            let own = location.coherence.iter().copied();
            let own = own.filter(|write| events[*write].thread == events[*read].thread && write < read).max();
            let mut seen = writes.partition_point(|write| places[*write] < places[*read]);
            // A load sees the stores of its own thread before others do.
            if let Some(own) = own.filter(|_| events[*read].operation == Memory::Load) {
                seen = seen.max(writes.partition_point(|write| places[*write] <= places[own]));
            }
            let source = seen.checked_sub(1).map(|last| EventId(writes[last] as u32));
            sources.insert((number as u32, EventId(*read as u32)), source);
        }
    }
    sources
}

//! Whether threads can make the accesses of their paths to one place, if nothing else mattered, and in which
//! orders.
//!
//! All that threads still do with one place is known: which read under which conditions, which write what.
//! Whether some order of these accesses meets all conditions on what is read there is a question about few
//! states. A state is each thread's progress at the place, the value that it holds, and values read there
//! that are still to be written back. Where no order does, the whole execution is a dead end too, as it would
//! be such an order. So counters that many threads add to and one clears are seen to be wrong long before the
//! read that finds it.

use super::before::{Before, Contradiction};
use super::limits::{
    HORIZON, LONG_LOCATION, MOST_COUNTED, MOST_PARTS, MOST_RECENT, MOST_STATES, MOST_STATES_AHEAD,
    MOST_UNDECIDED,
};
use super::supply::Supply;
use crate::synthesis::execution::machine::symbols_of;
use crate::synthesis::problem::{EventId, Problem};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use symx_expr::{Assignment, BinaryOperator, BitVector, Node, Term, evaluate};

/// The value that a write stores.
#[derive(Debug)]
enum Written {
    Constant(u32),
    /// A function of what its thread has read at the place, by the numbers of those accesses.
    Of(Term, Box<[usize]>),
    /// Terms that the thread knows otherwise.
    Anything,
}

/// The effect of an access on a place, as far as that is the same whenever it happens.
pub(super) enum Effect {
    Nothing,
    /// The place holds a value, by its number.
    Holds(u32),
    /// It holds more by this than was read.
    Adds(u64),
    Anything,
}

/// One access of a thread.
#[derive(Debug)]
pub(super) struct Access {
    index: usize,
    event: EventId,
    /// Whether it reads, and whether there are conditions on the value.
    reads: Option<bool>,
    /// By number of a value, whether it meets the conditions, once that was asked.
    met: RefCell<Vec<Option<bool>>>,
    writes: Option<Written>,
}

/// The accesses of one thread to a place.
#[derive(Debug)]
struct Visitor {
    thread: usize,
    accesses: Vec<Access>,
    /// By number of accesses done, those of them whose values are still to be written back.
    live: Vec<Box<[usize]>>,
}

/// One place, and what is known of its states.
#[derive(Debug)]
pub(super) struct Place {
    visitors: Vec<Visitor>,
    /// Its initial value.
    held: u32,
    /// The value that represents all higher ones, if no condition distinguishes them.
    highest: Option<u64>,
    /// By visitor, access and other visitor, how many of the other's accesses come before in any case.
    needs: Vec<Vec<Box<[u32]>>>,
    /// Whether the accesses left can be put in order, by state: how far visitors are, what the place
    /// holds, what is live.
    known: RefCell<FxHashMap<Box<[u32]>, bool>>,
    /// How often it took too long to decide.
    undecided: Cell<u32>,
}

/// An event, with a thread and how many of that thread's events come before it.
type Earlier = (EventId, usize, u32);

/// Values by number.
#[derive(Default, Debug)]
pub(super) struct Values {
    numbers: FxHashMap<BitVector, u32>,
    all: Vec<BitVector>,
    /// The values of terms of one read, by term and the value read.
    computed: FxHashMap<(Term, u32), u32>,
}

/// An unknown value: it meets every condition.
const ANY: u32 = u32::MAX;

impl Access {
    /// The access of an event to the place, in a thread that has made these accesses to it before.
    pub(super) fn of(supply: &Supply, event: EventId, before: &[Self], values: &mut Values) -> Self {
        let operation = supply.problem.operation(event);
        let written = operation.written().map(|written| supply.problem.term(written));
        let writes = written.map(|written| written_by(supply.problem, written, before, values));
        let reads = operation.symbol().map(|_| supply.has_conditions(event));
        Self { index: supply.problem.position(event).index, event, reads, met: RefCell::default(), writes }
    }

    /// Whether there are conditions on what is read.
    pub(super) fn is_asked(&self) -> bool {
        self.reads == Some(true)
    }

    fn meets(&self, supply: &Supply, values: &Values, value: u32) -> bool {
        let mut met = self.met.borrow_mut();
        let value = value as usize;
        if met.len() <= value {
            met.resize(values.all.len(), None);
        }
        *met[value].get_or_insert_with(|| supply.meets(self.event, &values.all[value]))
    }
}

impl Values {
    pub(super) fn number(&mut self, value: BitVector) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// The number of the same value, or of the highest there is to be.
    fn at_most(&mut self, number: u32, highest: Option<u64>) -> u32 {
        let Some(highest) = highest.filter(|_| number != ANY) else { return number };
        let value = &self.all[number as usize];
        if value.to_u64().is_some_and(|value| value <= highest) {
            return number;
        }
        let highest = BitVector::from_u64(value.width(), highest);
        self.number(highest)
    }
}

/// The value that a write of a term stores, in a thread that has made these accesses to the place.
fn written_by(problem: &Problem, term: Term, before: &[Access], values: &mut Values) -> Written {
    if let Some(value) = problem.terms.as_bitvector(term) {
        return Written::Constant(values.number(value));
    }
    // The latest first: what is written back was read just before.
    let reader = |symbol: Term| {
        let reads = |access: &Access| {
            problem.operation(access.event).symbol().is_some_and(|read| problem.term(read) == symbol)
        };
        let recent = before.len().saturating_sub(MOST_RECENT);
        Some(recent + before[recent..].iter().rposition(reads)?)
    };
    if !is_small(problem, term) {
        return Written::Anything;
    }
    let read: Option<Vec<usize>> = symbols_of(problem, term).into_iter().map(reader).collect();
    read.map_or(Written::Anything, |mut read| {
        read.sort_unstable();
        Written::Of(term, read.into())
    })
}

/// The constant that a term adds to a symbol, if it does nothing else.
fn addend(problem: &Problem, term: Term) -> Option<u64> {
    match *problem.terms.node(term) {
        Node::Symbol { .. } => Some(0),
        Node::Binary { operator: BinaryOperator::Add, left, right, .. } => {
            let is_symbol = |term: Term| matches!(problem.terms.node(term), Node::Symbol { .. });
            let (symbol, number) = if is_symbol(left) { (left, right) } else { (right, left) };
            is_symbol(symbol).then(|| problem.terms.as_bitvector(number)?.to_u64()).flatten()
        }
        _ => None,
    }
}

/// Whether a term has but few parts.
fn is_small(problem: &Problem, term: Term) -> bool {
    let (mut open, mut parts) = (vec![term], 0);
    while let Some(current) = open.pop() {
        parts += 1;
        if parts > MOST_PARTS {
            return false;
        }
        open.extend(problem.terms.node(current).operands());
    }
    true
}

impl Place {
    pub(super) fn of(visits: HashMap<usize, Vec<Access>>) -> Self {
        let mut visitors: Vec<Visitor> = visits
            .into_iter()
            .map(|(thread, accesses)| {
                let live = live(&accesses);
                Visitor { thread, accesses, live }
            })
            .collect();
        visitors.sort_unstable_by_key(|visitor| visitor.thread);
        let nothing = || vec![0; visitors.len()].into();
        let needs = visitors.iter().map(|one| one.accesses.iter().map(|_| nothing()).collect()).collect();
        Self { visitors, held: ANY, highest: None, needs, known: RefCell::default(), undecided: Cell::new(0) }
    }

    /// The same, if it holds this at first.
    pub(super) fn holding(self, supply: &Supply, values: &Values, held: u32) -> Self {
        Self { highest: self.highest(supply, values, held), held, ..self }
    }

    /// Whether the accesses left can be put in an order that meets the conditions on what is read. Threads
    /// have executed `executed` events, the place holds `held`, and `read` was read. True where that would
    /// take too long to decide.
    pub(super) fn can_go_on(
        &self,
        supply: &Supply,
        values: &mut Values,
        executed: &dyn Fn(usize) -> usize,
        held: u32,
        read: &dyn Fn(EventId) -> Option<BitVector>,
    ) -> bool {
        let done = |visitor: &Visitor| {
            let executed = executed(visitor.thread);
            visitor.accesses.partition_point(|access| access.index < executed) as u32
        };
        let mut state: Vec<u32> = self.visitors.iter().map(done).collect();
        state.push(values.at_most(held, self.highest));
        for (number, visitor) in self.visitors.iter().enumerate() {
            for access in &visitor.live[state[number] as usize] {
                let read = read(visitor.accesses[*access].event).map_or(ANY, |read| values.number(read));
                state.push(values.at_most(read, self.highest));
            }
        }
        self.leads_on(supply, values, &state)
    }

    /// Its state before the first access.
    pub(super) fn start(&self, values: &mut Values) -> Box<[u32]> {
        let mut first = vec![0; self.visitors.len()];
        first.push(values.at_most(self.held, self.highest));
        first.into()
    }

    /// By visitor, the thread and the events that access the place.
    pub(super) fn visits(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = EventId> + '_)> + '_ {
        self.visitors
            .iter()
            .map(move |visitor| (visitor.thread, visitor.accesses.iter().map(|access| access.event)))
    }

    /// Whether it is known what each access writes.
    pub(super) fn is_determined(&self) -> bool {
        let mut accesses = self.visitors.iter().flat_map(|visitor| &visitor.accesses);
        !accesses.any(|access| matches!(access.writes, Some(Written::Anything)))
    }

    /// Whether a visitor's access, after `done` others, is a read whose value is not written back.
    pub(super) fn only_looks(&self, visitor: usize, done: usize) -> bool {
        let visitor = &self.visitors[visitor];
        visitor.accesses[done].writes.is_none() && !visitor.live[done + 1].contains(&done)
    }

    /// Whether a value meets the conditions on what a visitor reads after `done` accesses.
    pub(super) fn meets(
        &self,
        supply: &Supply,
        values: &Values,
        visitor: usize,
        done: usize,
        value: u32,
    ) -> bool {
        let access = &self.visitors[visitor].accesses[done];
        !access.is_asked() || value == ANY || access.meets(supply, values, value)
    }

    /// The effect of a visitor's access, after `done` others, on the place.
    pub(super) fn effect(&self, problem: &Problem, visitor: usize, done: usize) -> Effect {
        match &self.visitors[visitor].accesses[done].writes {
            None => Effect::Nothing,
            Some(Written::Constant(value)) => Effect::Holds(*value),
            Some(Written::Of(term, _)) => addend(problem, *term).map_or(Effect::Anything, Effect::Adds),
            Some(Written::Anything) => Effect::Anything,
        }
    }

    /// The value held in a state, and values read that are still to be written back, by number.
    pub(super) fn in_use<'s>(&self, state: &'s [u32]) -> impl Iterator<Item = u32> + use<'s> {
        state[self.visitors.len()..].iter().copied()
    }

    /// The numbers of all values that it may hold: from zero to the highest that is distinguished, in order,
    /// if it is a counter. None if that is not known.
    pub(super) fn distinguished_values(&self, problem: &Problem, values: &mut Values) -> Option<Vec<u32>> {
        if let Some(highest) = self.highest {
            let width = values.all[self.held as usize].width();
            return Some(
                (0..=highest).map(|value| values.number(BitVector::from_u64(width, value))).collect(),
            );
        }
        let mut all = vec![self.held];
        for (number, visitor) in self.visitors.iter().enumerate() {
            for done in 0..visitor.accesses.len() {
                match self.effect(problem, number, done) {
                    Effect::Nothing => {}
                    Effect::Holds(value) => all.push(value),
                    Effect::Adds(_) | Effect::Anything => return None,
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Whether the accesses left in a state can be put in an order; true where that would take too long to
    /// decide.
    pub(super) fn leads_on(&self, supply: &Supply, values: &mut Values, state: &[u32]) -> bool {
        if self.undecided.get() > MOST_UNDECIDED {
            return true;
        }
        let known = self.known.borrow().get(state).copied();
        known.unwrap_or_else(|| self.look_for_order(supply, values, state.into()))
    }

    /// Forgets what it was asked, and what took too long to decide.
    pub(super) fn forget_answers(&self) {
        self.known.borrow_mut().clear();
        self.undecided.set(0);
    }

    /// The least value from which on no condition distinguishes values. The place must only ever hold
    /// constants and sums of what was read there and a constant. Higher values then stay indistinguishable,
    /// whatever is added.
    fn highest(&self, supply: &Supply, values: &Values, held: u32) -> Option<u64> {
        let mut highest = values.all[held as usize].to_u64()?;
        let mut width = values.all[held as usize].width();
        let mut added = 0_u64;
        for access in self.visitors.iter().flat_map(|visitor| &visitor.accesses) {
            match &access.writes {
                None => {}
                Some(Written::Constant(value)) => {
                    highest = highest.max(values.all[*value as usize].to_u64()?);
                    width = width.max(values.all[*value as usize].width());
                }
                Some(Written::Of(term, _)) => added = added.checked_add(addend(supply.problem, *term)?)?,
                Some(Written::Anything) => return None,
            }
            if highest.checked_add(added)? > MOST_COUNTED {
                return None;
            }
        }
        // No sum wraps around.
        let end = highest + added;
        if added == 0 || width < 63 && end >= 1 << width {
            return None;
        }
        let asked = self.visitors.iter().flat_map(|visitor| &visitor.accesses);
        let asked: Vec<EventId> =
            asked.filter(|access| access.reads == Some(true)).map(|access| access.event).collect();
        let differs = |value: &u64| {
            let (below, above) = (BitVector::from_u64(width, *value), BitVector::from_u64(width, *value + 1));
            asked.iter().any(|read| supply.meets(*read, &below) != supply.meets(*read, &above))
        };
        Some((0..end).rev().find(differs).map_or(0, |value| value + 1))
    }

    /// Takes over the orders that hold in any case; whether they are new for this place.
    pub(super) fn needs_of(&mut self, before: &Before) -> bool {
        let mut is_new = false;
        for (number, visitor) in self.visitors.iter().enumerate() {
            for (done, access) in visitor.accesses.iter().enumerate() {
                let counts = before.of(access.event);
                for (other, another) in self.visitors.iter().enumerate().filter(|(other, _)| *other != number)
                {
                    let count = counts[another.thread] as usize;
                    let need = another.accesses.partition_point(|access| access.index < count) as u32;
                    let known = &mut self.needs[number][done][other];
                    is_new |= *known < need;
                    *known = need.max(*known);
                }
            }
        }
        is_new
    }

    /// The common part of all orders of all accesses: events, with a thread and how many of its events come
    /// before. None where there are more states than `most`.
    pub(super) fn orders(
        &self,
        supply: &Supply,
        values: &mut Values,
        most: usize,
        looked_at: &mut usize,
    ) -> Result<Option<Vec<Earlier>>, Contradiction> {
        let count = self.visitors.len();
        let mut first = vec![0; count];
        first.push(values.at_most(self.held, self.highest));
        let mut numbers: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let mut states: Vec<Box<[u32]>> = vec![first.into()];
        numbers.insert(states[0].clone(), 0);
        // From which state to which, and which visitor went on; those from a state come after all that lead
        // to it.
        let mut steps: Vec<(u32, u32, usize)> = Vec::new();
        let mut from = 0;
        while from < states.len() {
            for visitor in 0..count {
                if states[from][visitor] as usize == self.visitors[visitor].accesses.len() {
                    continue;
                }
                let Some(next) = self.after(supply, values, &states[from], visitor) else {
                    continue;
                };
                let to = *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() as u32 - 1
                });
                steps.push((from as u32, to, visitor));
            }
            from += 1;
            *looked_at += 1;
            if states.len() > most {
                return Ok(None);
            }
        }
        let is_over = |state: &[u32]| {
            self.visitors.iter().zip(state).all(|(visitor, done)| *done as usize == visitor.accesses.len())
        };
        let mut leads_on: Vec<bool> = states.iter().map(|state| is_over(state)).collect();
        let mut least: Vec<Vec<Vec<u32>>> =
            self.visitors.iter().map(|one| vec![vec![u32::MAX; count]; one.accesses.len()]).collect();
        for (from, to, visitor) in steps.into_iter().rev() {
            if !leads_on[to as usize] {
                continue;
            }
            leads_on[from as usize] = true;
            let state = &states[from as usize];
            let least = &mut least[visitor][state[visitor] as usize];
            least.iter_mut().zip(state).for_each(|(least, done)| *least = (*least).min(*done));
        }
        if !leads_on[0] {
            return Err(Contradiction);
        }
        let mut found = Vec::new();
        for (number, visitor) in self.visitors.iter().enumerate() {
            for (done, access) in visitor.accesses.iter().enumerate() {
                for (other, another) in self.visitors.iter().enumerate() {
                    let needed = least[number][done][other];
                    if other != number && needed > self.needs[number][done][other] {
                        let last = &another.accesses[needed as usize - 1];
                        found.push((access.event, another.thread, last.index as u32 + 1));
                    }
                }
            }
        }
        Ok(Some(found))
    }

    /// Tries the orders of the accesses left from a state; whether one meets all conditions.
    fn look_for_order(&self, supply: &Supply, values: &mut Values, first: Box<[u32]>) -> bool {
        let mut known = self.known.borrow_mut();
        // Each state on the way with the visitors left to try.
        let mut way: Vec<(Box<[u32]>, Vec<usize>)> =
            vec![(first.clone(), self.to_try(supply, values, &first))];
        let mut looked_at = 0;
        let is_long =
            self.visitors.iter().map(|visitor| visitor.accesses.len()).sum::<usize>() > LONG_LOCATION;
        let depth_of = |state: &[u32]| state[..self.visitors.len()].iter().sum::<u32>();
        let first_depth = depth_of(&first);
        while let Some((state, left)) = way.last_mut() {
            if is_long && depth_of(state) >= first_depth + HORIZON {
                return true;
            }
            let is_over = self.visitors.iter().zip(state.iter());
            if is_over.clone().all(|(visitor, done)| *done as usize == visitor.accesses.len()) {
                return self.all_lead_on(&mut known, way);
            }
            let Some(visitor) = left.pop() else {
                known.insert(std::mem::take(state), false);
                way.pop();
                continue;
            };
            let Some(next) = self.after(supply, values, state, visitor) else { continue };
            match known.get(&next) {
                Some(true) if !is_long => return self.all_lead_on(&mut known, way),
                Some(false) => {}
                _ => {
                    looked_at += 1;
                    if is_long && looked_at > MOST_STATES_AHEAD {
                        return true;
                    }
                    if looked_at > MOST_STATES {
                        self.undecided.set(self.undecided.get() + 1);
                        // Not asked again.
                        known.insert(first, true);
                        return true;
                    }
                    let to_try = self.to_try(supply, values, &next);
                    way.push((next, to_try));
                }
            }
        }
        false
    }

    fn all_lead_on(
        &self,
        known: &mut FxHashMap<Box<[u32]>, bool>,
        way: Vec<(Box<[u32]>, Vec<usize>)>,
    ) -> bool {
        known.extend(way.into_iter().map(|(state, _)| (state, true)));
        true
    }

    /// The visitors that have accesses left, the best last: one that is about to write back what was read
    /// comes first. One that only reads, and reads what it needs, may as well do so now: no other is tried
    /// then.
    fn to_try(&self, supply: &Supply, values: &Values, state: &[u32]) -> Vec<usize> {
        let has_more = |number: &usize| (state[*number] as usize) < self.visitors[*number].accesses.len();
        let held = state[self.visitors.len()];
        let looks = |number: &usize| {
            let done = state[*number] as usize;
            let access = &self.visitors[*number].accesses[done];
            self.only_looks(*number, done)
                && (held == ANY || access.reads != Some(true) || access.meets(supply, values, held))
                && self.needs[*number][done].iter().zip(state).all(|(need, done)| need <= done)
        };
        if let Some(looks) = (0..self.visitors.len()).filter(has_more).find(looks) {
            return vec![looks];
        }
        let mut numbers: Vec<usize> = (0..self.visitors.len()).filter(has_more).collect();
        numbers.sort_by_key(|number| {
            let (visitor, done) = (&self.visitors[*number], state[*number] as usize);
            (!visitor.live[done].is_empty(), std::cmp::Reverse(done))
        });
        numbers
    }

    /// The state after a visitor's next access; none if what it reads is not what its path asks for.
    pub(super) fn after(
        &self,
        supply: &Supply,
        values: &mut Values,
        state: &[u32],
        number: usize,
    ) -> Option<Box<[u32]>> {
        let count = self.visitors.len();
        let (visitor, done) = (&self.visitors[number], state[number] as usize);
        let access = &visitor.accesses[done];
        if self.needs[number][done].iter().zip(state).any(|(need, done)| need > done) {
            return None;
        }
        let mut held = state[count];
        let read = held;
        if access.reads == Some(true) && held != ANY && !access.meets(supply, values, held) {
            return None;
        }
        let mut first_live = count + 1;
        for (before, other) in self.visitors[..number].iter().enumerate() {
            first_live += other.live[state[before] as usize].len();
        }
        let live = &visitor.live[done];
        let value_of_read = |access: usize| match live.iter().position(|one| *one == access) {
            Some(place) => state[first_live + place],
            None if access == done => read,
            None => ANY,
        };
        match &access.writes {
            None => {}
            Some(Written::Constant(value)) => held = values.at_most(*value, self.highest),
            Some(Written::Anything) => held = ANY,
            Some(Written::Of(term, accesses)) => {
                let only = match accesses[..] {
                    [only] => Some(value_of_read(only)),
                    _ => None,
                };
                let computed = only.and_then(|read| values.computed.get(&(*term, read)));
                if let Some(computed) = computed {
                    held = values.at_most(*computed, self.highest);
                } else {
                    let mut known = Assignment::new();
                    held = 0;
                    for access in accesses {
                        let symbol = supply.problem.operation(visitor.accesses[*access].event).symbol();
                        match (value_of_read(*access), symbol) {
                            (ANY, _) | (_, None) => held = ANY,
                            (value, Some(symbol)) => {
                                known.set(supply.problem.term(symbol), values.all[value as usize].clone());
                            }
                        }
                    }
                    if held != ANY {
                        held = values.number(evaluate(&supply.problem.terms, *term, &known));
                        only.map(|read| values.computed.insert((*term, read), held));
                        held = values.at_most(held, self.highest);
                    }
                }
            }
        }
        let mut next: Vec<u32> = state[..first_live].to_vec();
        next[number] += 1;
        next[count] = held;
        next.extend(visitor.live[done + 1].iter().map(|access| value_of_read(*access)));
        next.extend(&state[first_live + live.len()..]);
        Some(next.into())
    }
}

/// By number of accesses done, those of them whose values later ones write back.
fn live(accesses: &[Access]) -> Vec<Box<[usize]>> {
    let mut until = vec![0; accesses.len()];
    for (number, access) in accesses.iter().enumerate() {
        if let Some(Written::Of(_, read)) = &access.writes {
            read.iter().for_each(|read| until[*read] = number);
        }
    }
    let mut open: Vec<usize> = Vec::new();
    let mut live = vec![Box::default()];
    for number in 0..accesses.len() {
        open.push(number);
        // An update writes back at once what it reads.
        open.retain(|read| until[*read] > number);
        live.push(open.as_slice().into());
    }
    live
}

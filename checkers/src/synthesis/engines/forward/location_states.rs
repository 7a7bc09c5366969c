//! The states of places, by number. Steps from one to another, and the facts about each, are computed once.
//!
//! A walk meets the same state of one place in most of the states of all places that it looks at.

use super::place::Place;
use super::places::Places;
use super::reach::{Known, Reach};
use super::supply::Supply;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// All states of one place that were reached.
struct OfPlace<'e> {
    place: &'e Place,
    visitors: usize,
    numbers: FxHashMap<Rc<[u32]>, u32>,
    states: Vec<Rc<[u32]>>,
    known: Vec<Known>,
    /// By state and visitor, the state that the visitor's next access leads to.
    after: Vec<u32>,
}

/// All states of all places that were reached.
pub(super) struct States<'e> {
    supply: &'e Supply<'e>,
    places: &'e Places,
    /// By location.
    of: Vec<Option<OfPlace<'e>>>,
}

/// The state after an access was not computed yet.
const NOT_ASKED: u32 = u32::MAX;
/// It leads nowhere.
const NOWHERE: u32 = u32::MAX - 1;

impl<'e> States<'e> {
    /// The first state of each place, whose number is zero.
    pub(super) fn new(supply: &'e Supply<'e>, places: &'e Places, reach: &Reach) -> Self {
        let mut of: Vec<Option<OfPlace>> =
            (0..supply.problem.execution.locations.len()).map(|_| None).collect();
        for (location, place) in places.all() {
            let start = place.start(&mut places.values());
            let mut of_place = OfPlace {
                place,
                visitors: place.visits().count(),
                numbers: FxHashMap::default(),
                states: Vec::new(),
                known: Vec::new(),
                after: Vec::new(),
            };
            of_place.number(start, location, reach);
            of[location] = Some(of_place);
        }
        Self { supply, places, of }
    }

    /// The state that a visitor's next access leads to; none if that leads nowhere.
    pub(super) fn after(
        &mut self,
        location: usize,
        state: u32,
        visitor: usize,
        reach: &Reach,
    ) -> Option<u32> {
        let of = self.of[location].as_mut().expect("steps are at places");
        let entry = state as usize * of.visitors + visitor;
        if of.after[entry] == NOT_ASKED {
            let (before, mut values) = (&of.states[state as usize], self.places.values());
            let after = of.place.after(self.supply, &mut values, before, visitor);
            let after = after.filter(|after| of.place.leads_on(self.supply, &mut values, after));
            of.after[entry] = after.map_or(NOWHERE, |after| of.number(after, location, reach));
        }
        Some(of.after[entry]).filter(|after| *after != NOWHERE)
    }

    /// What is known of a state of a place.
    pub(super) fn known(&self, location: usize, state: u32) -> Known {
        self.of[location].as_ref().expect("steps are at places").known[state as usize]
    }

    /// The same of all places, by location; `now` are the states in which they are.
    pub(super) fn all_known<'s>(&'s self, now: &'s [u32]) -> impl Iterator<Item = (usize, Known)> + 's {
        let of = self.of.iter().zip(now).enumerate();
        of.filter_map(|(location, (of, now))| Some((location, of.as_ref()?.known[*now as usize])))
    }
}

impl OfPlace<'_> {
    fn number(&mut self, state: Box<[u32]>, location: usize, reach: &Reach) -> u32 {
        if let Some(number) = self.numbers.get(&*state) {
            return *number;
        }
        let state: Rc<[u32]> = state.into();
        let bits = || self.place.in_use(&state).map(|value| reach.bit(location, value));
        let held = bits().next().unwrap_or(u64::MAX);
        let in_use = bits().fold(0, |all, bit| all | bit);
        self.known.push(Known { fingerprint: fingerprint(location, &state), held, in_use });
        self.after.resize(self.after.len() + self.visitors, NOT_ASKED);
        let number = self.states.len() as u32;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        number
    }
}

/// A place's share in the fingerprint of a state.
fn fingerprint(location: usize, state: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    (location, state).hash(&mut hasher);
    hasher.finish()
}

//! Whether threads wait for each other in cycles.
//!
//! Nothing that a place has held is forgotten here, and sums reach all that lies between. These rules
//! over-approximate: each thread goes on until a read asks for a value that no thread which can go on could
//! have written. (In planning this is called the delete relaxation.) Where no thread can go on and some are
//! not at their ends, no execution is left.

use super::limits::{STEPS_IN_TURN, STEPS_OUT_OF_CIRCLES};
use super::place::{Effect, Place, Values};
use super::places::Places;
use super::step::Step;
use super::supply::Supply;

/// What is known of a state of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Identifies it; two collide with a probability of 2^-64.
    pub(super) fingerprint: u64,
    /// The bit of the value that the place holds.
    pub(super) held: u64,
    /// The bits of that value and of all that were read and are still to be written back.
    pub(super) in_use: u64,
}

/// A step under these rules; sets of values are bits.
#[derive(Clone, Copy, Debug)]
struct Rule {
    location: usize,
    /// The values that it may read.
    reads: u64,
    /// The values that the place may hold from then on.
    holds: u64,
    /// How much it adds to what was read.
    adds: u32,
}

/// The values that a place may hold by now.
#[derive(Clone, Copy, Default, Debug)]
struct Holdings {
    values: u64,
    /// How much may have been added to one of them.
    added: u32,
    /// The values that may be read there: `values`, and all between them and the sums.
    readable: u64,
}

impl Holdings {
    /// Such a place, of which `distinguished` values are distinct.
    fn of(values: u64, added: u32, distinguished: u32) -> Self {
        let mut readable = values;
        for _ in 0..added.min(distinguished) {
            readable |= one_more(readable, distinguished);
        }
        Self { values, added, readable }
    }
}

/// The rules, and what is used again and again.
#[derive(Debug)]
pub(super) struct Reach {
    /// By thread and step.
    rules: Vec<Vec<Rule>>,
    /// By location, the numbers of the values that its bits represent; none if nothing is ruled out there.
    /// Those of a counter are in order, the last one representing all higher ones.
    bits: Vec<Vec<u32>>,
    /// By location.
    holdings: Vec<Holdings>,
    /// By thread, how far it comes.
    comes: Vec<usize>,
    /// By location, what it may hold while one thread runs alone.
    held: Vec<u64>,
}

impl Reach {
    pub(super) fn new(supply: &Supply, places: &Places, steps: &[Vec<Step>]) -> Self {
        let values = &mut *places.values();
        let mut bits = vec![Vec::new(); supply.problem.execution.locations.len()];
        places.all().for_each(|(location, place)| {
            bits[location] = place.distinguished_values(supply.problem, values).unwrap_or_default();
            // There is a bit for each.
            if bits[location].len() > u64::BITS as usize {
                bits[location].clear();
            }
        });
        let rule = |step: &Step| {
            let place = places.at(step.location).expect("steps are at places");
            Rule::of(supply, place, values, step, &bits[step.location])
        };
        let rules = steps.iter().map(|steps| steps.iter().map(rule).collect()).collect();
        let holdings = vec![Holdings::default(); bits.len()];
        Self { rules, bits, holdings, comes: Vec::new(), held: Vec::new() }
    }

    /// How far a thread comes from a step if no other moves, up to `end`, where this is known of places.
    /// Places of which nothing is known hold anything. A value that it read longer ago and writes back is
    /// taken for what the place holds.
    pub(super) fn comes_alone(
        &mut self,
        thread: usize,
        from: usize,
        end: usize,
        places: impl Iterator<Item = (usize, Known)>,
    ) -> usize {
        self.held.clear();
        self.held.resize(self.bits.len(), u64::MAX);
        places.for_each(|(location, known)| self.held[location] = known.held);
        let happens = |rule: &&Rule| {
            let bits = self.bits[rule.location].len() as u32;
            rule.happens_alone(&mut self.held[rule.location], bits)
        };
        from + self.rules[thread][from..end].iter().take_while(happens).count()
    }

    /// The bit of a value that a place may hold; all bits if it has none.
    pub(super) fn bit(&self, location: usize, value: u32) -> u64 {
        self.bits[location].iter().position(|one| *one == value).map_or(u64::MAX, |bit| 1 << bit)
    }

    /// Whether all threads terminate, or come far enough, from a state.
    pub(super) fn can_go_on(
        &mut self,
        places: impl Iterator<Item = (usize, Known)>,
        taken: &[usize],
    ) -> bool {
        // Values read that are still to be written back may come, too.
        places.for_each(|(location, known)| self.holdings[location] = Holdings::of(known.in_use, 0, 0));
        self.comes.clear();
        self.comes.extend(taken);
        loop {
            let (mut has_moved, mut is_far) = (false, true);
            for (thread, rules) in self.rules.iter().enumerate() {
                let far = rules.len().min(taken[thread] + STEPS_OUT_OF_CIRCLES);
                let stop = rules.len().min(far.max(self.comes[thread] + STEPS_IN_TURN));
                let waits = |rule: &Rule| !rule.happens(&mut self.holdings, &self.bits);
                let next = &rules[self.comes[thread]..stop];
                let count = next.iter().position(waits).unwrap_or(next.len());
                self.comes[thread] += count;
                has_moved |= count > 0;
                is_far &= self.comes[thread] >= far;
            }
            if is_far || !has_moved {
                return is_far;
            }
        }
    }
}

impl Rule {
    fn of(supply: &Supply, place: &Place, values: &Values, step: &Step, bits: &[u32]) -> Self {
        let location = step.location;
        if bits.is_empty() {
            return Self { location, reads: u64::MAX, holds: 0, adds: 0 };
        }
        let meets = |value: u32| place.meets(supply, values, step.visitor, step.done, value);
        let met = bits.iter().enumerate().filter(|(_, value)| meets(**value));
        let reads = met.fold(0, |all, (bit, _)| all | 1 << bit);
        let (holds, adds) = match place.effect(supply.problem, step.visitor, step.done) {
            Effect::Nothing => (0, 0),
            Effect::Holds(value) => {
                (bits.iter().position(|one| *one == value).map_or(u64::MAX, |bit| 1 << bit), 0)
            }
            Effect::Adds(number) => (0, u32::try_from(number).unwrap_or(u32::MAX)),
            Effect::Anything => (u64::MAX, 0),
        };
        Self { location, reads, holds, adds }
    }

    /// The same where no other thread moves, at a place that holds one of these values.
    fn happens_alone(&self, held: &mut u64, values: u32) -> bool {
        let mut after = *held & self.reads;
        if after == 0 {
            return false;
        }
        if self.holds != 0 {
            after = self.holds;
        }
        if after != u64::MAX {
            (0..self.adds.min(values)).for_each(|_| after = one_more(after, values));
        }
        *held = after;
        true
    }

    /// Lets a step happen if its read may find what it asks for; whether it may.
    fn happens(&self, holdings: &mut [Holdings], bits: &[Vec<u32>]) -> bool {
        let holdings = &mut holdings[self.location];
        if holdings.readable & self.reads == 0 {
            return false;
        }
        let distinguished = bits[self.location].len() as u32;
        let is_news = self.holds & !holdings.values != 0 || self.adds > 0 && holdings.added < distinguished;
        if is_news {
            let (values, added) = (holdings.values | self.holds, holdings.added.saturating_add(self.adds));
            *holdings = Holdings::of(values, added, distinguished);
        }
        true
    }
}

/// These values of a counter that distinguishes `values` of them, each with one added; the highest stays what
/// it is.
fn one_more(held: u64, values: u32) -> u64 {
    let all = u64::MAX >> (u64::BITS - values);
    let highest = held & (all ^ all >> 1);
    held << 1 & all | highest
}

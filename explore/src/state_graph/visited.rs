//! The states that were entered, and the steps between them.

use rustc_hash::FxHashMap;
use symx_interp::caches::relocated::Located;
use symx_interp::caches::sameness::LiveRegisters;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_interp::memory::AddressSpace;
use symx_interp::state::State;

/// A state's number, in the order in which they were entered.
pub(super) type Number = u32;

/// The states that were entered.
pub(super) struct Visited<E: Environment> {
    states: Vec<Located<E>>,
    /// By hash, the states' numbers.
    numbers: FxHashMap<u64, Vec<Number>>,
    /// The states from which a step leads to a state.
    before: Vec<Vec<Number>>,
    /// States from which a step ends the execution.
    ends: Vec<Number>,
    live: LiveRegisters,
    /// Memory where the walk begins.
    beginning: AddressSpace,
}

impl<E: Environment> Visited<E> {
    /// None yet of those that follow a beginning.
    pub fn new(beginning: &State<E>) -> Self {
        Self {
            states: Vec::new(),
            numbers: FxHashMap::default(),
            before: Vec::new(),
            ends: Vec::new(),
            live: LiveRegisters::without_pacing(),
            beginning: beginning.memory.clone(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The number of a state that a step from another leads to, and whether it is a new one.
    pub fn enter(&mut self, machine: &Machine<E>, state: &State<E>, from: Option<Number>) -> (Number, bool) {
        state.threads.iter().for_each(|thread| self.live.learn(machine, thread));
        let located = Located::new(state.clone(), &self.beginning);
        let alike = self.numbers.entry(located.hash(&self.live)).or_default();
        let is_known =
            |number: &&Number| self.states[**number as usize].leads_on_alike(&located, machine, &self.live);
        if let Some(&known) = alike.iter().find(is_known) {
            self.before[known as usize].extend(from);
            return (known, false);
        }
        let number = self.states.len() as Number;
        alike.push(number);
        self.states.push(located);
        self.before.push(from.into_iter().collect());
        (number, true)
    }

    /// Notes that a step from a state ends the execution.
    pub fn mark_end(&mut self, number: Number) {
        self.ends.push(number);
    }

    /// All of them.
    pub fn into_states(self) -> Vec<State<E>> {
        self.states.into_iter().map(|located| located.state).collect()
    }

    /// Whether none is an end, and each leads back to the first.
    pub fn come_back(&self) -> bool {
        let mut leads_back = vec![false; self.states.len()];
        self.mark(vec![0], &mut leads_back);
        self.ends.is_empty() && leads_back.iter().all(|leads_back| *leads_back)
    }

    /// A state from which no way leads to an end, if there is one. All that follow it lead back to it: those
    /// that do not would have been taken up before, and have marked it.
    pub fn without_way_out(&self) -> Option<Number> {
        let mut leads_on = vec![false; self.states.len()];
        self.mark(self.ends.clone(), &mut leads_on);
        let mut last = None;
        for number in 0..self.states.len() {
            if !leads_on[number] {
                last = Some(number as Number);
                self.mark(vec![number as Number], &mut leads_on);
            }
        }
        last
    }

    /// Marks the states from which a way leads to one of the `open`, themselves included.
    fn mark(&self, mut open: Vec<Number>, marked: &mut [bool]) {
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut marked[number as usize], true) {
                open.extend(&self.before[number as usize]);
            }
        }
    }
}

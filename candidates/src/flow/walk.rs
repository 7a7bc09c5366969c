//! Through one function: which locks are held at each instruction, which threads there may be, and what is
//! accessed.

use super::Flow;
use super::accesses::{At, Made, of_external, of_instruction};
use super::addresses::{Addresses, Root, Traced};
use super::alive::{Alive, CREATED, JOINED};
use super::joins::EVER;
use super::summary::{
    Access, Accesses, Address, Exit, Held, Key, Kind, Lock, LockName, Release, Released, Start, Summary,
    common,
};
use crate::externals::{Effect, effect};
use crate::objects::PlaceId;
use crate::offsets::{Shift, UNBOUNDED};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use symx_ir::{CallSite, CallTarget, ExternalId, Inst, Operand, Slot, SpanId};

/// What is known at a point of a function, relative to its beginning.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct State {
    /// Ascending by lock.
    pub held: Vec<Held>,
    pub released: Released,
    pub alive: Alive,
}

/// Where addresses of a call, or of an access, come from.
#[derive(Clone, Copy, Default)]
pub(super) struct Roots {
    pub exact: Option<(Root, i64)>,
    pub wide: Option<Root>,
}

/// What a function stores into memory and reads again in the same block: by address, the value.
pub(super) type Cells = Vec<((Root, i64), Operand)>;

/// What is collected on the last way through a function.
#[derive(Default)]
pub(super) struct Output {
    pub accesses: Accesses,
    pub starts: BTreeSet<Start>,
}

impl State {
    /// What holds on both ways; whether that is less than what held before.
    fn merge(&mut self, other: &State) -> bool {
        let locks = |state: &State| state.held.iter().map(|held| held.lock).collect::<Vec<_>>();
        let kept = common(&locks(self), &locks(other));
        let mut held = Vec::new();
        for lock in kept {
            let of = |state: &State| {
                state.held.iter().find(|held| held.lock.name == lock.name).map(|held| Rc::clone(&held.places))
            };
            if let (Some(one), Some(two)) = (of(self), of(other)) {
                let places = if one == two { one } else { union(&one, &two) };
                held.push(Held { lock, places });
            }
        }
        let merged = State {
            held,
            released: joined(&self.released, &other.released),
            alive: self.alive.or(&other.alive),
        };
        let changed = merged != *self;
        *self = merged;
        changed
    }

    fn drop_register(&mut self, slot: Slot) {
        let is_of = |held: &Held| matches!(held.lock.name, LockName::Key(Key { root: Root::Register(of), .. }) if of == slot);
        self.held.retain(|held| !is_of(held));
    }

    pub(super) fn acquire(&mut self, new: Held) {
        match self.held.iter_mut().find(|held| held.lock.name == new.lock.name) {
            Some(known) => known.lock.is_shared &= new.lock.is_shared,
            None => {
                self.held.push(new);
                self.held.sort_by_key(|held| held.lock);
            }
        }
    }
}

pub(super) fn joined(one: &Released, other: &Released) -> Released {
    match (one.is_superset(other), other.is_superset(one)) {
        (true, _) => Rc::clone(one),
        (_, true) => Rc::clone(other),
        _ => Rc::new(one.union(other).cloned().collect()),
    }
}

fn union(one: &[PlaceId], other: &[PlaceId]) -> Rc<[PlaceId]> {
    let all: BTreeSet<PlaceId> = one.iter().chain(other).copied().collect();
    all.into_iter().collect()
}

impl Flow<'_, '_> {
    /// The summary of a function, when those it calls have theirs.
    pub(super) fn walk(&mut self, addresses: &Addresses<'_>) -> Summary {
        let function = addresses.function;
        let mut states: Vec<Option<State>> = vec![None; function.blocks.len()];
        let mut open: VecDeque<u32> = VecDeque::new();
        if let Some(first) = states.first_mut() {
            *first = Some(State::default());
            open.push_back(0);
        }
        while let Some(block) = open.pop_front() {
            let Some(state) = states[block as usize].clone() else { continue };
            for (next, state) in self.block(addresses, block, state, None) {
                let changed = match &mut states[next as usize] {
                    Some(known) => known.merge(&state),
                    none => {
                        *none = Some(state);
                        true
                    }
                };
                if changed && !open.contains(&next) {
                    open.push_back(next);
                }
            }
        }
        let mut output = Output::default();
        let mut summary = Summary::default();
        for block in 0..function.blocks.len() as u32 {
            let Some(state) = states[block as usize].clone() else { continue };
            let mut last = state.clone();
            self.block_to(addresses, block, &mut last, Some(&mut output));
            summary.released = joined(&summary.released, &last.released);
            summary.alive = summary.alive.or(&state.alive).or(&last.alive);
            let end = end_of(addresses, block);
            if matches!(function.code[end as usize], Inst::Return { .. }) {
                let exit = Exit { held: last.held.clone(), alive: last.alive.clone() };
                summary.exit = Some(match summary.exit.take() {
                    None => exit,
                    Some(known) => {
                        let mut both = State { held: known.held, alive: known.alive, ..State::default() };
                        both.merge(&State { held: exit.held, alive: exit.alive, ..State::default() });
                        Exit { held: both.held, alive: both.alive }
                    }
                });
            }
        }
        // What is counted from the function's own registers and variables means nothing to its callers.
        if let Some(exit) = &mut summary.exit {
            exit.held.retain(|held| match held.lock.name {
                LockName::Key(key) => matches!(key.root, Root::Parameter(_)),
                _ => true,
            });
        }
        summary.accesses = output.accesses.into_list();
        summary.starts = output.starts.into_iter().collect();
        summary
    }

    /// Through a block; what holds at the beginnings of those that follow.
    fn block(
        &mut self,
        addresses: &Addresses<'_>,
        block: u32,
        mut state: State,
        output: Option<&mut Output>,
    ) -> Vec<(u32, State)> {
        let function = addresses.function;
        let goes_on = self.block_to(addresses, block, &mut state, output);
        let end = end_of(addresses, block);
        let only = addresses.only_edge(&self.returned, &function.code[end as usize]);
        let mut next = Vec::new();
        for number in function.blocks[block as usize].edges() {
            let edge = &function.edges[number];
            let is_unwinding = match function.code[end as usize] {
                Inst::Call { site } => {
                    function.calls[site as usize].invoke.is_some_and(|(_, unwind)| unwind == number as u32)
                }
                _ => false,
            };
            if only.is_some_and(|only| only != number as u32) || !goes_on && !is_unwinding {
                continue;
            }
            let mut state = state.clone();
            let moves = edge.first_move as usize..(edge.first_move + edge.move_count) as usize;
            function.moves[moves].iter().for_each(|step| state.drop_register(step.dst));
            for site in self.joins.entered(addresses.id, number as u32) {
                state.alive =
                    state.alive.then(&Alive::one(site, CREATED)).then(&Alive::one(site | EVER, CREATED));
            }
            for site in self.joins.left(addresses.id, number as u32) {
                state.alive = state.alive.then(&Alive::one(site, JOINED));
            }
            next.push((edge.block, state));
        }
        next
    }

    /// To the end of a block; whether it is reached.
    fn block_to(
        &mut self,
        addresses: &Addresses<'_>,
        block: u32,
        state: &mut State,
        mut output: Option<&mut Output>,
    ) -> bool {
        let mut cells = Cells::new();
        for pc in addresses.function.blocks[block as usize].start..=end_of(addresses, block) {
            if !self.instruction(addresses, pc, state, &mut cells, output.as_deref_mut()) {
                return false;
            }
            addresses.written(pc).for_each(|slot| state.drop_register(slot));
        }
        true
    }

    fn instruction(
        &mut self,
        addresses: &Addresses<'_>,
        pc: u32,
        state: &mut State,
        cells: &mut Cells,
        mut output: Option<&mut Output>,
    ) -> bool {
        let function = addresses.function;
        let inst = &function.code[pc as usize];
        if let Some(output) = output.as_deref_mut() {
            for made in of_instruction(function, inst) {
                self.note(addresses, pc, made, state, output);
            }
        }
        match *inst {
            Inst::Store { bits, address, value, .. } => {
                let to = addresses.trace(self.facts, &self.returned, address, false);
                let place = to.filter(|to| to.shift.stride == 0).map(|to| (to.root, to.shift.add));
                // A fixed distance apart, two stores of words do not meet; of others nobody knows.
                cells.retain(|(known, _)| {
                    place.is_some_and(|place| place.0 == known.0 && place.1.abs_diff(known.1) >= 8)
                });
                if bits == 64
                    && let Some(place) = place
                {
                    cells.push((place, value));
                }
            }
            Inst::Call { site } => {
                return self.call(addresses, pc, &function.calls[site as usize], state, cells, output);
            }
            Inst::Return { .. } => {
                if let Some(output) = output {
                    self.end_of_variables(addresses, pc, state, output);
                }
            }
            Inst::Extended { .. } => cells.clear(),
            _ => {}
        }
        true
    }

    /// The variables of the function that others can get to end with it.
    fn end_of_variables(&mut self, addresses: &Addresses<'_>, pc: u32, state: &State, output: &mut Output) {
        for inst in &addresses.function.code {
            if let Inst::Alloca { dst, .. } = *inst {
                let made = Made {
                    at: At::Operand(Operand::slot(dst)),
                    shift: Shift::ANYWHERE,
                    size: UNBOUNDED,
                    is_aligned: false,
                    kind: Kind::END,
                };
                self.note(addresses, pc, made, state, output);
            }
        }
    }

    /// A call; whether it returns.
    fn call(
        &mut self,
        addresses: &Addresses<'_>,
        pc: u32,
        call: &CallSite,
        state: &mut State,
        cells: &mut Cells,
        mut output: Option<&mut Output>,
    ) -> bool {
        let at = (addresses.id, pc);
        let mut callees = self.facts.callees.get(&at).cloned().unwrap_or_default();
        let mut externals = self.facts.externals.get(&at).cloned().unwrap_or_default();
        match call.target {
            CallTarget::External(id) => externals.push(id),
            CallTarget::Function(id) if !callees.contains(&id) => callees.push(id),
            _ => {}
        }
        let before = state.clone();
        let mut after: Option<State> = None;
        let mut returns = callees.is_empty() && externals.is_empty();
        // What a call may do and what it leaves alone are two ways.
        let mut add = |state: State| match &mut after {
            Some(known) => drop(known.merge(&state)),
            none => *none = Some(state),
        };
        for id in externals {
            let mut state = before.clone();
            if self.external(addresses, pc, call, id, &mut state, cells, output.as_deref_mut()) {
                returns = true;
                add(state);
            }
        }
        for id in callees {
            let mut state = before.clone();
            let goes_on = self.enter(addresses, pc, call, id, &mut state, cells, output.as_deref_mut());
            returns |= goes_on;
            if goes_on || call.invoke.is_some() {
                add(state);
            }
        }
        if let Some(after) = after {
            *state = after;
        }
        cells.clear();
        returns
    }

    #[allow(clippy::too_many_arguments)] // they are what a call has
    fn external(
        &mut self,
        addresses: &Addresses<'_>,
        pc: u32,
        call: &CallSite,
        id: ExternalId,
        state: &mut State,
        cells: &Cells,
        output: Option<&mut Output>,
    ) -> bool {
        let program = self.facts.objects.program;
        let external = &program.externals[id.0 as usize];
        let at = (addresses.id, pc);
        let site = self.sites.get(&at).copied();
        if let Some(output) = output {
            let pieces = self.facts.pieces.get(&at).copied();
            for made in of_external(program, addresses.function, call, id, pieces) {
                self.note(addresses, pc, made, state, output);
            }
            if let Some(site) = site {
                output.starts.insert(Start { site, alive: state.alive.clone() });
            }
        }
        if let Some(site) = site
            && !self.joins.is_array(site)
        {
            let created = Alive::one(site, CREATED).then(&Alive::one(site | EVER, CREATED));
            state.alive = state.alive.then(&created);
        }
        if let Some(site) = self.joins.joined_at(at) {
            state.alive = state.alive.then(&Alive::one(site, JOINED));
        }
        let first = call.arguments.first().map(|argument| argument.operand);
        match effect(&external.name, external.fallback.is_some()) {
            Some(Effect::Lock { is_shared }) => {
                if let Some(first) = first
                    && let Some(held) = self.lock(addresses, first, is_shared, cells)
                {
                    state.acquire(held);
                }
            }
            Some(Effect::Unlock) => match first {
                Some(first) => self.unlock(addresses, first, state, cells),
                None => state.held.clear(),
            },
            Some(Effect::Section { enters: true }) => {
                let lock = Lock { name: LockName::Section, is_shared: false };
                state.acquire(Held { lock, places: [].into() });
            }
            Some(Effect::Section { enters: false }) => {
                if !state.held.iter().any(|held| held.lock.name == LockName::Section) {
                    state.released = with(&state.released, Release::Section);
                }
                state.held.retain(|held| held.lock.name != LockName::Section);
            }
            _ => {}
        }
        true
    }

    /// The lock at an operand, if it is known well enough to be told from others.
    fn lock(
        &mut self,
        addresses: &Addresses<'_>,
        at: Operand,
        is_shared: bool,
        cells: &Cells,
    ) -> Option<Held> {
        let places: Rc<[PlaceId]> = self.facts.operand(addresses.id, at).into();
        let name = match self.only_place(&places) {
            Some(place) => LockName::Known(place),
            None => LockName::Key(self.key(addresses, at, cells)?),
        };
        Some(Held { lock: Lock { name, is_shared }, places })
    }

    fn unlock(&mut self, addresses: &Addresses<'_>, at: Operand, state: &mut State, cells: &Cells) {
        let held = self.lock(addresses, at, false, cells);
        if let Some(held) = &held
            && let Some(own) = state.held.iter().position(|known| known.lock.name == held.lock.name)
        {
            state.held.remove(own);
            return;
        }
        let places: Rc<[PlaceId]> = self.facts.operand(addresses.id, at).into();
        let release = match held.map(|held| held.lock.name) {
            Some(LockName::Key(Key { root: Root::Parameter(parameter), at, then: None })) => {
                Release::Parameter(parameter, at)
            }
            _ if places.is_empty() => Release::Any,
            _ => Release::Places(Rc::clone(&places)),
        };
        self.drop_released(&places, state);
        state.released = with(&state.released, release);
    }

    /// Where a lock is, as seen from the function.
    pub(super) fn key(&mut self, addresses: &Addresses<'_>, at: Operand, cells: &Cells) -> Option<Key> {
        let traced = addresses.trace(self.facts, &self.returned, at, false)?;
        let own = Key::of(traced);
        let Traced { root: Root::Register(slot), shift } = traced else { return own };
        // What was loaded just behind a store of it, or what a parameter leads to, says more.
        let Some(from) = addresses.loaded_from(slot) else { return own };
        let Some(from) = addresses.trace(self.facts, &self.returned, from, false).and_then(Key::of) else {
            return own;
        };
        if let Some((_, value)) = cells.iter().find(|(place, _)| *place == (from.root, from.at)) {
            let value = addresses.trace(self.facts, &self.returned, *value, false).and_then(Key::of);
            return value.map(|value| Key { at: value.at + shift.add, ..value }).or(own);
        }
        match from.root {
            Root::Parameter(_) => Some(Key { then: Some(shift.add), ..from }),
            _ => own,
        }
    }

    /// The locks are held no longer that may be at these places.
    pub(super) fn drop_released(&mut self, places: &[PlaceId], state: &mut State) {
        if places.is_empty() {
            state.held.clear();
            return;
        }
        let facts = &*self.facts;
        state
            .held
            .retain(|held| held.lock.name == LockName::Section || !facts.may_meet(&held.places, places));
    }

    /// Notes an access.
    fn note(&mut self, addresses: &Addresses<'_>, pc: u32, made: Made, state: &State, output: &mut Output) {
        let id = addresses.id;
        let places = match made.at {
            At::Operand(operand) => self.facts.operand(id, operand),
            At::Node(node) => self.facts.node(node).to_vec(),
        };
        let places = self.accessible(&places, made.shift);
        if places.is_empty() {
            return;
        }
        let mut roots = Roots::default();
        let mut address = Address::Places(places.into());
        if let At::Operand(operand) = made.at {
            roots = self.roots(addresses, operand, made.shift);
            let wide = addresses.trace(self.facts, &self.returned, operand, true);
            if let Some(Traced { root: Root::Parameter(parameter), shift }) = wide {
                address = Address::Parameter(parameter, shift.then(made.shift).into());
            }
        }
        let mut locks = Vec::new();
        for held in &state.held {
            self.seen_from(addresses, roots, held.lock, &mut locks);
        }
        locks.sort_unstable();
        locks.dedup();
        let span = self.written_span(addresses, pc);
        output.accesses.add(Access {
            span,
            kind: made.kind,
            size: made.size,
            is_aligned: made.is_aligned,
            address,
            locks,
            released: Rc::clone(&state.released),
            alive: state.alive.clone(),
        });
    }

    /// Where the program stands at an instruction, if that is its own code.
    pub(super) fn written_span(&self, addresses: &Addresses<'_>, pc: u32) -> Option<SpanId> {
        let span = addresses.function.spans[pc as usize];
        addresses
            .function
            .recorded
            .then(|| self.facts.objects.program.outside_library_sources(span))
            .flatten()
    }
}

pub(super) fn with(released: &Released, release: Release) -> Released {
    if released.contains(&release) {
        return Rc::clone(released);
    }
    let mut all = BTreeSet::clone(released);
    all.insert(release);
    Rc::new(all)
}

/// The last instruction of a block.
fn end_of(addresses: &Addresses<'_>, block: u32) -> u32 {
    let function = addresses.function;
    let next = function.blocks.get(block as usize + 1);
    next.map_or(function.code.len() as u32, |next| next.start) - 1
}

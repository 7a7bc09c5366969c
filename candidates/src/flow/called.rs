//! Calls: into functions with a body, and what those without one do to locks and threads.

use super::Flow;
use super::accesses::{of_external, of_uses};
use super::addresses::{Addresses, Root, Traced};
use super::alive::{Alive, CREATED, JOINED};
use super::joins::EVER;
use super::state::{Cells, Output, State, with};
use super::summary::{Held, Key, Lock, LockName, Release, Start};
use crate::externals::{Effect, effect, text_of};
use crate::objects::PlaceId;
use crate::points_to::CodePlace;
use std::rc::Rc;
use symx_expr::StopReason;
use symx_ir::{CallSite, CallTarget, ExternalId, Operand};

/// A call in the function that is gone through.
#[derive(Clone, Copy)]
pub(super) struct CallAt<'a> {
    pub addresses: &'a Addresses<'a>,
    pub pc: u32,
    pub call: &'a CallSite,
}

impl CallAt<'_> {
    fn place(self) -> CodePlace {
        (self.addresses.id, self.pc)
    }
}

impl Flow<'_, '_> {
    /// A call; whether it returns.
    pub(super) fn call(
        &mut self,
        at: CallAt<'_>,
        state: &mut State,
        cells: &mut Cells,
        mut output: Option<&mut Output>,
    ) -> Result<bool, StopReason> {
        if let Some(uses) = text_of(self.facts.objects.program, &at.call.target) {
            for made in of_uses(at.call, uses) {
                if let Some(output) = output.as_deref_mut() {
                    self.note(at.addresses, at.pc, made, state, output);
                }
            }
            cells.clear();
            return Ok(true);
        }
        let mut callees = self.facts.callees.get(&at.place()).cloned().unwrap_or_default();
        let mut externals = self.facts.externals.get(&at.place()).cloned().unwrap_or_default();
        match at.call.target {
            CallTarget::External(id) => externals.push(id),
            CallTarget::Function(id) if !callees.contains(&id) => callees.push(id),
            _ => {}
        }
        let before = state.clone();
        let mut after: Option<State> = None;
        let mut returns = callees.is_empty() && externals.is_empty();
        // Each possible callee starts from the state before the call. The states in which control can go on
        // are merged, as where paths join.
        let mut add = |state: State| match &mut after {
            Some(known) => drop(known.merge(&state)),
            none => *none = Some(state),
        };
        for id in externals {
            let mut state = before.clone();
            if self.external(at, id, &mut state, cells, output.as_deref_mut()) {
                returns = true;
                add(state);
            }
        }
        for id in callees {
            let mut state = before.clone();
            let goes_on = self.enter(at, id, &mut state, cells, output.as_deref_mut())?;
            returns |= goes_on;
            if goes_on || at.call.invoke.is_some() {
                add(state);
            }
        }
        if let Some(after) = after {
            *state = after;
        }
        cells.clear();
        Ok(returns)
    }

    /// A call of a function without a body; whether it returns.
    fn external(
        &mut self,
        at: CallAt<'_>,
        id: ExternalId,
        state: &mut State,
        cells: &Cells,
        output: Option<&mut Output>,
    ) -> bool {
        let program = self.facts.objects.program;
        let external = &program.externals[id.0 as usize];
        let CallAt { addresses, pc, call } = at;
        let site = self.sites.get(&at.place()).copied();
        if let Some(output) = output {
            let pieces = self.facts.pieces.get(&at.place()).copied();
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
        if let Some(site) = self.joins.joined_at(at.place()) {
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

    /// The lock at an operand, if it is known well enough to be distinguished from others.
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
        // A value loaded just after a store of it, or what a parameter leads to, says more.
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
}

//! A summary as seen from a caller.

use super::Flow;
use super::addresses::{Addresses, Root, Traced, shifted};
use super::called::CallAt;
use super::state::{Cells, Output, Roots, State, joined};
use super::summary::{Access, Address, Held, Key, Lock, LockName, Release, Released, Start, Summary};
use crate::objects::{Object, Place, PlaceId};
use crate::offsets::Shift;
use std::collections::BTreeSet;
use std::rc::Rc;
use symx_expr::StopReason;
use symx_ir::function::Passing;
use symx_ir::{CallSite, FunctionId, Operand};

impl Flow<'_, '_> {
    /// Into a function and out of it again; whether it returns.
    pub(super) fn enter(
        &mut self,
        at: CallAt<'_>,
        callee: FunctionId,
        state: &mut State,
        cells: &Cells,
        output: Option<&mut Output>,
    ) -> Result<bool, StopReason> {
        let addresses = at.addresses;
        self.budget.proceed()?;
        let Some(summary) = self.summary(callee) else { return Ok(true) };
        let summary: Rc<Summary> = summary;
        if let Some(output) = output {
            let span = self.written_span(addresses, at.pc);
            for access in &summary.accesses {
                self.budget.proceed()?;
                let lifted = self.lift(at, access, state, cells);
                if let Some(mut access) = lifted {
                    access.span = access.span.or(span);
                    output.accesses.add(access);
                }
            }
            for start in &summary.starts {
                self.budget.proceed()?;
                let alive = state.alive.then(&start.alive);
                output.starts.insert(Start { site: start.site, alive });
            }
        }
        let released = self.lift_released(at, &summary.released);
        self.release_all(addresses, &released, state);
        state.released = joined(&state.released, &released);
        let Some(exit) = &summary.exit else {
            state.alive = state.alive.then(&summary.alive);
            return Ok(false);
        };
        for held in &exit.held {
            if let Some(held) = self.lift_held(at, held, cells) {
                state.acquire(held);
            }
        }
        // An exception may leave it at any point.
        let alive = if at.call.invoke.is_some() { exit.alive.or(&summary.alive) } else { exit.alive.clone() };
        state.alive = state.alive.then(&alive);
        Ok(true)
    }

    /// Locks that may have been released are held no longer.
    fn release_all(&mut self, addresses: &Addresses<'_>, released: &Released, state: &mut State) {
        for release in released.iter() {
            match release {
                Release::Any => state.held.clear(),
                Release::Section => state.held.retain(|held| held.lock.name != LockName::Section),
                Release::Places(places) => self.drop_released(places, state),
                Release::Parameter(parameter, at) => {
                    let places = self.parameter_places(addresses, *parameter, Shift::by(*at));
                    self.drop_released(&places, state);
                }
            }
        }
    }

    fn parameter_places(&mut self, addresses: &Addresses<'_>, parameter: u32, shift: Shift) -> Vec<PlaceId> {
        let Some(parameter) = addresses.function.params.get(parameter as usize) else { return Vec::new() };
        let places = self.facts.register(addresses.id, parameter.slot).to_vec();
        shifted(self.facts, &places, shift)
    }

    /// The operand that a call hands over by value as a parameter.
    fn argument(call: &CallSite, parameter: u32) -> Option<Operand> {
        let argument = call.arguments.get(parameter as usize)?;
        matches!(argument.passing, Passing::Value).then_some(argument.operand)
    }

    fn lift_released(&mut self, at: CallAt<'_>, released: &Released) -> Released {
        let CallAt { addresses, call, .. } = at;
        if released.iter().all(|release| !matches!(release, Release::Parameter(..))) {
            return Rc::clone(released);
        }
        let mut lifted = BTreeSet::new();
        for release in released.iter() {
            let Release::Parameter(parameter, offset) = release else {
                lifted.insert(release.clone());
                continue;
            };
            lifted.insert(match Self::argument(call, *parameter) {
                None => Release::Any,
                Some(operand) => match addresses.trace(self.facts, &self.returned, operand, false) {
                    Some(Traced { root: Root::Parameter(own), shift }) => {
                        Release::Parameter(own, shift.add + offset)
                    }
                    _ => {
                        let places = self.facts.operand(addresses.id, operand);
                        match shifted(self.facts, &places, Shift::by(*offset)) {
                            places if places.is_empty() => Release::Any,
                            places => Release::Places(places.into()),
                        }
                    }
                },
            });
        }
        Rc::new(lifted)
    }

    fn lift_held(&mut self, at: CallAt<'_>, held: &Held, cells: &Cells) -> Option<Held> {
        let LockName::Key(key) = held.lock.name else { return Some(held.clone()) };
        let (name, places) = self.lift_key(at, key, cells)?;
        let places = places.map_or_else(|| Rc::clone(&held.places), Rc::from);
        Some(Held { lock: Lock { name, ..held.lock }, places })
    }

    /// A lock of the callee's, with the places where it may be if the caller knows better.
    fn lift_key(
        &mut self,
        CallAt { addresses, call, .. }: CallAt<'_>,
        key: Key,
        cells: &Cells,
    ) -> Option<(LockName, Option<Vec<PlaceId>>)> {
        let Root::Parameter(parameter) = key.root else { return None };
        let operand = Self::argument(call, parameter)?;
        let own = addresses.trace(self.facts, &self.returned, operand, false).and_then(Key::of);
        let own = own.map(|own| Key { at: own.at + key.at, ..own });
        let Some(then) = key.then else {
            let places = self.facts.operand(addresses.id, operand);
            let places = shifted(self.facts, &places, Shift::by(key.at));
            let name = match self.only_place(&places) {
                Some(place) => LockName::Known(place),
                None => LockName::Key(own?),
            };
            return Some((name, Some(places)));
        };
        let own = own?;
        if let Some((_, value)) = cells.iter().find(|(place, _)| *place == (own.root, own.at)) {
            let value = *value;
            let places = self.facts.operand(addresses.id, value);
            let places = shifted(self.facts, &places, Shift::by(then));
            if let Some(place) = self.only_place(&places) {
                return Some((LockName::Known(place), Some(places)));
            }
            let key = addresses.trace(self.facts, &self.returned, value, false).and_then(Key::of)?;
            return Some((LockName::Key(Key { at: key.at + then, ..key }), Some(places)));
        }
        matches!(own.root, Root::Parameter(_))
            .then_some((LockName::Key(Key { then: Some(then), ..own }), None))
    }

    /// An access of a callee's, as one of the caller's.
    fn lift(&mut self, at: CallAt<'_>, access: &Access, state: &State, cells: &Cells) -> Option<Access> {
        let CallAt { addresses, call, .. } = at;
        let mut roots = Roots::default();
        let address = match &access.address {
            Address::Places(places) => Address::Places(Rc::clone(places)),
            Address::Parameter(parameter, shift) => {
                let shift = shift.shift();
                let operand = Self::argument(call, *parameter)?;
                let places = self.facts.operand(addresses.id, operand);
                self.budget.weigh(places.len());
                let places = self.accessible(&places, shift);
                if places.is_empty() {
                    return None;
                }
                roots = self.roots(addresses, operand, shift);
                match addresses.trace(self.facts, &self.returned, operand, true) {
                    Some(Traced { root: Root::Parameter(own), shift: way }) => {
                        Address::Parameter(own, way.then(shift).into())
                    }
                    _ => Address::Places(places.into()),
                }
            }
        };
        let mut locks = Vec::new();
        for lock in &access.locks {
            match lock.name {
                LockName::Key(key) => {
                    if let Some((name, _)) = self.lift_key(at, key, cells) {
                        self.seen_from(addresses, roots, Lock { name, ..*lock }, &mut locks);
                    }
                }
                _ => locks.push(*lock),
            }
        }
        let released = self.lift_released(at, &access.released);
        let mut still = state.clone();
        self.release_all(addresses, &released, &mut still);
        for held in &still.held {
            self.seen_from(addresses, roots, held.lock, &mut locks);
        }
        locks.sort_unstable();
        locks.dedup_by_key(|lock| lock.name);
        Some(Access {
            address,
            locks,
            released: joined(&state.released, &released),
            alive: state.alive.then(&access.alive),
            ..access.clone()
        })
    }

    /// Where an address and what lies after a shift come from.
    pub(super) fn roots(&mut self, addresses: &Addresses<'_>, operand: Operand, shift: Shift) -> Roots {
        let exact = addresses.trace(self.facts, &self.returned, operand, false);
        let exact =
            exact.filter(|_| shift.stride == 0).map(|exact| (exact.root, exact.shift.add + shift.add));
        let wide = addresses.trace(self.facts, &self.returned, operand, true).map(|wide| wide.root);
        Roots { exact, wide }
    }

    /// Adds what a lock is to an access: by its name, and by where it is from there.
    pub(super) fn seen_from(
        &mut self,
        addresses: &Addresses<'_>,
        roots: Roots,
        lock: Lock,
        locks: &mut Vec<Lock>,
    ) {
        let LockName::Key(key) = lock.name else {
            locks.push(lock);
            return;
        };
        if matches!(key.root, Root::Parameter(_)) {
            locks.push(lock);
        }
        if key.then.is_some() {
            return;
        }
        if let Some((root, at)) = roots.exact
            && root == key.root
        {
            locks.push(Lock { name: LockName::Distance(key.at - at), ..lock });
        }
        if roots.wide == Some(key.root)
            && let Some(start) = self.start_of(addresses, key.root)
        {
            locks.push(Lock { name: LockName::Instance(start + key.at), ..lock });
        }
    }

    /// How far from the beginning of its object a root always is.
    fn start_of(&mut self, addresses: &Addresses<'_>, root: Root) -> Option<i64> {
        let places = match root {
            Root::Object(_) => return Some(0),
            Root::Parameter(parameter) => self.parameter_places(addresses, parameter, Shift::NONE),
            Root::Register(slot) => self.facts.register(addresses.id, slot).to_vec(),
        };
        let mut offsets = places.iter().map(|place| self.facts.objects.place(*place).offset);
        let first = offsets.next()?;
        (first.stride == 0 && offsets.all(|offset| offset == first)).then_some(first.at)
    }

    /// The one place where a lock is that there is only once.
    pub(super) fn only_place(&self, places: &[PlaceId]) -> Option<PlaceId> {
        let [place] = *places else { return None };
        let Place { object, offset } = self.facts.objects.place(place);
        let is_single = matches!(self.facts.objects.object(object), Object::Global(_));
        (is_single && offset.stride == 0).then_some(place)
    }

    /// Those places that other threads may get to and that are the program's.
    pub(super) fn accessible(&mut self, places: &[PlaceId], shift: Shift) -> Vec<PlaceId> {
        let own: Vec<PlaceId> = places.iter().copied().filter(|place| self.is_accessible(*place)).collect();
        shifted(self.facts, &own, shift)
    }
}

//! The state at a point of a function, and the results collected on the way.

use super::addresses::Root;
use super::alive::Alive;
use super::summary::{Accesses, Held, Key, LockName, Release, Released, Start, common};
use crate::objects::PlaceId;
use std::collections::BTreeSet;
use std::rc::Rc;
use symx_ir::{Operand, Slot};

/// The state at a point of a function, relative to its beginning.
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

/// Values that a function stores into memory and reads again in the same block, by address.
pub(super) type Cells = Vec<((Root, i64), Operand)>;

/// Results of the last pass through a function.
#[derive(Default)]
pub(super) struct Output {
    pub accesses: Accesses,
    pub starts: BTreeSet<Start>,
}

impl State {
    /// Merges with another path's state; whether less holds than before.
    pub(super) fn merge(&mut self, other: &State) -> bool {
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

    pub(super) fn drop_register(&mut self, slot: Slot) {
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

pub(super) fn with(released: &Released, release: Release) -> Released {
    if released.contains(&release) {
        return Rc::clone(released);
    }
    let mut all = BTreeSet::clone(released);
    all.insert(release);
    Rc::new(all)
}

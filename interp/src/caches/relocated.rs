//! Whether two states are the same but for where stack objects lie.
//!
//! Cells are taken in order, so each round of a loop that calls functions has its stack objects elsewhere.
//! What follows does not depend on that. Live stack objects are named by their place in the stacks of the
//! threads. An address within one counts as its name and the distance from its beginning, in registers and in
//! memory. Objects at the end of their lives differ in nothing that matters: what still has their address has
//! it in both.

use crate::caches::sameness::{LiveRegisters, is_same_action, is_same_around};
use crate::environment::Environment;
use crate::machine::Machine;
use crate::memory::{AddressSpace, Life, Object};
use crate::state::State;
use crate::threads::frame::Frame;
use crate::threads::thread::{Action, Activation, ModelFrame, Pending, Thread};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use symx_ir::address::Cell;

/// Bytes of a word that may hold an address.
const WORD: usize = 8;

/// Words of an object that are hashed.
const MOST_HASHED: usize = 64;

/// Live stack objects, named by their place in the stacks of threads.
#[derive(Debug)]
struct StackObjects {
    /// By cell, the name.
    names: FxHashMap<Cell, u32>,
    /// By name, the cell.
    cells: Vec<Cell>,
}

/// A state, with the names of its live stack objects.
#[derive(Debug)]
pub struct Located<E: Environment> {
    /// The state.
    pub state: State<E>,
    stacks: StackObjects,
    /// Cells whose objects are not what they were at the beginning, without those that have a name.
    changed: Vec<Cell>,
}

/// A word: the name of the stack object that it points into, from 1, and the distance from where its cell
/// begins; or 0 and the word. Or [`TERM`] and a term's number.
type Named = (u32, u64);

/// In place of a name: what follows is a term. In a state without inputs its value is indeterminate, and the
/// same term is the same value.
const TERM: u32 = u32::MAX;

impl<E: Environment> Located<E> {
    /// Names the stack objects of a state. `beginning` is what memory was when there was one thread alone.
    pub fn new(state: State<E>, beginning: &AddressSpace) -> Self {
        let stacks = StackObjects::of(&state.threads);
        let mut changed = Vec::new();
        state.memory.for_each_changed(beginning, |cell| {
            let is_gone =
                |space: &AddressSpace| space.get(cell).is_none_or(|object| object.life != Life::Live);
            let is_nothing = is_gone(&state.memory) && is_gone(beginning);
            let is_left_out = is_nothing || stacks.names.contains_key(&cell);
            if !is_left_out && state.memory.get(cell) != beginning.get(cell) {
                changed.push(cell);
            }
        });
        changed.sort_unstable_by_key(|cell| cell.0);
        changed.dedup();
        Self { state, stacks, changed }
    }

    /// Where the threads stand, the registers that matter there, and what memory holds, as a number: states
    /// that are the same but for where stack objects lie have the same.
    pub fn hash(&self, live: &LiveRegisters) -> u64 {
        let mut hasher = FxHasher::default();
        for thread in &self.state.threads {
            (thread.exited, thread.joined, thread.stack.len()).hash(&mut hasher);
            if let Some(pending) = thread.pending.as_deref() {
                pending.span.hash(&mut hasher);
            }
            for activation in &thread.stack {
                match activation {
                    Activation::Program(frame) => {
                        (frame.function, frame.pc).hash(&mut hasher);
                        let registers = self.stacks.registers(frame, live);
                        registers.for_each(|register| register.hash(&mut hasher));
                    }
                    Activation::Model(frame) => frame.phase.hash(&mut hasher),
                }
            }
        }
        let objects =
            self.stacks.cells.iter().chain(&self.changed).filter_map(|cell| self.live_object(*cell));
        objects.for_each(|object| self.hash_object(object, &mut hasher));
        hasher.finish()
    }

    /// Adds what an object holds. Large ones are left to the comparison.
    fn hash_object(&self, object: &Object, hasher: &mut FxHasher) {
        (object.size, object.site).hash(hasher);
        let words = (0..object.size & !(WORD as u64 - 1)).step_by(WORD).take(MOST_HASHED);
        words.filter(|offset| !object.has_symbolic(*offset, WORD as u64)).for_each(|offset| {
            self.stacks.named(word(object, offset, WORD as u64)).hash(hasher);
        });
    }

    /// The object in a cell, unless it is at the end of its life.
    fn live_object(&self, cell: Cell) -> Option<&Object> {
        self.state.memory.get(cell).filter(|object| object.life == Life::Live)
    }

    /// Whether what follows is what follows another state, but for where stack objects lie.
    pub fn leads_on_alike(&self, other: &Self, machine: &Machine<E>, live: &LiveRegisters) -> bool {
        let (one, two) = (&self.state, &other.state);
        one.is_without_inputs()
            && two.is_without_inputs()
            && one.applied == two.applied
            && is_same_around(one, two)
            // The hash leaves this out, so most states that share one differ here.
            && (Arc::ptr_eq(&one.data, &two.data) || machine.environment.leads_on_alike(&one.data, &two.data))
            && self.stacks.cells.len() == other.stacks.cells.len()
            && one
                .threads
                .iter()
                .zip(&two.threads)
                .all(|threads| self.stacks.stand_alike(&other.stacks, threads, live))
            && self
                .stacks
                .cells
                .iter()
                .zip(&other.stacks.cells)
                .all(|(cell, there)| self.is_same_object(other, *cell, *there))
            && self.changed.iter().chain(&other.changed).all(|cell| self.is_same_object(other, *cell, *cell))
    }

    /// Whether what lies in a cell is what lies in a cell of another state.
    fn is_same_object(&self, other: &Self, cell: Cell, there: Cell) -> bool {
        match (self.live_object(cell), other.live_object(there)) {
            (Some(one), Some(two)) => {
                let is_alike = |one: &Object, two: &Object| {
                    (one.size, one.site, one.read_only, one.origin.thread)
                        == (two.size, two.site, two.read_only, two.origin.thread)
                };
                is_alike(one, two) && self.has_same_contents(other, one, two)
            }
            (one, two) => one.is_none() && two.is_none(),
        }
    }

    /// Whether two objects of one size hold the same.
    fn has_same_contents(&self, other: &Self, one: &Object, two: &Object) -> bool {
        one.has_same_marks(two)
            && (0..one.size).step_by(WORD).all(|offset| {
                let length = (one.size - offset).min(WORD as u64);
                if one.has_symbolic(offset, length) {
                    // Bytes without a mark: the others hold the same terms, or nothing in both.
                    let mut plain = (offset..offset + length).filter(|at| !one.has_symbolic(*at, 1));
                    return plain.all(|at| word(one, at, 1) == word(two, at, 1));
                }
                self.stacks.named(word(one, offset, length)) == other.stacks.named(word(two, offset, length))
            })
    }
}

impl StackObjects {
    fn of<E: Environment>(threads: &[Arc<Thread<E>>]) -> Self {
        let mut cells = Vec::new();
        for activation in threads.iter().flat_map(|thread| &thread.stack) {
            if let Activation::Program(frame) = activation {
                cells.extend_from_slice(&frame.allocas);
            }
        }
        Self { names: cells.iter().copied().zip(1..).collect(), cells }
    }

    fn named(&self, word: u64) -> Named {
        match Cell::of(word).and_then(|cell| Some((cell, self.names.get(&cell)?))) {
            Some((cell, name)) => (*name, word.wrapping_sub(cell.base(0))),
            None => (0, word),
        }
    }

    fn named_value(&self, value: Value) -> Named {
        match value {
            Value::Concrete(word) => self.named(word),
            Value::Symbolic(term) => (TERM, term.number().into()),
        }
    }

    /// The registers of a frame that matter.
    fn registers(&self, frame: &Frame, live: &LiveRegisters) -> impl Iterator<Item = Named> {
        live.of(frame).map(|(slot, word)| match frame.is_symbolic(slot) {
            true => (TERM, word),
            false => self.named(word),
        })
    }

    /// Whether two threads stand at the same place, with the same in their registers.
    fn stand_alike<E: Environment>(
        &self,
        other: &Self,
        (one, two): (&Arc<Thread<E>>, &Arc<Thread<E>>),
        live: &LiveRegisters,
    ) -> bool {
        let have_no_stores = one.buffer.is_empty() && two.buffer.is_empty();
        (one.exited, one.joined, one.handler) == (two.exited, two.joined, two.handler)
            && one.has_same_identity(two)
            && (have_no_stores || one.stores_issued == two.stores_issued && one.buffer == two.buffer)
            && one.stack.len() == two.stack.len()
            && self.is_same_pending(other, one.pending.as_deref(), two.pending.as_deref())
            && one.stack.iter().zip(&two.stack).all(|activations| match activations {
                (Activation::Program(one), Activation::Program(two)) => {
                    self.is_same_frame(other, one, two, live)
                }
                (Activation::Model(one), Activation::Model(two)) => self.is_same_call(other, one, two),
                _ => false,
            })
    }

    fn is_same_frame(&self, other: &Self, one: &Frame, two: &Frame, live: &LiveRegisters) -> bool {
        let rare = |frame: &Frame| {
            let rare = frame.rare();
            (rare.back_edges.clone(), rare.progress, rare.held)
        };
        (one.function, one.pc, one.allocas.len()) == (two.function, two.pc, two.allocas.len())
            && self.named(one.rare().variadic) == other.named(two.rare().variadic)
            && rare(one) == rare(two)
            && self.registers(one, live).eq(other.registers(two, live))
    }

    fn is_same_call<E: Environment>(&self, other: &Self, one: &ModelFrame<E>, two: &ModelFrame<E>) -> bool {
        let are_same = |one: &[Value], two: &[Value]| {
            one.len() == two.len()
                && one.iter().zip(two).all(|(one, two)| self.named_value(*one) == other.named_value(*two))
        };
        std::ptr::fn_addr_eq(one.model, two.model)
            && std::ptr::eq(one.function, two.function)
            && (one.phase, one.span, one.invoked) == (two.phase, two.span, two.invoked)
            && are_same(&one.arguments, &two.arguments)
            && one.scratch.len() == two.scratch.len()
            && one.scratch.iter().zip(&two.scratch).all(|(one, two)| self.named(*one) == other.named(*two))
            && one.interrupted.is_none()
            && two.interrupted.is_none()
            && one.performing.is_none()
            && two.performing.is_none()
    }

    fn is_same_pending<E: Environment>(
        &self,
        other: &Self,
        one: Option<&Pending<E>>,
        two: Option<&Pending<E>>,
    ) -> bool {
        use Action::{Load, ReadModifyWrite, Store};
        let (one, two) = match (one, two) {
            (Some(one), Some(two)) if one.span == two.span => (one, two),
            (None, None) => return true,
            _ => return false,
        };
        match (&one.action, &two.action) {
            (Load { address, length, ordering }, Load { address: a, length: l, ordering: o })
            | (Store { address, length, ordering }, Store { address: a, length: l, ordering: o })
            | (
                ReadModifyWrite { address, length, ordering },
                ReadModifyWrite { address: a, length: l, ordering: o },
            ) => (self.named(*address), length, ordering) == (other.named(*a), l, o),
            (one, two) => is_same_action(one, two),
        }
    }
}

/// Whether a thread stands where it stood, but for where its stack objects lie and what they hold.
pub fn stands_where_it_stood<E: Environment>(
    earlier: &Arc<Thread<E>>,
    now: &Arc<Thread<E>>,
    live: &LiveRegisters,
) -> bool {
    let objects = |thread| StackObjects::of(std::slice::from_ref(thread));
    earlier.stack.len() == now.stack.len()
        && objects(earlier).stand_alike(&objects(now), (earlier, now), live)
}

/// At most a word of an object.
fn word(object: &Object, offset: u64, length: u64) -> u64 {
    let mut bytes = [0; WORD];
    object.copy_out(offset, &mut bytes[..length as usize]);
    u64::from_le_bytes(bytes)
}

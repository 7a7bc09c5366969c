//! Whether two states, or parts of them, are the same: whether what follows is.
//!
//! States of one exploration share most of what they are, and what they share is the same at a glance. Where
//! it would take long to find out they count as different.

use crate::caches::places::without_pacing;
use crate::environment::Environment;
use crate::machine::Machine;
use crate::state::State;
use crate::threads::frame::Frame;
use crate::threads::thread::{Action, Activation, Interrupted, Operation, Pending, Thread};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symx_ir::FunctionId;
use symx_ir::address::Cell;
use symx_ir::live::live_registers_without_jumps;

/// Registers that matter at places in functions whose calls do not jump back into them.
#[derive(Debug, Default)]
pub struct LiveRegisters {
    /// By place, then by slot.
    places: FxHashMap<(FunctionId, u32), Box<[bool]>>,
    /// Whether those that only [pace](symx_ir::loops::pacing) a loop are left out.
    without_pacing: bool,
}

impl LiveRegisters {
    /// As those there are by default, without registers that only [pace](symx_ir::loops::pacing) a loop:
    /// whatever they hold, the thread does the same.
    pub fn without_pacing() -> Self {
        Self { without_pacing: true, ..Self::default() }
    }

    /// Finds out what matters in the calls of a thread.
    pub fn learn<E: Environment>(&mut self, machine: &Machine<E>, thread: &Thread<E>) {
        for activation in &thread.stack {
            if let Activation::Program(frame) = activation {
                let (function, pc) = (frame.function, frame.pc);
                self.places.entry((function, pc)).or_insert_with(|| {
                    let read = live_registers_without_jumps(machine.program.function(function), pc);
                    match self.without_pacing {
                        true => without_pacing(machine, function, pc, read),
                        false => read.into(),
                    }
                });
            }
        }
    }

    /// Those of a frame that matter, with their numbers.
    pub fn of<'f>(&self, frame: &'f Frame) -> impl Iterator<Item = (usize, u64)> + use<'f, '_> {
        let live = self.places.get(&(frame.function, frame.pc));
        let registers = frame.registers().iter().copied().enumerate();
        registers.filter(move |(slot, _)| live.is_none_or(|live| live[*slot]))
    }
}

impl<E: Environment> Machine<E> {
    /// Whether what follows two states is the same, if the contents of the objects in the cells
    /// `except` do not matter.
    pub(crate) fn is_same_state(
        &self,
        one: &State<E>,
        other: &State<E>,
        live: &LiveRegisters,
        except: &[Cell],
    ) -> bool {
        let is_same_frame = |one: &Frame, other: &Frame| is_same_frame(one, other, live);
        one.has_same_past(other)
            && is_same_around(one, other)
            && one.threads.iter().zip(&other.threads).all(|(one, other)| {
                Arc::ptr_eq(one, other)
                    || one.exited && is_same_thread(one, other)
                    || !one.exited && is_same_but(one, other, is_same_frame)
            })
            && one.memory.is_same(&other.memory, except)
            && (Arc::ptr_eq(&one.data, &other.data) || self.environment.is_same(&one.data, &other.data))
    }
}

/// Whether two states are the same but for threads, memory and bookkeeping. Those with a history of accesses
/// or several processes count as different.
pub(crate) fn is_same_around<E: Environment>(one: &State<E>, other: &State<E>) -> bool {
    let has_more = |state: &State<E>| state.order.is_some() || state.processes.is_some();
    (one.unjoined, one.alternative, &one.end) == (other.unjoined, other.alternative, &other.end)
        && !has_more(one)
        && !has_more(other)
        && one.threads.len() == other.threads.len()
}

/// Whether nothing distinguishes two threads.
pub fn is_same_thread<E: Environment>(one: &Thread<E>, other: &Thread<E>) -> bool {
    is_same_but(one, other, Frame::equals)
}

/// Whether two threads that have not ended go on in the same way from the same state. Nothing leads
/// back into a call.
pub fn goes_on_alike<E: Environment>(one: &Thread<E>, other: &Thread<E>, live: &LiveRegisters) -> bool {
    is_same_but(one, other, |one, other| is_same_frame(one, other, live))
}

fn is_same_frame(one: &Frame, other: &Frame, live: &LiveRegisters) -> bool {
    one.equals_but_registers(other) && one.is_concrete() && live.of(one).eq(live.of(other))
}

/// As [`is_same_thread`], as far as frames are that.
fn is_same_but<E: Environment>(
    one: &Thread<E>,
    other: &Thread<E>,
    is_same_frame: impl Fn(&Frame, &Frame) -> bool,
) -> bool {
    is_same_pending(one.pending.as_deref(), other.pending.as_deref())
        && one.has_same_identity(other)
        && (one.exited, one.joined, one.stores_issued, one.instructions)
            == (other.exited, other.joined, other.stores_issued, other.instructions)
        && one.buffer == other.buffer
        && one.stack.len() == other.stack.len()
        && one
            .stack
            .iter()
            .zip(&other.stack)
            .all(|(one, other)| is_same_activation(one, other, &is_same_frame))
}

fn is_same_pending<E: Environment>(one: Option<&Pending<E>>, other: Option<&Pending<E>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.span == other.span && is_same_action(&one.action, &other.action),
        (None, None) => true,
        _ => false,
    }
}

/// Whether two interruptions put the same off.
fn is_same_interruption<E: Environment>(
    one: Option<&Interrupted<E>>,
    other: Option<&Interrupted<E>>,
) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_same_pending(one.pending.as_deref(), other.pending.as_deref()),
        (None, None) => true,
        _ => false,
    }
}

/// Whether two threads are about to do the same.
pub(crate) fn is_same_action<E: Environment>(one: &Action<E>, other: &Action<E>) -> bool {
    use Action::{Fail, Fence, Load, Model, Never, ReadModifyWrite, Return, Store};
    match (one, other) {
        (Load { address, length, ordering }, Load { address: a, length: l, ordering: o })
        | (Store { address, length, ordering }, Store { address: a, length: l, ordering: o })
        | (
            ReadModifyWrite { address, length, ordering },
            ReadModifyWrite { address: a, length: l, ordering: o },
        ) => (address, length, ordering) == (a, l, o),
        (Fence(one), Fence(other)) => one == other,
        (Return(one), Return(other)) => one == other,
        (Fail(one), Fail(other)) => one == other,
        (Never, Never) => true,
        (Model(one), Model(other)) => {
            let Operation { footprint, wait, drain, alternatives, writes_at_most, is_atomic } = one;
            (footprint, wait, drain) == (&other.footprint, &other.wait, &other.drain)
                && (alternatives, writes_at_most, is_atomic)
                    == (&other.alternatives, &other.writes_at_most, &other.is_atomic)
        }
        _ => false,
    }
}

fn is_same_activation<E: Environment>(
    one: &Activation<E>,
    other: &Activation<E>,
    is_same_frame: &impl Fn(&Frame, &Frame) -> bool,
) -> bool {
    match (one, other) {
        (Activation::Program(one), Activation::Program(other)) => {
            Arc::ptr_eq(one, other) || is_same_frame(one, other)
        }
        (Activation::Model(one), Activation::Model(other)) => {
            Arc::ptr_eq(one, other)
                || std::ptr::fn_addr_eq(one.model, other.model)
                    && std::ptr::eq(one.function, other.function)
                    && one.arguments == other.arguments
                    && one.phase == other.phase
                    && one.scratch == other.scratch
                    && one.invoked == other.invoked
                    && one.span == other.span
                    && is_same_interruption(one.interrupted.as_ref(), other.interrupted.as_ref())
        }
        _ => false,
    }
}

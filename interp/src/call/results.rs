//! Whether a program distinguishes two results of a call, as far as that shows at the next few instructions.
//!
//! These may compute with the result and branch on it. Both ways may come to the same place, with the same in
//! all registers that matter there, and nothing else done on the way. Then whatever follows is the same.

use crate::caches::places::{Live, is_live};
use crate::environment::Call;
use crate::environment::Environment;
use crate::machine::Machine;
use crate::threads::thread::Activation;
use crate::words::integers;
use smallvec::SmallVec;
use symx_ir::instruction::{Operand, Slot};
use symx_ir::program::LinkedFunction;
use symx_ir::{FunctionId, Inst};

/// How many instructions are followed.
const MOST: usize = 32;

/// The content of a register: a number, or what some register held when the call returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    Number(u64),
    Register(Slot),
}

/// Where control is, and the registers that have changed since the call returned.
#[derive(Clone, Debug)]
struct Place {
    pc: u32,
    changed: SmallVec<[(Slot, Held); 4]>,
}

impl Place {
    fn held(&self, slot: Slot) -> Held {
        let changed = self.changed.iter().find(|(other, _)| *other == slot);
        changed.map_or(Held::Register(slot), |(_, held)| *held)
    }

    fn read(&self, function: &LinkedFunction, operand: Operand) -> Held {
        match operand.is_constant() {
            true => Held::Number(function.constants[operand.index()]),
            false => self.held(operand.index() as Slot),
        }
    }

    fn number(&self, function: &LinkedFunction, operand: Operand) -> Option<u64> {
        match self.read(function, operand) {
            Held::Number(number) => Some(number),
            Held::Register(_) => None,
        }
    }

    fn set(&mut self, slot: Slot, held: Held) {
        self.changed.retain(|(other, _)| *other != slot);
        self.changed.push((slot, held));
    }

    fn take(&mut self, function: &LinkedFunction, edge: u32) {
        let edge = function.edges[edge as usize];
        let first = edge.first_move as usize;
        for step in &function.moves[first..first + edge.move_count as usize] {
            let held = self.read(function, step.src);
            self.set(step.dst, held);
        }
        self.pc = edge.target;
    }

    /// Executes the next instruction, if what it does is known and no other thread can observe it.
    fn go_on(&mut self, function: &LinkedFunction) -> Option<()> {
        let number = |operand| self.number(function, operand);
        let (dst, value) = match function.code[self.pc as usize] {
            Inst::Binary { op, bits, flags, dst, a, b } => {
                let (a, b) = (number(a)?, number(b)?);
                if integers::poison(op, bits, flags, a, b).is_some() {
                    return None;
                }
                (dst, integers::binary(op, bits, a, b)?)
            }
            Inst::Compare { predicate, bits, dst, a, b } => {
                (dst, u64::from(integers::compare(predicate, bits, number(a)?, number(b)?)))
            }
            Inst::Cast { op, from, to, dst, src } => (dst, integers::cast(op, from, to, number(src)?)),
            Inst::Jump { edge } => {
                self.take(function, edge);
                return Some(());
            }
            Inst::Branch { cond, edges } => {
                let edge = if number(cond)? == 1 { edges } else { edges + 1 };
                self.take(function, edge);
                return Some(());
            }
            Inst::CompareBranch { predicate, bits, a, b, edges } => {
                let holds = integers::compare(predicate, bits, number(a)?, number(b)?);
                self.take(function, if holds { edges } else { edges + 1 });
                return Some(());
            }
            Inst::Switch { value, index } => {
                let edge = function.switches[index as usize].edge(number(value)?);
                self.take(function, edge);
                return Some(());
            }
            _ => return None,
        };
        self.set(dst, Held::Number(value));
        self.pc += 1;
        Some(())
    }
}

/// Where control comes to after the call at `pc`, if `slot` holds `result`.
fn places(function: &LinkedFunction, pc: u32, slot: Slot, result: u64) -> SmallVec<[Place; 8]> {
    let mut changed = SmallVec::new();
    changed.push((slot, Held::Number(result)));
    let mut place = Place { pc: pc + 1, changed };
    let mut places = SmallVec::new();
    for _ in 0..MOST {
        places.push(place.clone());
        if place.go_on(function).is_none() {
            break;
        }
    }
    places
}

/// Whether control is at the same place, with the same in all registers that matter there.
fn is_same<E: Environment>(
    machine: &Machine<E>,
    live: &mut Live,
    id: FunctionId,
    one: &Place,
    other: &Place,
) -> bool {
    let slots = one.changed.iter().chain(&other.changed).map(|(slot, _)| *slot);
    one.pc == other.pc
        && slots
            .filter(|slot| one.held(*slot) != other.held(*slot))
            .all(|slot| !is_live(machine, live, id, one.pc, slot))
}

impl<E: Environment> Call<'_, '_, E> {
    /// Whether the program may do something else with one result of this call than with another.
    pub fn distinguishes_results(&mut self, one: u64, other: u64) -> bool {
        if !self.is_result_used() {
            return false;
        }
        let caller = self.state.thread(self.thread).stack.last();
        let Some(Activation::Program(frame)) = caller else { return true };
        let machine = self.executor.machine;
        let (id, pc) = (frame.function, frame.pc);
        let function = machine.program.function(id);
        let Inst::Call { site } = function.code[pc as usize] else { return true };
        let site = &function.calls[site as usize];
        if site.invoke.is_some() || site.return_slots != 1 {
            return true;
        }
        let [one, other] = [one, other].map(|result| places(function, pc, site.dst, result));
        let live = &mut self.executor.caches.live;
        !one.iter().any(|one| other.iter().any(|other| is_same(machine, live, id, one, other)))
    }
}

//! Where the addresses of a function come from, and at which distance: a parameter, an object, or a register
//! of which nothing more is known.

use crate::objects::{Object, ObjectId, PlaceId};
use crate::offsets::Shift;
use crate::points_to::{PointsTo, index_shift, number};
use rustc_hash::{FxHashMap, FxHashSet};
use symx_ir::instruction::{BinaryOp, CastOp, Predicate};
use symx_ir::program::LinkedFunction;
use symx_ir::registers::written;
use symx_ir::{CallTarget, FunctionId, Inst, Operand, Slot};

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Root {
    /// The value of a parameter, by number.
    Parameter(u32),
    /// The beginning of an object.
    Object(ObjectId),
    /// The value of a register.
    Register(Slot),
}

/// A root and the way from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Traced {
    pub root: Root,
    pub shift: Shift,
}

/// The constant result of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returned {
    Number(u64),
    Parameter(u32, i64),
}

/// The constant results of the functions analysed so far.
pub(crate) type AllReturned = FxHashMap<FunctionId, Returned>;

/// The writers of a function's registers.
pub(crate) struct Addresses<'f> {
    pub id: FunctionId,
    pub function: &'f LinkedFunction,
    definitions: FxHashMap<Slot, u32>,
    moved: FxHashSet<Slot>,
}

impl<'f> Addresses<'f> {
    pub fn of(id: FunctionId, function: &'f LinkedFunction) -> Self {
        let mut definitions = FxHashMap::default();
        for (inst, pc) in function.code.iter().zip(0..) {
            for slot in written(function, inst) {
                definitions.insert(slot, pc);
            }
        }
        let moved = function.moves.iter().map(|step| step.dst).collect();
        Self { id, function, definitions, moved }
    }

    /// The instruction that writes a register, if it is one alone.
    pub fn definition(&self, slot: Slot) -> Option<u32> {
        if self.moved.contains(&slot) { None } else { self.definitions.get(&slot).copied() }
    }

    /// The registers that an instruction writes.
    pub fn written(&self, pc: u32) -> impl Iterator<Item = Slot> {
        written(self.function, &self.function.code[pc as usize])
    }

    /// Where an address comes from, over fixed distances alone; through variable indices as well if
    /// `is_wide`. `None` if it is no address, or nothing is known to write it.
    pub fn trace(
        &self,
        facts: &mut PointsTo<'_>,
        returned: &AllReturned,
        operand: Operand,
        is_wide: bool,
    ) -> Option<Traced> {
        let mut shift = Shift::NONE;
        let mut operand = operand;
        loop {
            if operand.is_constant() {
                let place = facts.objects.pointee(*self.function.constants.get(operand.index())?)?;
                let place = facts.objects.place(place);
                let shift = Shift::by(place.offset.at).then(shift);
                return Some(Traced { root: Root::Object(place.object), shift });
            }
            let slot = operand.index() as Slot;
            if let Some(parameter) = self.function.params.iter().position(|param| param.slot == slot) {
                return Some(Traced { root: Root::Parameter(parameter as u32), shift });
            }
            let Some(pc) = self.definition(slot) else {
                let known = self.moved.contains(&slot);
                return known.then_some(Traced { root: Root::Register(slot), shift });
            };
            let here = Some(Traced { root: Root::Register(slot), shift });
            match self.function.code[pc as usize] {
                Inst::PointerIndex { base, index, index_bits, scale, .. } => {
                    let step = index_shift(self.function, index, index_bits, scale);
                    if step.stride != 0 && !is_wide {
                        return here;
                    }
                    (operand, shift) = (base, step.then(shift));
                }
                Inst::Copy { src, count: 1, .. } => operand = src,
                Inst::Binary { op: BinaryOp::Add, bits: 64, a, b, .. } => {
                    let Some(by) = number(self.function, b) else { return here };
                    (operand, shift) = (a, Shift::by(by as i64).then(shift));
                }
                Inst::Alloca { site, .. } => {
                    let object = facts.objects.id(Object::Stack(self.id, site));
                    return Some(Traced { root: Root::Object(object), shift });
                }
                Inst::Call { site } => {
                    let call = &self.function.calls[site as usize];
                    let CallTarget::Function(callee) = call.target else { return here };
                    let Some(Returned::Parameter(parameter, by)) = returned.get(&callee) else { return here };
                    let Some(argument) = call.arguments.get(*parameter as usize) else { return here };
                    (operand, shift) = (argument.operand, Shift::by(*by).then(shift));
                }
                _ => return here,
            }
        }
    }

    /// The load that a register comes from, as the address that it reads.
    pub fn loaded_from(&self, slot: Slot) -> Option<Operand> {
        match self.function.code[self.definition(slot)? as usize] {
            Inst::Load { bits: 64, address, .. } => Some(address),
            _ => None,
        }
    }

    /// The number that an operand always is.
    pub fn constant(&self, returned: &AllReturned, operand: Operand) -> Option<u64> {
        if operand.is_constant() {
            return number(self.function, operand);
        }
        match self.function.code[self.definition(operand.index() as Slot)? as usize] {
            Inst::Call { site } => match self.function.calls[site as usize].target {
                CallTarget::Function(callee) => match returned.get(&callee)? {
                    Returned::Number(number) => Some(*number),
                    Returned::Parameter(..) => None,
                },
                _ => None,
            },
            Inst::Cast { op: CastOp::ZExt, src, .. } => self.constant(returned, src),
            Inst::Cast { op: CastOp::Trunc, to, src, .. } if to < 64 => {
                Some(self.constant(returned, src)? & ((1 << to) - 1))
            }
            Inst::Compare { predicate, a, b, .. } => {
                let [a, b] = [a, b].map(|operand| self.constant(returned, operand));
                compared(predicate, a?, b?).map(u64::from)
            }
            _ => None,
        }
    }

    /// Which of the two edges of a branch is always taken.
    pub fn only_edge(&self, returned: &AllReturned, inst: &Inst) -> Option<u32> {
        match *inst {
            Inst::Branch { cond, edges } => {
                Some(if self.constant(returned, cond)? & 1 == 1 { edges } else { edges + 1 })
            }
            Inst::CompareBranch { predicate, a, b, edges, .. } => {
                let [a, b] = [a, b].map(|operand| self.constant(returned, operand));
                Some(if compared(predicate, a?, b?)? { edges } else { edges + 1 })
            }
            _ => None,
        }
    }

    /// The function's constant result.
    pub fn returned(&self, facts: &mut PointsTo<'_>, returned: &AllReturned) -> Option<Returned> {
        if self.function.return_slots != 1 {
            return None;
        }
        let mut all: Option<Returned> = None;
        for inst in &self.function.code {
            let Inst::Return { value } = *inst else { continue };
            let this = match self.constant(returned, value) {
                Some(number) => Returned::Number(number),
                None => match self.trace(facts, returned, value, false)? {
                    Traced { root: Root::Parameter(parameter), shift } => {
                        Returned::Parameter(parameter, shift.add)
                    }
                    _ => return None,
                },
            };
            if all.is_some_and(|all| all != this) {
                return None;
            }
            all = Some(this);
        }
        all
    }
}

fn compared(predicate: Predicate, a: u64, b: u64) -> Option<bool> {
    match predicate {
        Predicate::Eq => Some(a == b),
        Predicate::Ne => Some(a != b),
        _ => None,
    }
}

/// Places after a shift, each once, ascending.
pub(crate) fn shifted(facts: &mut PointsTo<'_>, places: &[PlaceId], shift: Shift) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = places.iter().map(|place| facts.objects.shifted(*place, shift)).collect();
    places.sort_unstable();
    places.dedup();
    places
}

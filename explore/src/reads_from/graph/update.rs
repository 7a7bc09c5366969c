//! The results of a pending atomic update, for any value it may find.

use std::sync::Arc;
use symx_interp::caches::places::{comparisons_of, is_live};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::step::combine;
use symx_interp::threads::frame::Frame;
use symx_interp::threads::thread::Activation;
use symx_ir::Operand;
use symx_ir::instruction::{Extended, Inst, RmwOp};
use symx_ir::program::LinkedFunction;
use symx_ir::registers::comparisons::Comparison;
use symx_trace::ThreadId;

/// An atomic update with concrete operands.
#[derive(Clone, Copy, Debug)]
pub(in crate::reads_from) enum Update {
    /// `atomicrmw`.
    Combine { op: RmwOp, bits: u8, operand: u64 },
    /// `cmpxchg`.
    Exchange { expected: u64, replacement: u64 },
}

/// Updates that commute with those of their kind, if no event reads what was there but for
/// [comparisons](Event::asked) that come out alike.
///
/// [`Event::asked`]: crate::reads_from::graph::event::Event::asked
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reads_from) enum Commuting {
    /// Additions and subtractions.
    Sum,
    /// The same operation.
    Same(RmwOp),
}

impl Commuting {
    fn of(op: RmwOp) -> Option<Self> {
        use RmwOp::{Add, And, Max, Min, Or, Sub, UMax, UMin, Xor};
        match op {
            Add | Sub => Some(Self::Sum),
            And | Or | Xor | Max | Min | UMax | UMin => Some(Self::Same(op)),
            _ => None,
        }
    }
}

/// With what an update commutes, and the comparisons in which what it finds is used, if it is used at all.
pub(in crate::reads_from) type Commutes = (Commuting, Option<Arc<[Comparison]>>);

/// With what the update that `thread` is about to make commutes, if nothing will ever use what it finds in
/// any other way than in comparisons with constants.
pub(in crate::reads_from) fn pending_commuting<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
) -> Option<Commutes> {
    let Activation::Program(frame) = state.thread(thread).stack.last()? else { return None };
    let program = &executor.machine.program;
    let function = program.function(frame.function);
    let Inst::Extended { index } = function.code.get(frame.pc as usize)? else { return None };
    let Extended::AtomicRmw { op, bits, dst, .. } = function.extended[*index as usize] else { return None };
    let commuting = Commuting::of(op).filter(|_| bits <= 64)?;
    let is_used = is_live(executor.machine, &mut executor.caches.live, frame.function, frame.pc + 1, dst);
    if !is_used {
        return Some((commuting, None));
    }
    let known = &mut executor.caches.comparisons;
    let asked = comparisons_of(executor.machine, known, (frame.function, frame.pc), (dst, bits))?;
    (commuting == Commuting::Sum).then_some((commuting, Some(asked)))
}

impl Update {
    /// What it adds to any number, with its sign; `None` if it does something else.
    pub fn added(self) -> Option<i64> {
        let Self::Combine { op, bits, operand } = self else { return None };
        let unused = 64 - u32::from(bits);
        let operand = (operand << unused) as i64 >> unused;
        match op {
            RmwOp::Add => Some(operand),
            RmwOp::Sub => operand.checked_neg(),
            _ => None,
        }
    }

    /// The result of the update where `old` was. If that is `old`, its write is unobservable.
    pub fn result(self, old: u64) -> u64 {
        match self {
            Self::Combine { op, bits, operand } => combine(op, bits, old, operand),
            Self::Exchange { expected, replacement } => {
                if old == expected {
                    replacement
                } else {
                    old
                }
            }
        }
    }
}

/// The update that `thread` is about to make. `None` if it is of more than 64 bits or has symbolic operands.
pub(in crate::reads_from) fn pending_update<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
) -> Option<Update> {
    let Activation::Program(frame) = state.thread(thread).stack.last()? else { return None };
    let function = executor.machine.program.function(frame.function);
    let Inst::Extended { index } = function.code.get(frame.pc as usize)? else { return None };
    match function.extended[*index as usize] {
        Extended::AtomicRmw { op, bits, value, .. } if bits <= 64 => {
            Some(Update::Combine { op, bits, operand: word(frame, function, value)? })
        }
        Extended::CompareExchange { bits, expected, replacement, .. } if bits <= 64 => {
            Some(Update::Exchange {
                expected: word(frame, function, expected)?,
                replacement: word(frame, function, replacement)?,
            })
        }
        _ => None,
    }
}

fn word(frame: &Frame, function: &LinkedFunction, operand: Operand) -> Option<u64> {
    if operand.is_constant() {
        return Some(function.constants[operand.index()]);
    }
    (!frame.is_symbolic(operand.index())).then(|| frame.slots[operand.index()])
}

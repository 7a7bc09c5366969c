//! From a linked function to its prepared code.

use super::integers::{cast, mask, signed};
use super::op::{Code, Op};
use super::plain_call::PlainCall;
use symx_ir::function::{Edge, Move};
use symx_ir::instruction::{BinaryOp, CastOp, Inst, Predicate, flags};
use symx_ir::program::LinkedFunction;
use symx_ir::{Operand, Program, Slot};

/// A function's prepared code. It starts with one operation for each instruction of the function, at the same
/// position; the moves of control-flow edges follow.
///
/// All registers in it are below `slots` of the function, and all positions lie in `ops`. Every operation
/// that does not go elsewhere has a next one.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) ops: Box<[Op]>,
    /// Where each edge begins; [`NOWHERE`] if only the general loop can go along it.
    pub(crate) edges: Box<[u16]>,
    /// The call sites that are plain calls.
    pub(crate) calls: Box<[Option<PlainCall>]>,
}

/// No position in the code.
const NOWHERE: u16 = u16::MAX;

impl Prepared {
    /// Prepares `function`; `None` if it is too large. If it is `observed`, the general loop goes along all
    /// its edges and makes all its calls.
    pub fn new(program: &Program, function: &LinkedFunction, observed: bool) -> Option<Self> {
        let length = function.code.len();
        if function.slots >= u32::from(NOWHERE) || length >= usize::from(NOWHERE) {
            return None;
        }
        let mut preparation = Preparation { function, tail: Vec::new(), edges: Vec::new() };
        // Between the function's code and the edges: what runs off the end is for the general loop to judge.
        preparation.tail.push(Op::GENERAL);
        for edge in &function.edges {
            let entry = if observed { None } else { preparation.edge(edge) };
            preparation.edges.push(entry.unwrap_or(NOWHERE));
        }
        let mut ops: Vec<Op> =
            function.code.iter().map(|inst| preparation.op(inst).unwrap_or(Op::GENERAL)).collect();
        for index in 1..ops.len() {
            if let Some(fused) = fused(&ops[index - 1], &ops[index]) {
                ops[index - 1].code = fused;
            }
        }
        ops.append(&mut preparation.tail);
        let call = |site| if observed { None } else { PlainCall::new(program, site) };
        let calls = function.calls.iter().map(call).collect();
        Some(Self { ops: ops.into(), edges: preparation.edges.into(), calls })
    }
}

/// Where an operand comes from, resolved.
#[derive(Clone, Copy)]
enum Source {
    Register(u16),
    Constant(u64),
}
use Source::{Constant, Register};

struct Preparation<'f> {
    function: &'f LinkedFunction,
    /// Operations after the function's code.
    tail: Vec<Op>,
    edges: Vec<u16>,
}

impl Preparation<'_> {
    fn register(&self, slot: Slot) -> Option<u16> {
        if slot < self.function.slots { u16::try_from(slot).ok() } else { None }
    }

    fn source(&self, operand: Operand) -> Option<Source> {
        if operand.is_constant() {
            self.function.constants.get(operand.index()).copied().map(Constant)
        } else {
            self.register(operand.index() as u32).map(Register)
        }
    }

    /// Whether an instruction's operands exist, for operations that look at the instruction itself.
    fn exist(&self, dst: Slot, operands: &[Operand]) -> Option<()> {
        self.register(dst)?;
        operands.iter().try_for_each(|operand| self.source(*operand).map(drop))
    }

    /// Appends the moves of an edge; where the edge begins.
    fn edge(&mut self, edge: &Edge) -> Option<u16> {
        let target =
            u16::try_from(edge.target).ok().filter(|at| usize::from(*at) < self.function.code.len())?;
        let moves = self.function.moves.get(edge.first_move as usize..)?.get(..edge.move_count as usize)?;
        if moves.is_empty() {
            return Some(target);
        }
        let start = self.function.code.len() + self.tail.len();
        let resolve = |step: &Move| Some((self.register(step.dst)?, self.source(step.src)?));
        let moves: Vec<(u16, Source)> = moves.iter().map(resolve).collect::<Option<_>>()?;
        let last: Vec<(u16, u16)> = (moves.iter().rev().take(3))
            .map_while(|step| match step.1 {
                Register(src) => Some((step.0, src)),
                Constant(_) => None,
            })
            .collect();
        let head = moves.len() - last.len().max(1);
        let end = start + head;
        // The moves are no instructions: what they seem to add to the count, their end takes off.
        let small = i8::try_from(head).ok()?.wrapping_neg() as u8;
        if end >= usize::from(NOWHERE) {
            return None;
        }
        self.tail.extend(moves[..head].iter().map(|&(dst, src)| copy(dst, src)));
        let pair = |(dst, src): (u16, u16)| u64::from(dst) | u64::from(src) << 16;
        let goto = |code, (dst, a), wide| Op { code, small, dst, a, b: target, wide };
        self.tail.push(match (&last[..], moves[head]) {
            (&[third, second, first], _) => goto(Code::Move3Goto, first, pair(second) | pair(third) << 32),
            (&[second, first], _) => goto(Code::Move2Goto, first, pair(second)),
            (_, (dst, Register(src))) => goto(Code::MoveGoto, (dst, src), 0),
            (_, (dst, Constant(value))) => goto(Code::MoveGotoC, (dst, 0), value),
        });
        Some(start as u16)
    }

    fn target(&self, edge: u32) -> Option<u16> {
        self.edges.get(edge as usize).copied().filter(|entry| *entry != NOWHERE)
    }

    /// The operation that executes `inst`; `None` for the general loop.
    fn op(&self, inst: &Inst) -> Option<Op> {
        match *inst {
            Inst::Binary { op, bits, flags, dst, a, b } => self.binary(op, bits, flags, dst, [a, b]),
            Inst::Compare { predicate, bits, dst, a, b } => {
                self.exist(dst, &[a, b])?;
                let general = Op { code: Code::Compare, ..Op::GENERAL };
                let Some(compared) = self.comparison(predicate, a, b) else { return Some(general) };
                let Some(code) = compared.value_code(bits) else { return Some(general) };
                let (b, wide) = match compared.b {
                    Register(b) => (b, 0),
                    Constant(value) => (0, value),
                };
                Some(Op { code, small: compared.inverted.into(), dst: dst as u16, a: compared.a, b, wide })
            }
            Inst::Cast { op, from, to, dst, src } => {
                let dst = self.register(dst)?;
                Some(match (self.source(src)?, op) {
                    (Constant(value), _) => copy(dst, Constant(cast(op, from, to, value))),
                    (Register(a), CastOp::SExt) => sign_shift(dst, a, from, 0, to),
                    (Register(a), _) => Op { code: Code::AndC, dst, a, wide: mask(to), ..Op::GENERAL },
                })
            }
            Inst::PointerIndex { index_bits, scale, dst, base, index } => {
                let dst = self.register(dst)?;
                let (narrow, whole) = (index_bits == 32, index_bits == 64);
                Some(match (self.source(base)?, self.source(index)?) {
                    (Register(a), Constant(index)) => {
                        let wide = (signed(index, index_bits) as u64).wrapping_mul(scale.into());
                        Op { code: Code::Add64C, dst, a, wide, ..Op::GENERAL }
                    }
                    (Register(b), Register(a)) if narrow || whole => {
                        let code = if whole { Code::Index } else { Code::Index32 };
                        Op { code, small: 0, dst, a, b, wide: scale.into() }
                    }
                    (Constant(wide), Register(a)) if narrow || whole => {
                        let code = if whole { Code::IndexC } else { Code::Index32C };
                        Op { code, small: 0, dst, a, b: scale, wide }
                    }
                    _ => return None,
                })
            }
            Inst::Select { dst, cond, a, b } => {
                self.exist(dst, &[cond, a, b])?;
                Some(Op { code: Code::Select, ..Op::GENERAL })
            }
            Inst::Copy { dst, src, count: 1 } => Some(copy(self.register(dst)?, self.source(src)?)),
            Inst::Load { bits, align_log2, dst, address, .. } => {
                let small = alignment(align_log2)?;
                let dst = self.register(dst)?;
                Some(match self.source(address)? {
                    Register(a) => Op { code: load_code(bits)?.0, small, dst, a, b: 0, wide: 0 },
                    Constant(wide) if wide & u64::from(small) == 0 => {
                        Op { code: load_code(bits)?.1, small, dst, a: 0, b: 0, wide }
                    }
                    Constant(_) => return None,
                })
            }
            Inst::Store { bits, align_log2, address, value, .. } => {
                let small = alignment(align_log2)?;
                let [registers, constant_value, constant_address] = store_codes(bits)?;
                Some(match (self.source(address)?, self.source(value)?) {
                    (Register(a), Register(b)) => Op { code: registers, small, dst: 0, a, b, wide: 0 },
                    (Register(a), Constant(wide)) => {
                        Op { code: constant_value, small, dst: 0, a, b: 0, wide }
                    }
                    (Constant(wide), Register(b)) if wide & u64::from(small) == 0 => {
                        Op { code: constant_address, small, dst: 0, a: 0, b, wide }
                    }
                    _ => return None,
                })
            }
            Inst::Float { dst, a, b, .. } => {
                self.exist(dst, &[a, b])?;
                Some(Op { code: Code::Float, ..Op::GENERAL })
            }
            Inst::FloatCompare { dst, a, b, .. } => {
                self.exist(dst, &[a, b])?;
                Some(Op { code: Code::FloatCompare, ..Op::GENERAL })
            }
            Inst::Jump { edge } => {
                let entry = self.target(edge)?;
                let length = self.function.code.len();
                let moved = usize::from(entry).checked_sub(length).map(|at| self.tail[at]);
                Some(match moved {
                    // All the moves are in one operation: it serves as the jump.
                    Some(only) if only.small == 0 && is_goto(only.code) => Op { small: 1, ..only },
                    _ => Op { code: Code::Goto, small: 1, dst: entry, ..Op::GENERAL },
                })
            }
            Inst::Branch { cond, edges } => match self.source(cond)? {
                Register(a) => {
                    let (dst, b) = (self.target(edges)?, self.target(edges.checked_add(1)?)?);
                    Some(Op { code: Code::BranchBit, small: 0, dst, a, b, wide: 0 })
                }
                Constant(_) => None,
            },
            Inst::CompareBranch { predicate, bits, a, b, edges } => {
                let compared = self.comparison(predicate, a, b)?;
                let (mut yes, mut no) = (self.target(edges)?, self.target(edges.checked_add(1)?)?);
                if compared.inverted {
                    (yes, no) = (no, yes);
                }
                let (code, small) = compared.branch_code(bits);
                Some(match compared.b {
                    Register(b) => Op { code, small, dst: yes, a: compared.a, b, wide: no.into() },
                    Constant(value) => {
                        Op { code, small, dst: yes, a: compared.a, b: no, wide: value << small }
                    }
                })
            }
            Inst::Switch { value, index } => {
                let switch = self.function.switches.get(index as usize)?;
                let all = switch.cases.iter().map(|case| case.1).chain([switch.default_edge]);
                all.chain(switch.table.iter().copied()).try_for_each(|edge| self.target(edge).map(drop))?;
                match self.source(value)? {
                    Register(a) => Some(Op { code: Code::Switch, a, wide: index.into(), ..Op::GENERAL }),
                    Constant(_) => None,
                }
            }
            _ => None,
        }
    }

    fn binary(&self, op: BinaryOp, bits: u8, flags: u8, dst: Slot, [a, b]: [Operand; 2]) -> Option<Op> {
        self.exist(dst, &[a, b])?;
        let dst = dst as u16;
        let general = Op { code: Code::Binary, ..Op::GENERAL };
        let commutes =
            matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let (a, b) = if commutes && a.is_constant() { (b, a) } else { (a, b) };
        let Register(a) = self.source(a)? else { return Some(general) };
        Some(match self.source(b)? {
            Register(b) => match arithmetic_code(op, bits, flags) {
                Some((code, _)) => Op { code, small: 0, dst, a, b, wide: 0 },
                None => general,
            },
            Constant(by) if op == BinaryOp::Shl && by < bits.into() && flags == 0 => {
                Op { code: Code::ShiftLeft, small: by as u8, dst, a, b: 0, wide: mask(bits) }
            }
            Constant(by) if op == BinaryOp::LShr && by < bits.into() && flags == 0 => {
                Op { code: Code::ShiftRight, small: by as u8, dst, a, b: 0, wide: 0 }
            }
            Constant(by) if op == BinaryOp::AShr && by < bits.into() && flags == 0 => {
                sign_shift(dst, a, bits, by as u8, bits)
            }
            Constant(wide) => match arithmetic_code(op, bits, flags) {
                Some((_, Some(code))) => Op { code, small: 0, dst, a, b: 0, wide },
                _ => general,
            },
        })
    }

    /// Exchanges and inverts until the first operand is a register and the comparison is one of [`Order`].
    fn comparison(&self, predicate: Predicate, a: Operand, b: Operand) -> Option<Comparison> {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let (predicate, a, b) = if a.is_constant() {
            let mirrored = match predicate {
                Eq | Ne => predicate,
                Ult => Ugt,
                Ule => Uge,
                Ugt => Ult,
                Uge => Ule,
                Slt => Sgt,
                Sle => Sge,
                Sgt => Slt,
                Sge => Sle,
            };
            (mirrored, b, a)
        } else {
            (predicate, a, b)
        };
        let (a, b) = (self.source(a)?, self.source(b)?);
        let (order, inverted) = match predicate {
            Eq => (Order::Equal, false),
            Ne => (Order::Equal, true),
            Ult => (Order::Less, false),
            Uge => (Order::Less, true),
            Ugt => (Order::Greater, false),
            Ule => (Order::Greater, true),
            Slt => (Order::SignedLess, false),
            Sge => (Order::SignedLess, true),
            Sgt => (Order::SignedGreater, false),
            Sle => (Order::SignedGreater, true),
        };
        match (a, b, order) {
            (Register(a), Register(b), Order::Greater) => {
                Some(Comparison { order: Order::Less, inverted, a: b, b: Register(a) })
            }
            (Register(a), Register(b), Order::SignedGreater) => {
                Some(Comparison { order: Order::SignedLess, inverted, a: b, b: Register(a) })
            }
            (Register(a), b, order) => Some(Comparison { order, inverted, a, b }),
            (Constant(_), ..) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Equal,
    Less,
    /// Of a constant only, as `SignedGreater`.
    Greater,
    SignedLess,
    SignedGreater,
}

struct Comparison {
    order: Order,
    inverted: bool,
    a: u16,
    b: Source,
}

impl Comparison {
    fn value_code(&self, bits: u8) -> Option<Code> {
        Some(match (self.order, self.b, bits) {
            (Order::Equal, Register(_), _) => Code::Equal,
            (Order::Equal, Constant(_), _) => Code::EqualC,
            (Order::Less, Register(_), _) => Code::Less,
            (Order::Less, Constant(_), _) => Code::LessC,
            (Order::Greater, ..) => Code::GreaterC,
            (Order::SignedLess, Register(_), 32) => Code::SignedLess32,
            (Order::SignedLess, Constant(_), 32) => Code::SignedLess32C,
            (Order::SignedLess, Register(_), 64) => Code::SignedLess64,
            (Order::SignedLess, Constant(_), 64) => Code::SignedLess64C,
            (Order::SignedGreater, _, 32) => Code::SignedGreater32C,
            (Order::SignedGreater, _, 64) => Code::SignedGreater64C,
            (Order::SignedLess | Order::SignedGreater, ..) => return None,
        })
    }

    /// The branch on it, and how far its operands are shifted up first.
    fn branch_code(&self, bits: u8) -> (Code, u8) {
        let code = match (self.order, self.b, bits) {
            (Order::Equal, Register(_), _) => Code::BranchEqual,
            (Order::Equal, Constant(_), _) => Code::BranchEqualC,
            (Order::Less, Register(_), _) => Code::BranchLess,
            (Order::Less, Constant(_), _) => Code::BranchLessC,
            (Order::Greater, ..) => Code::BranchGreaterC,
            (Order::SignedLess, Register(_), 32) => Code::BranchSignedLess32,
            (Order::SignedLess, Constant(_), 32) => Code::BranchSignedLess32C,
            (Order::SignedLess, Register(_), 64) => Code::BranchSignedLess64,
            (Order::SignedLess, Constant(_), 64) => Code::BranchSignedLess64C,
            (Order::SignedGreater, _, 32) => Code::BranchSignedGreater32C,
            (Order::SignedGreater, _, 64) => Code::BranchSignedGreater64C,
            (Order::SignedLess, Register(_), _) => return (Code::BranchSignedLessN, 64 - bits),
            (Order::SignedLess, Constant(_), _) => return (Code::BranchSignedLessNC, 64 - bits),
            (Order::SignedGreater, ..) => return (Code::BranchSignedGreaterNC, 64 - bits),
        };
        (code, 0)
    }
}

fn copy(dst: u16, src: Source) -> Op {
    match src {
        Register(a) => Op { code: Code::Move, dst, a, ..Op::GENERAL },
        Constant(wide) => Op { code: Code::MoveC, dst, wide, ..Op::GENERAL },
    }
}

/// `a`, a signed number of `from` bits, shifted right by `by`, in `to` bits.
fn sign_shift(dst: u16, a: u16, from: u8, by: u8, to: u8) -> Op {
    let small = 64 - from;
    Op { code: Code::SignShift, small, dst, a, b: u16::from(small + by), wide: mask(to) }
}

fn is_goto(code: Code) -> bool {
    matches!(code, Code::MoveGoto | Code::MoveGotoC | Code::Move2Goto | Code::Move3Goto)
}

/// The bits of an address that must be zero for an alignment.
fn alignment(align_log2: u8) -> Option<u8> {
    (align_log2 <= 8).then(|| ((1_u32 << align_log2) - 1) as u8)
}

/// Operations on registers, and on a register and a constant.
fn arithmetic_code(op: BinaryOp, bits: u8, flags: u8) -> Option<(Code, Option<Code>)> {
    enum Checked {
        No,
        Signed,
        Both,
    }
    let checked = match flags & (flags::NO_SIGNED_WRAP | flags::NO_UNSIGNED_WRAP) {
        0 => Checked::No,
        flags::NO_SIGNED_WRAP => Checked::Signed,
        _ => Checked::Both,
    };
    let (register, constant) = match (op, bits, checked) {
        (BinaryOp::And, ..) => (Code::And, Code::AndC),
        (BinaryOp::Or, ..) => (Code::Or, Code::OrC),
        (BinaryOp::Xor, ..) => (Code::Xor, Code::XorC),
        (BinaryOp::Add, 64, Checked::No) => (Code::Add64, Code::Add64C),
        (BinaryOp::Add, 64, Checked::Signed) => (Code::Add64S, Code::Add64SC),
        (BinaryOp::Add, 64, Checked::Both) => (Code::Add64B, Code::Add64BC),
        (BinaryOp::Add, 32, Checked::No) => (Code::Add32, Code::Add32C),
        (BinaryOp::Add, 32, Checked::Signed) => (Code::Add32S, Code::Add32SC),
        (BinaryOp::Add, 32, Checked::Both) => (Code::Add32B, Code::Add32BC),
        (BinaryOp::Mul, 64, Checked::No) => (Code::Mul64, Code::Mul64C),
        (BinaryOp::Mul, 64, Checked::Signed) => (Code::Mul64S, Code::Mul64SC),
        (BinaryOp::Mul, 64, Checked::Both) => (Code::Mul64B, Code::Mul64BC),
        (BinaryOp::Mul, 32, Checked::No) => (Code::Mul32, Code::Mul32C),
        (BinaryOp::Mul, 32, Checked::Signed) => (Code::Mul32S, Code::Mul32SC),
        (BinaryOp::Mul, 32, Checked::Both) => (Code::Mul32B, Code::Mul32BC),
        (BinaryOp::Sub, 64, Checked::No) => return Some((Code::Sub64, None)),
        (BinaryOp::Sub, 64, Checked::Signed) => return Some((Code::Sub64S, None)),
        (BinaryOp::Sub, 64, Checked::Both) => return Some((Code::Sub64B, None)),
        (BinaryOp::Sub, 32, Checked::No) => return Some((Code::Sub32, None)),
        (BinaryOp::Sub, 32, Checked::Signed) => return Some((Code::Sub32S, None)),
        (BinaryOp::Sub, 32, Checked::Both) => return Some((Code::Sub32B, None)),
        _ => return None,
    };
    Some((register, Some(constant)))
}

/// Loads from an address in a register, and from a constant one.
fn load_code(bits: u8) -> Option<(Code, Code)> {
    match bits {
        8 => Some((Code::Load8, Code::Load8C)),
        16 => Some((Code::Load16, Code::Load16C)),
        32 => Some((Code::Load32, Code::Load32C)),
        64 => Some((Code::Load64, Code::Load64C)),
        _ => None,
    }
}

/// Stores of a register, of a constant, and of a register to a constant address.
fn store_codes(bits: u8) -> Option<[Code; 3]> {
    match bits {
        8 => Some([Code::Store8, Code::StoreValue8, Code::Store8C]),
        16 => Some([Code::Store16, Code::StoreValue16, Code::Store16C]),
        32 => Some([Code::Store32, Code::StoreValue32, Code::Store32C]),
        64 => Some([Code::Store64, Code::StoreValue64, Code::Store64C]),
        _ => None,
    }
}

/// The code that executes `first` and, after it, the load or store `second` at the address it computes.
fn fused(first: &Op, second: &Op) -> Option<Code> {
    if second.a != first.dst || first.dst == first.a {
        return None;
    }
    Some(match (first.code, second.code) {
        // The base is a register that must last until the access is done.
        (Code::Index, _) if first.dst == first.b => return None,
        (Code::Index, Code::Load8) => Code::IndexLoad8,
        (Code::Index, Code::Load16) => Code::IndexLoad16,
        (Code::Index, Code::Load32) => Code::IndexLoad32,
        (Code::Index, Code::Load64) => Code::IndexLoad64,
        (Code::IndexC, Code::Load8) => Code::IndexLoad8C,
        (Code::IndexC, Code::Load16) => Code::IndexLoad16C,
        (Code::IndexC, Code::Load32) => Code::IndexLoad32C,
        (Code::IndexC, Code::Load64) => Code::IndexLoad64C,
        (Code::Add64C, Code::Load8) => Code::OffsetLoad8,
        (Code::Add64C, Code::Load16) => Code::OffsetLoad16,
        (Code::Add64C, Code::Load32) => Code::OffsetLoad32,
        (Code::Add64C, Code::Load64) => Code::OffsetLoad64,
        (Code::Index, Code::Store8) => Code::IndexStore8,
        (Code::Index, Code::Store16) => Code::IndexStore16,
        (Code::Index, Code::Store32) => Code::IndexStore32,
        (Code::Index, Code::Store64) => Code::IndexStore64,
        (Code::Index, Code::StoreValue8) => Code::IndexStore8V,
        (Code::Index, Code::StoreValue16) => Code::IndexStore16V,
        (Code::Index, Code::StoreValue32) => Code::IndexStore32V,
        (Code::Index, Code::StoreValue64) => Code::IndexStore64V,
        (Code::IndexC, Code::Store8) => Code::IndexStore8C,
        (Code::IndexC, Code::Store16) => Code::IndexStore16C,
        (Code::IndexC, Code::Store32) => Code::IndexStore32C,
        (Code::IndexC, Code::Store64) => Code::IndexStore64C,
        (Code::IndexC, Code::StoreValue8) => Code::IndexStore8CV,
        (Code::IndexC, Code::StoreValue16) => Code::IndexStore16CV,
        (Code::IndexC, Code::StoreValue32) => Code::IndexStore32CV,
        (Code::IndexC, Code::StoreValue64) => Code::IndexStore64CV,
        (Code::Add64C, Code::Store8) => Code::OffsetStore8,
        (Code::Add64C, Code::Store16) => Code::OffsetStore16,
        (Code::Add64C, Code::Store32) => Code::OffsetStore32,
        (Code::Add64C, Code::Store64) => Code::OffsetStore64,
        (Code::Add64C, Code::StoreValue8) => Code::OffsetStore8V,
        (Code::Add64C, Code::StoreValue16) => Code::OffsetStore16V,
        (Code::Add64C, Code::StoreValue32) => Code::OffsetStore32V,
        (Code::Add64C, Code::StoreValue64) => Code::OffsetStore64V,
        _ => return None,
    })
}

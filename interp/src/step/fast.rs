//! The fast loop, over [prepared](crate::words) code: runs of instructions whose operands are all concrete
//! and whose memory concerns no other thread.
//!
//! The general loop executes all other instructions: it is the one that knows the meaning of instructions,
//! faults, parks, forks. An operation either has its whole effect or none, so that the general loop can take
//! over anywhere.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::View;
use crate::state::State;
use crate::step::floats;
use crate::threads::running::Running;
use crate::words::Prepared;
use crate::words::integers::{binary, compare, poison};
use crate::words::op::Code;
use symx_ir::Operand;
use symx_ir::instruction::{BinaryOp, Inst, flags};
use symx_trace::ThreadId;

/// No promise, that of `nsw`, and that of `nuw` as well.
const NONE: u8 = 0;
const SIGNED: u8 = flags::NO_SIGNED_WRAP;
const BOTH: u8 = flags::NO_SIGNED_WRAP | flags::NO_UNSIGNED_WRAP;

impl<E: Environment> Executor<'_, E> {
    /// Executes instructions of a frame without symbolic registers up to one that is for the general loop. It
    /// also ends when `executed` exceeds `budget` at the end of a block. Returns whether it did.
    pub(crate) fn sprint(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        prepared: &Prepared,
        executed: &mut u64,
        budget: u64,
    ) -> bool {
        let function = running.function;
        // The accesses below rely on this; a frame that is not as long as its function says is left to
        // others.
        if !running.frame.holds(function.slots) || running.frame.pc as usize >= function.code.len() {
            return false;
        }
        let ops = prepared.ops.as_ptr();
        let slots = running.frame.slots.as_mut_ptr();
        let thread = running.thread;
        self.caches.windows.refresh(&state.memory);
        let mut view = self.caches.windows.view();
        let mut pc = running.frame.pc as usize;
        // Instructions executed are this and the position, as long as control goes straight on.
        let mut ahead = executed.wrapping_sub(pc as u64);
        let mut exhausted = false;

        macro_rules! get {
            ($slot:expr) => {{
                let slot = usize::from($slot);
                // SAFETY: prepared code names registers of its function only, and the frame has them all.
                unsafe { *slots.add(slot) }
            }};
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value: u64 = $value;
                // SAFETY: as above.
                unsafe { *slots.add(usize::from($slot)) = value }
            }};
        }
        loop {
            // SAFETY: positions in prepared code lie in it, and what does not go elsewhere
            // has a next operation.
            let op = unsafe { &*ops.add(pc) };
            // The instruction at `pc`, which for operations outside of edges there is.
            macro_rules! inst {
                () => {
                    function.code.get(pc)
                };
            }
            macro_rules! operand {
                ($operand:expr) => {{
                    let operand: Operand = $operand;
                    if operand.is_constant() {
                        function.constants[operand.index()]
                    } else {
                        // SAFETY: the registers of such instructions were looked at when they were prepared.
                        unsafe { *slots.add(operand.index()) }
                    }
                }};
            }
            macro_rules! arithmetic {
                ($op:ident, $bits:literal, $flags:ident, $b:expr) => {{
                    let (a, b) = (get!(op.a), $b);
                    if poison(BinaryOp::$op, $bits, $flags, a, b).is_some() {
                        break;
                    }
                    let Some(result) = binary(BinaryOp::$op, $bits, a, b) else { break };
                    set!(op.dst, result);
                }};
            }
            macro_rules! load {
                ($type:ty, $address:expr, $dst:expr, $mask:expr, $missed:expr) => {{
                    let address: u64 = $address;
                    let mask = u64::from($mask);
                    // SAFETY: the view is taken again after every change.
                    match unsafe { view.bytes::<{ size_of::<$type>() }>(address) } {
                        Some(bytes) if address & mask == 0 => {
                            // SAFETY: the window is open for this many bytes.
                            set!($dst, <$type>::from_le_bytes(unsafe { *bytes }).into());
                        }
                        _ => {
                            let length = size_of::<$type>() as u64;
                            match self.open_window(state, thread, (address, length, mask), Purpose::Read) {
                                Some(opened) => {
                                    view = opened;
                                    continue;
                                }
                                None => {
                                    pc += $missed;
                                    break;
                                }
                            }
                        }
                    }
                }};
            }
            macro_rules! store {
                ($type:ty, $address:expr, $value:expr, $mask:expr, $missed:expr) => {{
                    let address: u64 = $address;
                    let mask = u64::from($mask);
                    // SAFETY: the view is taken again after every change.
                    match unsafe { view.bytes_mut::<{ size_of::<$type>() }>(address) } {
                        Some(bytes) if address & mask == 0 => {
                            let value = ($value as $type).to_le_bytes();
                            // SAFETY: the window is open for writing this many bytes.
                            unsafe { *bytes = value };
                        }
                        _ => {
                            let length = size_of::<$type>() as u64;
                            match self.open_window(state, thread, (address, length, mask), Purpose::Write) {
                                Some(opened) => {
                                    view = opened;
                                    continue;
                                }
                                None => {
                                    pc += $missed;
                                    break;
                                }
                            }
                        }
                    }
                }};
                ($type:ty, $address:expr, $value:expr) => {
                    store!($type, $address, $value, op.small, 0)
                };
            }
            // An address computation and the load after it.
            macro_rules! load_from {
                ($type:ty, $address:expr) => {{
                    let address: u64 = $address;
                    set!(op.dst, address);
                    // SAFETY: the operation is not the last one.
                    let next = unsafe { &*ops.add(pc + 1) };
                    load!($type, address, next.dst, next.small, 1);
                    pc += 1;
                }};
            }
            // An address computation and the store after it, of a register or of a constant.
            macro_rules! store_to {
                (@value $next:ident register) => {
                    get!($next.b)
                };
                (@value $next:ident constant) => {
                    $next.wide
                };
                ($type:ty, $address:expr, $value:ident) => {{
                    let address: u64 = $address;
                    set!(op.dst, address);
                    // SAFETY: the operation is not the last one.
                    let next = unsafe { &*ops.add(pc + 1) };
                    store!($type, address, store_to!(@value next $value), next.small, 1);
                    pc += 1;
                }};
            }
            macro_rules! index {
                () => {
                    get!(op.b).wrapping_add(get!(op.a).wrapping_mul(op.wide))
                };
            }
            macro_rules! index_constant {
                () => {
                    op.wide.wrapping_add(get!(op.a).wrapping_mul(op.b.into()))
                };
            }
            // To `target`, having executed `counted` instructions more.
            macro_rules! go {
                ($target:expr, $counted:expr) => {{
                    let target = usize::from($target);
                    ahead =
                        ahead.wrapping_add((pc as u64).wrapping_add($counted).wrapping_sub(target as u64));
                    pc = target;
                    // Positions beyond the function's code are those of moves, which are not to be parted.
                    if ahead.wrapping_add(target as u64) > budget && target < function.code.len() {
                        exhausted = true;
                        break;
                    }
                    continue;
                }};
            }
            macro_rules! branch {
                ($taken:expr, $otherwise:expr) => {{
                    let target = if $taken { op.dst } else { $otherwise };
                    go!(target, 1)
                }};
            }
            let counted = op.small as i8 as u64;
            match op.code {
                Code::General => break,
                Code::Add64 => arithmetic!(Add, 64, NONE, get!(op.b)),
                Code::Add64S => arithmetic!(Add, 64, SIGNED, get!(op.b)),
                Code::Add64B => arithmetic!(Add, 64, BOTH, get!(op.b)),
                Code::Add64C => arithmetic!(Add, 64, NONE, op.wide),
                Code::Add64SC => arithmetic!(Add, 64, SIGNED, op.wide),
                Code::Add64BC => arithmetic!(Add, 64, BOTH, op.wide),
                Code::Add32 => arithmetic!(Add, 32, NONE, get!(op.b)),
                Code::Add32S => arithmetic!(Add, 32, SIGNED, get!(op.b)),
                Code::Add32B => arithmetic!(Add, 32, BOTH, get!(op.b)),
                Code::Add32C => arithmetic!(Add, 32, NONE, op.wide),
                Code::Add32SC => arithmetic!(Add, 32, SIGNED, op.wide),
                Code::Add32BC => arithmetic!(Add, 32, BOTH, op.wide),
                Code::Sub64 => arithmetic!(Sub, 64, NONE, get!(op.b)),
                Code::Sub64S => arithmetic!(Sub, 64, SIGNED, get!(op.b)),
                Code::Sub64B => arithmetic!(Sub, 64, BOTH, get!(op.b)),
                Code::Sub32 => arithmetic!(Sub, 32, NONE, get!(op.b)),
                Code::Sub32S => arithmetic!(Sub, 32, SIGNED, get!(op.b)),
                Code::Sub32B => arithmetic!(Sub, 32, BOTH, get!(op.b)),
                Code::Mul64 => arithmetic!(Mul, 64, NONE, get!(op.b)),
                Code::Mul64S => arithmetic!(Mul, 64, SIGNED, get!(op.b)),
                Code::Mul64B => arithmetic!(Mul, 64, BOTH, get!(op.b)),
                Code::Mul64C => arithmetic!(Mul, 64, NONE, op.wide),
                Code::Mul64SC => arithmetic!(Mul, 64, SIGNED, op.wide),
                Code::Mul64BC => arithmetic!(Mul, 64, BOTH, op.wide),
                Code::Mul32 => arithmetic!(Mul, 32, NONE, get!(op.b)),
                Code::Mul32S => arithmetic!(Mul, 32, SIGNED, get!(op.b)),
                Code::Mul32B => arithmetic!(Mul, 32, BOTH, get!(op.b)),
                Code::Mul32C => arithmetic!(Mul, 32, NONE, op.wide),
                Code::Mul32SC => arithmetic!(Mul, 32, SIGNED, op.wide),
                Code::Mul32BC => arithmetic!(Mul, 32, BOTH, op.wide),
                Code::And => set!(op.dst, get!(op.a) & get!(op.b)),
                Code::AndC => set!(op.dst, get!(op.a) & op.wide),
                Code::Or => set!(op.dst, get!(op.a) | get!(op.b)),
                Code::OrC => set!(op.dst, get!(op.a) | op.wide),
                Code::Xor => set!(op.dst, get!(op.a) ^ get!(op.b)),
                Code::XorC => set!(op.dst, get!(op.a) ^ op.wide),
                Code::ShiftLeft => set!(op.dst, get!(op.a).wrapping_shl(op.small.into()) & op.wide),
                Code::ShiftRight => set!(op.dst, get!(op.a).wrapping_shr(op.small.into())),
                Code::SignShift => {
                    let top = get!(op.a).wrapping_shl(op.small.into()) as i64;
                    set!(op.dst, top.wrapping_shr(op.b.into()) as u64 & op.wide);
                }
                Code::Binary => {
                    let Some(&Inst::Binary { op, bits, flags, dst, a, b }) = inst!() else { break };
                    let (a, b) = (operand!(a), operand!(b));
                    if poison(op, bits, flags, a, b).is_some() {
                        break;
                    }
                    let Some(result) = binary(op, bits, a, b) else { break };
                    set!(dst as u16, result);
                }
                Code::Equal => set!(op.dst, ((get!(op.a) == get!(op.b)) as u64) ^ counted),
                Code::EqualC => set!(op.dst, ((get!(op.a) == op.wide) as u64) ^ counted),
                Code::Less => set!(op.dst, ((get!(op.a) < get!(op.b)) as u64) ^ counted),
                Code::LessC => set!(op.dst, ((get!(op.a) < op.wide) as u64) ^ counted),
                Code::GreaterC => set!(op.dst, ((get!(op.a) > op.wide) as u64) ^ counted),
                Code::SignedLess32 => {
                    set!(op.dst, (((get!(op.a) as i32) < get!(op.b) as i32) as u64) ^ counted)
                }
                Code::SignedLess32C => {
                    set!(op.dst, (((get!(op.a) as i32) < op.wide as i32) as u64) ^ counted)
                }
                Code::SignedGreater32C => {
                    set!(op.dst, ((get!(op.a) as i32 > op.wide as i32) as u64) ^ counted)
                }
                Code::SignedLess64 => {
                    set!(op.dst, (((get!(op.a) as i64) < get!(op.b) as i64) as u64) ^ counted)
                }
                Code::SignedLess64C => {
                    set!(op.dst, (((get!(op.a) as i64) < op.wide as i64) as u64) ^ counted)
                }
                Code::SignedGreater64C => {
                    set!(op.dst, ((get!(op.a) as i64 > op.wide as i64) as u64) ^ counted)
                }
                Code::Compare => {
                    let Some(&Inst::Compare { predicate, bits, dst, a, b }) = inst!() else { break };
                    set!(dst as u16, compare(predicate, bits, operand!(a), operand!(b)).into());
                }
                Code::Move => set!(op.dst, get!(op.a)),
                Code::MoveC => set!(op.dst, op.wide),
                Code::Select => {
                    let Some(&Inst::Select { dst, cond, a, b }) = inst!() else { break };
                    let chosen = if operand!(cond) & 1 == 1 { a } else { b };
                    set!(dst as u16, operand!(chosen));
                }
                Code::Index => set!(op.dst, index!()),
                Code::IndexC => set!(op.dst, index_constant!()),
                Code::Index32 => {
                    let distance = (get!(op.a) as i32 as u64).wrapping_mul(op.wide);
                    set!(op.dst, get!(op.b).wrapping_add(distance));
                }
                Code::Index32C => {
                    let distance = (get!(op.a) as i32 as u64).wrapping_mul(op.b.into());
                    set!(op.dst, op.wide.wrapping_add(distance));
                }
                Code::Load8 => load!(u8, get!(op.a), op.dst, op.small, 0),
                Code::Load16 => load!(u16, get!(op.a), op.dst, op.small, 0),
                Code::Load32 => load!(u32, get!(op.a), op.dst, op.small, 0),
                Code::Load64 => load!(u64, get!(op.a), op.dst, op.small, 0),
                Code::Load8C => load!(u8, op.wide, op.dst, op.small, 0),
                Code::Load16C => load!(u16, op.wide, op.dst, op.small, 0),
                Code::Load32C => load!(u32, op.wide, op.dst, op.small, 0),
                Code::Load64C => load!(u64, op.wide, op.dst, op.small, 0),
                Code::IndexLoad8 => load_from!(u8, index!()),
                Code::IndexLoad16 => load_from!(u16, index!()),
                Code::IndexLoad32 => load_from!(u32, index!()),
                Code::IndexLoad64 => load_from!(u64, index!()),
                Code::IndexLoad8C => load_from!(u8, index_constant!()),
                Code::IndexLoad16C => load_from!(u16, index_constant!()),
                Code::IndexLoad32C => load_from!(u32, index_constant!()),
                Code::IndexLoad64C => load_from!(u64, index_constant!()),
                Code::OffsetLoad8 => load_from!(u8, get!(op.a).wrapping_add(op.wide)),
                Code::OffsetLoad16 => load_from!(u16, get!(op.a).wrapping_add(op.wide)),
                Code::OffsetLoad32 => load_from!(u32, get!(op.a).wrapping_add(op.wide)),
                Code::OffsetLoad64 => load_from!(u64, get!(op.a).wrapping_add(op.wide)),
                Code::Store8 => store!(u8, get!(op.a), get!(op.b)),
                Code::Store16 => store!(u16, get!(op.a), get!(op.b)),
                Code::Store32 => store!(u32, get!(op.a), get!(op.b)),
                Code::Store64 => store!(u64, get!(op.a), get!(op.b)),
                Code::StoreValue8 => store!(u8, get!(op.a), op.wide),
                Code::StoreValue16 => store!(u16, get!(op.a), op.wide),
                Code::StoreValue32 => store!(u32, get!(op.a), op.wide),
                Code::StoreValue64 => store!(u64, get!(op.a), op.wide),
                Code::Store8C => store!(u8, op.wide, get!(op.b)),
                Code::Store16C => store!(u16, op.wide, get!(op.b)),
                Code::Store32C => store!(u32, op.wide, get!(op.b)),
                Code::Store64C => store!(u64, op.wide, get!(op.b)),
                Code::IndexStore8 => store_to!(u8, index!(), register),
                Code::IndexStore16 => store_to!(u16, index!(), register),
                Code::IndexStore32 => store_to!(u32, index!(), register),
                Code::IndexStore64 => store_to!(u64, index!(), register),
                Code::IndexStore8V => store_to!(u8, index!(), constant),
                Code::IndexStore16V => store_to!(u16, index!(), constant),
                Code::IndexStore32V => store_to!(u32, index!(), constant),
                Code::IndexStore64V => store_to!(u64, index!(), constant),
                Code::IndexStore8C => store_to!(u8, index_constant!(), register),
                Code::IndexStore16C => store_to!(u16, index_constant!(), register),
                Code::IndexStore32C => store_to!(u32, index_constant!(), register),
                Code::IndexStore64C => store_to!(u64, index_constant!(), register),
                Code::IndexStore8CV => store_to!(u8, index_constant!(), constant),
                Code::IndexStore16CV => store_to!(u16, index_constant!(), constant),
                Code::IndexStore32CV => store_to!(u32, index_constant!(), constant),
                Code::IndexStore64CV => store_to!(u64, index_constant!(), constant),
                Code::OffsetStore8 => store_to!(u8, get!(op.a).wrapping_add(op.wide), register),
                Code::OffsetStore16 => store_to!(u16, get!(op.a).wrapping_add(op.wide), register),
                Code::OffsetStore32 => store_to!(u32, get!(op.a).wrapping_add(op.wide), register),
                Code::OffsetStore64 => store_to!(u64, get!(op.a).wrapping_add(op.wide), register),
                Code::OffsetStore8V => store_to!(u8, get!(op.a).wrapping_add(op.wide), constant),
                Code::OffsetStore16V => store_to!(u16, get!(op.a).wrapping_add(op.wide), constant),
                Code::OffsetStore32V => store_to!(u32, get!(op.a).wrapping_add(op.wide), constant),
                Code::OffsetStore64V => store_to!(u64, get!(op.a).wrapping_add(op.wide), constant),
                Code::Float => {
                    let Some(&Inst::Float { op, format, dst, a, b }) = inst!() else { break };
                    set!(dst as u16, floats::binary(op, format, operand!(a), operand!(b)));
                }
                Code::FloatCompare => {
                    let Some(&Inst::FloatCompare { predicate, format, dst, a, b }) = inst!() else { break };
                    set!(dst as u16, floats::compare(predicate, format, operand!(a), operand!(b)).into());
                }
                Code::Goto => go!(op.dst, counted),
                Code::MoveGoto => {
                    set!(op.dst, get!(op.a));
                    go!(op.b, counted)
                }
                Code::MoveGotoC => {
                    set!(op.dst, op.wide);
                    go!(op.b, counted)
                }
                Code::Move2Goto => {
                    set!(op.dst, get!(op.a));
                    set!(op.wide as u16, get!((op.wide >> 16) as u16));
                    go!(op.b, counted)
                }
                Code::Move3Goto => {
                    set!(op.dst, get!(op.a));
                    set!(op.wide as u16, get!((op.wide >> 16) as u16));
                    set!((op.wide >> 32) as u16, get!((op.wide >> 48) as u16));
                    go!(op.b, counted)
                }
                Code::BranchBit => branch!(get!(op.a) & 1 == 1, op.b),
                Code::BranchEqual => branch!(get!(op.a) == get!(op.b), op.wide as u16),
                Code::BranchEqualC => branch!(get!(op.a) == op.wide, op.b),
                Code::BranchLess => branch!(get!(op.a) < get!(op.b), op.wide as u16),
                Code::BranchLessC => branch!(get!(op.a) < op.wide, op.b),
                Code::BranchGreaterC => branch!(get!(op.a) > op.wide, op.b),
                Code::BranchSignedLess32 => {
                    branch!((get!(op.a) as i32) < get!(op.b) as i32, op.wide as u16)
                }
                Code::BranchSignedLess32C => branch!((get!(op.a) as i32) < op.wide as i32, op.b),
                Code::BranchSignedGreater32C => branch!(get!(op.a) as i32 > op.wide as i32, op.b),
                Code::BranchSignedLess64 => {
                    branch!((get!(op.a) as i64) < get!(op.b) as i64, op.wide as u16)
                }
                Code::BranchSignedLess64C => branch!((get!(op.a) as i64) < op.wide as i64, op.b),
                Code::BranchSignedGreater64C => branch!(get!(op.a) as i64 > op.wide as i64, op.b),
                Code::BranchSignedLessN => {
                    let shifted = |value: u64| value.wrapping_shl(op.small.into()) as i64;
                    branch!(shifted(get!(op.a)) < shifted(get!(op.b)), op.wide as u16)
                }
                Code::BranchSignedLessNC => {
                    let shifted = get!(op.a).wrapping_shl(op.small.into()) as i64;
                    branch!(shifted < op.wide as i64, op.b)
                }
                Code::BranchSignedGreaterNC => {
                    let shifted = get!(op.a).wrapping_shl(op.small.into()) as i64;
                    branch!(shifted > op.wide as i64, op.b)
                }
                Code::Switch => {
                    let edge = function.switches[op.wide as usize].edge(get!(op.a));
                    go!(prepared.edges[edge as usize], 1)
                }
            }
            pc += 1;
        }
        running.frame.pc = pc as u32;
        *executed = ahead.wrapping_add(pc as u64);
        exhausted
    }

    /// Opens a window for an access of `length` bytes that found none, if the access needs no more than that.
    /// It needs a plain object that no other thread can see changing, the bits of `mask` zero in the address.
    #[cold]
    #[inline(never)]
    fn open_window(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        (address, length, mask): (u64, u64, u64),
        purpose: Purpose,
    ) -> Option<View> {
        // Operations on a fix's line are not to go unseen.
        let is_watched = self.machine.options.remedies.is_some() && state.unjoined > 1;
        if self.present.granted
            || is_watched
            || address & mask != 0
            || !state.thread(thread).buffer.is_empty()
        {
            return None;
        }
        self.present.effects += 1;
        let (cell, _) = self.locate(state, address, length, purpose).ok()?;
        if self.is_visible(state, thread, cell) || self.is_traced(state, cell) {
            return None;
        }
        let opened = self.caches.windows.open(&mut state.memory, address, length, purpose == Purpose::Write);
        opened.then(|| self.caches.windows.view())
    }
}

//! The less frequent instructions, which a function keeps out of line.

use super::{
    AtomicOrdering, BinaryOp, CastOp, FloatCast, FloatFormat, FloatOp, FloatPredicate, FloatUnary, Operand,
    Predicate, RmwOp, Slot,
};
use serde::{Deserialize, Serialize};

/// The less frequent instructions, out of line. A width `bits` may exceed 64: operands
/// then span several slots.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // fields are the operands the variant's line names
pub enum Extended {
    /// Integer arithmetic wider than 64 bits.
    WideBinary {
        op: BinaryOp,
        bits: u32,
        flags: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    WideCompare {
        predicate: Predicate,
        bits: u32,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// Width change where `from` or `to` exceeds 64 bits.
    WideCast {
        op: CastOp,
        from: u32,
        to: u32,
        dst: Slot,
        src: Operand,
    },
    /// Reinterprets the bits of a value: slots of the widths `from` (in order) become slots
    /// of the widths `to`.
    Repack {
        from: Vec<u8>,
        to: Vec<u8>,
        dst: Slot,
        src: Operand,
    },
    /// Loads several pieces, one slot each, as one access of `size` bytes.
    LoadPieces {
        pieces: Vec<Piece>,
        size: u32,
        align_log2: u8,
        volatile: bool,
        dst: Slot,
        address: Operand,
    },
    StorePieces {
        pieces: Vec<Piece>,
        size: u32,
        align_log2: u8,
        volatile: bool,
        address: Operand,
        value: Operand,
    },
    /// Loads those of `lanes` elements of `bits` (whole bytes) whose bit in `mask` is set, as one access; the
    /// others come from `otherwise`.
    MaskedLoad {
        bits: u8,
        lanes: u32,
        dst: Slot,
        address: Operand,
        mask: Operand,
        otherwise: Operand,
    },
    /// Stores those of `lanes` elements whose bit in `mask` is set, as one access.
    MaskedStore {
        bits: u8,
        lanes: u32,
        value: Operand,
        address: Operand,
        mask: Operand,
    },
    /// Floating point in two-slot formats.
    WideFloat {
        op: FloatOp,
        format: FloatFormat,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    WideFloatUnary {
        op: FloatUnary,
        format: FloatFormat,
        dst: Slot,
        src: Operand,
    },
    WideFloatCompare {
        predicate: FloatPredicate,
        format: FloatFormat,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    FloatCast {
        cast: FloatCast,
        dst: Slot,
        src: Operand,
    },
    /// `dst = a * b + c` with one rounding (`fused`) or two.
    FloatMultiplyAdd {
        format: FloatFormat,
        fused: bool,
        dst: Slot,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// Selects between runs of `count` slots.
    SelectRun {
        dst: Slot,
        cond: Operand,
        a: Operand,
        b: Operand,
        count: u32,
    },
    /// `dst` (`width` slots) = element `index` of a vector of `lanes` elements at `vector`.
    ExtractElement {
        dst: Slot,
        vector: Operand,
        index: Operand,
        width: u32,
        lanes: u32,
    },
    /// `dst` = `vector` with element `index` replaced by `element`.
    InsertElement {
        dst: Slot,
        vector: Operand,
        element: Operand,
        index: Operand,
        width: u32,
        lanes: u32,
    },
    /// Atomic load of `bits` (8 to 64; `bits` of 128 fills two slots).
    AtomicLoad {
        bits: u8,
        ordering: AtomicOrdering,
        align_log2: u8,
        dst: Slot,
        address: Operand,
    },
    AtomicStore {
        bits: u8,
        ordering: AtomicOrdering,
        align_log2: u8,
        address: Operand,
        value: Operand,
    },
    /// `dst` = old value.
    AtomicRmw {
        op: RmwOp,
        bits: u8,
        ordering: AtomicOrdering,
        dst: Slot,
        address: Operand,
        value: Operand,
    },
    /// `dst` = old value (its slots), then one slot: 1 if exchanged.
    CompareExchange {
        bits: u8,
        success: AtomicOrdering,
        failure: AtomicOrdering,
        dst: Slot,
        address: Operand,
        expected: Operand,
        replacement: Operand,
    },
    /// `single_thread`: `syncscope("singlethread")`, a fence for the compiler only.
    Fence {
        ordering: AtomicOrdering,
        single_thread: bool,
    },
    /// `memcpy` (`overlap_allowed` false) and `memmove`.
    MemoryCopy {
        overlap_allowed: bool,
        to: Operand,
        from: Operand,
        size: Operand,
    },
    MemorySet {
        to: Operand,
        value: Operand,
        size: Operand,
    },
    /// One-operand bit operations on `bits` (1 to 64). A `partial` one has no result for 0 (counts of zeros)
    /// or for the least number (the absolute value).
    Bits {
        op: BitOp,
        bits: u8,
        partial: bool,
        dst: Slot,
        src: Operand,
    },
    /// Two-operand integer intrinsics on `bits` (1 to 64).
    Minmax {
        op: MinmaxOp,
        bits: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// `dst` = wrapped result, `dst + slots(bits)` = 1 on overflow. Widths over 64 take several slots.
    WithOverflow {
        op: BinaryOp,
        signed: bool,
        bits: u32,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// `fshl` (`left`) / `fshr` on `bits` (1 to 64).
    FunnelShift {
        left: bool,
        bits: u8,
        dst: Slot,
        high: Operand,
        low: Operand,
        shift: Operand,
    },
    /// `dst` = address of the calling thread's copy of thread-local `global` (the address of its template).
    ThreadLocalAddress {
        dst: Slot,
        global: Operand,
    },
    /// `va_start(list)`: see [`ArgumentClass`](crate::function::ArgumentClass).
    VariadicStart {
        list: Operand,
    },
    VariadicCopy {
        to: Operand,
        from: Operand,
    },
    VariadicEnd,
    /// `dst` = a token for the present set of stack objects.
    StackSave {
        dst: Slot,
    },
    StackRestore {
        token: Operand,
    },
    /// `llvm.lifetime.start`/`end` of a stack object.
    Lifetime {
        start: bool,
        address: Operand,
    },
    /// `llvm.assume`: an execution in which it is false has undefined behaviour.
    Assume {
        cond: Operand,
    },
    /// `llvm.trap` (`abort`-like) and `llvm.debugtrap`.
    Trap,
    /// `llvm.frameaddress`/`llvm.returnaddress` of `level`.
    FrameAddress {
        dst: Slot,
        return_address: bool,
        level: u32,
    },
    /// `llvm.readcyclecounter`, `rdtsc`: deterministic virtual time.
    CycleCounter {
        dst: Slot,
    },
    /// `dst` = position of the label at `address` in the run of `count` pool entries at `labels`. A computed
    /// goto may lead to these; any other address is an error of the program.
    LabelPosition {
        dst: Slot,
        address: Operand,
        labels: Operand,
        count: u32,
    },
    /// `dst` = a value that the program never gave: `undef` as an argument or a result.
    Undefined {
        bits: u8,
        dst: Slot,
    },
    /// Any construct the loader knows but cannot translate.
    Unsupported {
        what: String,
    },
    /// `landingpad`: the first instruction of a block that only unwinding enters. It writes its value (two
    /// slots: the exception, the selector), and execution goes on after it.
    LandingPad {
        dst: Slot,
        clauses: Vec<Clause>,
        cleanup: bool,
    },
    /// `dst` = the selector value of exceptions caught by the type information at `of`
    /// (`llvm.eh.typeid.for`).
    TypeSelector {
        dst: Slot,
        of: Operand,
    },
}

/// How one scalar piece of a memory-resident value maps to a slot: `bits` at byte `offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// Byte offset from the address of the access.
    pub offset: u32,
    /// Width in bits (1 to 64); `ceil(bits / 8)` bytes are read or written.
    pub bits: u8,
}

/// A clause of a landing pad, in the order in which they are tested. Operands are addresses of type
/// information.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Clause {
    /// Exceptions of this type; of any if it is null.
    Catch(Operand),
    /// Exceptions of none of these types.
    Filter(Vec<Operand>),
}

/// One-operand bit operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BitOp {
    PopulationCount,
    /// Count of leading zeros; the width itself for zero.
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    Reverse,
    /// Absolute value; the minimum stays itself.
    Absolute,
}

/// Integer minimum, maximum and saturating arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum MinmaxOp {
    SMin,
    SMax,
    UMin,
    UMax,
    /// Saturating arithmetic.
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    /// A shift by the width or more has no result.
    SShlSat,
    UShlSat,
}

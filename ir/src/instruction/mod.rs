//! The dense instruction set that the loader emits and the interpreter executes.

mod extended;

pub use extended::{BitOp, Clause, Extended, MinmaxOp, Piece};

use serde::{Deserialize, Serialize};

/// Index of a 64-bit register slot of a frame.
pub type Slot = u32;

/// Where an instruction reads from: a register slot of the frame, or an entry of the function's constant
/// pool.
///
/// A value of several slots is named by its first one; the others follow, in the frame or in the pool alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operand(u32);

/// `%5` is slot 5, `#5` entry 5 of the constant pool.
impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.is_constant() { '#' } else { '%' }, self.index())
    }
}

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// The operand that reads register slot `slot` (below 2^31).
    pub const fn slot(slot: Slot) -> Self {
        Self(slot)
    }

    /// The operand that reads entry `index` (below 2^31) of the function's constant pool.
    pub const fn constant(index: u32) -> Self {
        Self(index | Self::CONSTANT)
    }

    /// Whether this operand reads the constant pool.
    pub const fn is_constant(self) -> bool {
        self.0 & Self::CONSTANT != 0
    }

    /// Index into the frame's slots or the constant pool, whichever [`is_constant`](Self::is_constant) says.
    pub const fn index(self) -> usize {
        (self.0 & !Self::CONSTANT) as usize
    }

    /// The operand `count` slots (or pool entries) further on: an element of a value of several slots.
    pub const fn offset(self, count: u32) -> Self {
        Self(self.0 + count)
    }
}

/// Two-operand integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)] // LLVM's own names
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Integer comparison predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)] // LLVM's own names
pub enum Predicate {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Integer width changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)] // LLVM's own names
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
}

/// Floating-point formats. `Half`, `BFloat`, `Single` and `Double` take one slot, the others two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum FloatFormat {
    Half,
    BFloat,
    Single,
    Double,
    /// x86_fp80: 80 bits in two slots.
    Extended80,
    Quad,
}

impl FloatFormat {
    /// Width of the value in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Half | Self::BFloat => 16,
            Self::Single => 32,
            Self::Double => 64,
            Self::Extended80 => 80,
            Self::Quad => 128,
        }
    }
}

/// Floating-point arithmetic; `Minimum`/`Maximum` as LLVM's `llvm.minnum`/`llvm.maxnum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Minimum,
    Maximum,
    CopySign,
}

/// One-operand floating-point operations, results in the same format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum FloatUnary {
    Negate,
    Absolute,
    SquareRoot,
    Floor,
    Ceiling,
    Truncate,
    /// To nearest, ties to even (`rint`, `nearbyint`, `roundeven`).
    RoundEven,
    /// To nearest, ties away from zero (`round`).
    RoundAway,
}

/// LLVM's `fcmp` predicates as a set of outcomes: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
/// `fcmp oeq` is `0b0001`, `fcmp une` is `0b1110`, as in LLVM's own encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct FloatPredicate(pub u8);

/// Conversions between integers and floating point, and between formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatCast {
    /// Format to format (`fpext`, `fptrunc`).
    Convert { from: FloatFormat, to: FloatFormat },
    /// Float to integer of `bits`; `saturate` for `llvm.fpto*i.sat`, else out of range is poison (zero here).
    ToInteger { from: FloatFormat, bits: u32, signed: bool, saturate: bool },
    /// Integer of `bits` to float.
    FromInteger { bits: u32, signed: bool, to: FloatFormat },
}

/// Atomic memory orderings of LLVM IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum AtomicOrdering {
    NotAtomic,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// Operations of `atomicrmw`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)] // LLVM's own names
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FloatAdd,
    FloatSub,
    /// As `llvm.maxnum`.
    FloatMaximum,
    /// As `llvm.minnum`.
    FloatMinimum,
    IncrementWrap,
    DecrementWrap,
    /// Subtracts if the result is not negative.
    SubConditional,
    SubSaturating,
}

/// Flags of integer arithmetic whose violation is poison.
pub mod flags {
    /// `nuw`: unsigned overflow is poison.
    pub const NO_UNSIGNED_WRAP: u8 = 1;
    /// `nsw`: signed overflow is poison.
    pub const NO_SIGNED_WRAP: u8 = 2;
    /// `exact` division or shift.
    pub const EXACT: u8 = 4;
}

/// One instruction. `bits` is a width of 1 to 64 bits; wider integers use [`Extended`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // fields are the operands the variant's line names
pub enum Inst {
    /// `dst = a op b` on integers of `bits`; `flags` from [`flags`].
    Binary {
        op: BinaryOp,
        bits: u8,
        flags: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// `dst = a predicate b` (one bit).
    Compare {
        predicate: Predicate,
        bits: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// `dst = cast(src)`.
    Cast {
        op: CastOp,
        from: u8,
        to: u8,
        dst: Slot,
        src: Operand,
    },
    /// `dst = base + sign_extend(index, index_bits) * scale`: one step of `getelementptr`.
    PointerIndex {
        index_bits: u8,
        scale: u16,
        dst: Slot,
        base: Operand,
        index: Operand,
    },
    /// `dst = cond ? a : b`, one slot.
    Select {
        dst: Slot,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// Copies `count` slots (which never overlap).
    Copy {
        dst: Slot,
        src: Operand,
        count: u32,
    },
    /// Loads `ceil(bits / 8)` bytes, little-endian, as an integer of `bits`.
    Load {
        bits: u8,
        volatile: bool,
        align_log2: u8,
        dst: Slot,
        address: Operand,
    },
    /// Stores `ceil(bits / 8)` bytes, little-endian, the value zero-extended to whole bytes.
    Store {
        bits: u8,
        volatile: bool,
        align_log2: u8,
        address: Operand,
        value: Operand,
    },
    /// `dst = a op b` on one-slot formats.
    Float {
        op: FloatOp,
        format: FloatFormat,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    FloatUnary {
        op: FloatUnary,
        format: FloatFormat,
        dst: Slot,
        src: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        format: FloatFormat,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// `dst` = address of a fresh stack object of `count * size` bytes, alive until the frame returns.
    /// `site` numbers the allocas of the function, in order.
    Alloca {
        align_log2: u8,
        site: u16,
        dst: Slot,
        count: Operand,
        size: u32,
    },
    /// Anything rarer: entry of the function's `extended` table.
    Extended {
        index: u32,
    },
    /// A call: entry of the function's `calls` table. Execution goes on at the next instruction.
    Call {
        site: u32,
    },
    /// Unconditional: takes edge `edge`.
    Jump {
        edge: u32,
    },
    /// Takes edge `edges` if `cond` is 1, else edge `edges + 1`.
    Branch {
        cond: Operand,
        edges: u32,
    },
    /// [`Inst::Compare`] and [`Inst::Branch`] in one; the comparison's result has no other use.
    CompareBranch {
        predicate: Predicate,
        bits: u8,
        a: Operand,
        b: Operand,
        edges: u32,
    },
    /// Entry of the function's `switches` table.
    Switch {
        value: Operand,
        index: u32,
    },
    /// Returns the run of slots at `value`, as many as the function's `return_slots`.
    Return {
        value: Operand,
    },
    /// `unreachable`: executing it is an error of the program.
    Unreachable,
}

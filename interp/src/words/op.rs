//! The instruction set of prepared code.
//!
//! In names, `C` at the end says that the last operand is a constant in [`Op::wide`]. `S` says that a signed
//! overflow, `B` that an overflow of either kind hands the instruction to the general loop. Comparisons are
//! few because operands and targets can be exchanged. `N` compares at any width, after a shift to the top of
//! the word by [`Op::small`].

/// One instruction in 16 bytes: registers and positions in the code are numbers below 2^16.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Op {
    pub code: Code,
    pub small: u8,
    /// The register written, or the first target of a branch.
    pub dst: u16,
    pub a: u16,
    pub b: u16,
    pub wide: u64,
}

impl Op {
    /// An instruction for the general loop.
    pub const GENERAL: Op = Op { code: Code::General, small: 0, dst: 0, a: 0, b: 0, wide: 0 };
}

/// The effect of an [`Op`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Code {
    /// The general loop executes this one.
    General,

    // dst = a op b
    Add64,
    Add64S,
    Add64B,
    Add64C,
    Add64SC,
    Add64BC,
    Add32,
    Add32S,
    Add32B,
    Add32C,
    Add32SC,
    Add32BC,
    Sub64,
    Sub64S,
    Sub64B,
    Sub32,
    Sub32S,
    Sub32B,
    Mul64,
    Mul64S,
    Mul64B,
    Mul64C,
    Mul64SC,
    Mul64BC,
    Mul32,
    Mul32S,
    Mul32B,
    Mul32C,
    Mul32SC,
    Mul32BC,
    And,
    AndC,
    Or,
    OrC,
    Xor,
    XorC,
    /// `dst = (a << small) & wide`.
    ShiftLeft,
    /// `dst = a >> small`.
    ShiftRight,
    /// `dst = ((a << small) >> b) & wide`, the second shift a signed one.
    SignShift,
    /// Any other: the operator is `b & 0xf`, its flags `b >> 4`, the width `small`, the operands in `wide`.
    Binary,

    // dst = (a ? b) != small; of constants, (a ? wide) != small
    Equal,
    EqualC,
    Less,
    LessC,
    GreaterC,
    SignedLess32,
    SignedLess32C,
    SignedGreater32C,
    SignedLess64,
    SignedLess64C,
    SignedGreater64C,
    /// Any other comparison: the predicate is `b`, the width `small`, the operands in `wide`.
    Compare,

    /// `dst = a`.
    Move,
    MoveC,
    /// `dst = a & 1 ? .. : ..`, the operands in `wide`.
    Select,
    /// `dst = b + a * wide`.
    Index,
    /// `dst = wide + a * b`.
    IndexC,
    /// As `Index`, the index a signed number of 32 bits.
    Index32,
    Index32C,

    // Loads: `a` holds the address, `small` the bits of it that must be zero.
    Load8,
    Load16,
    Load32,
    Load64,
    Load8C,
    Load16C,
    Load32C,
    Load64C,
    // `Index` and the load after it.
    IndexLoad8,
    IndexLoad16,
    IndexLoad32,
    IndexLoad64,
    IndexLoad8C,
    IndexLoad16C,
    IndexLoad32C,
    IndexLoad64C,
    // `Add64C` and the load after it.
    OffsetLoad8,
    OffsetLoad16,
    OffsetLoad32,
    OffsetLoad64,
    // Stores: `a` holds the address, `b` the value.
    Store8,
    Store16,
    Store32,
    Store64,
    // `wide` is the value.
    StoreValue8,
    StoreValue16,
    StoreValue32,
    StoreValue64,
    // `wide` is the address.
    Store8C,
    Store16C,
    Store32C,
    Store64C,
    // An address computation and the store after it, as with loads; `V` at the end says that the
    // value is a constant.
    IndexStore8,
    IndexStore16,
    IndexStore32,
    IndexStore64,
    IndexStore8V,
    IndexStore16V,
    IndexStore32V,
    IndexStore64V,
    IndexStore8C,
    IndexStore16C,
    IndexStore32C,
    IndexStore64C,
    IndexStore8CV,
    IndexStore16CV,
    IndexStore32CV,
    IndexStore64CV,
    OffsetStore8,
    OffsetStore16,
    OffsetStore32,
    OffsetStore64,
    OffsetStore8V,
    OffsetStore16V,
    OffsetStore32V,
    OffsetStore64V,

    /// `dst = a op b`: the operator is `b`, the format `small`, the operands in `wide`.
    Float,
    FloatCompare,

    // To `dst`, after up to three moves; the program counts `small` instructions.
    Goto,
    /// Then to `b`.
    MoveGoto,
    MoveGotoC,
    /// Then to `b`; the second move in the low half of `wide`.
    Move2Goto,
    Move3Goto,

    // To `dst` if so, else to `b`; of two registers, else to `wide`.
    BranchBit,
    BranchEqual,
    BranchEqualC,
    BranchLess,
    BranchLessC,
    BranchGreaterC,
    BranchSignedLess32,
    BranchSignedLess32C,
    BranchSignedGreater32C,
    BranchSignedLess64,
    BranchSignedLess64C,
    BranchSignedGreater64C,
    BranchSignedLessN,
    BranchSignedLessNC,
    BranchSignedGreaterNC,
    /// On `a`, by switch table `wide`.
    Switch,
}

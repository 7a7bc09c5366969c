//! Which failure of its kind.

use serde::{Deserialize, Serialize};

/// Which failure of its [kind](crate::FailureKind). Reports have its [word](Self::word).
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(test, derive(strum::EnumIter))]
pub enum FailureDetail {
    /// The kind says it all.
    #[default]
    #[serde(rename = "")]
    #[strum(serialize = "")]
    Plain,
    /// An assumption given to the compiler does not hold.
    Assume,
    /// A deadlock or livelock in which a suggested fix holds a thread back.
    Assumed,
    /// A count of the leading or trailing zeros of 0, where the compiler was promised none.
    CountOfZero,
    /// A lock is destroyed while a thread holds it.
    DestroyLocked,
    /// An object is destroyed while threads wait at it.
    DestroyWaited,
    /// A thread is detached that was joined, or is being joined.
    DetachJoined,
    /// A thread is detached a second time.
    DetachTwice,
    /// A division by zero.
    DivisionByZero,
    /// A division whose quotient does not fit.
    DivisionOverflow,
    /// A block is freed that was freed before.
    DoubleFree,
    /// A race that is an access in no order with the end of the variable's life.
    EndOfLife,
    /// A call of `reach_error` and the like: the place that a program names as its error.
    ErrorCall,
    /// A thread ends while it holds a mutex that is not robust.
    ExitHoldingLock,
    /// A float is converted to an integer that it does not fit.
    FloatToInteger,
    /// A division that was promised to be exact leaves a remainder.
    Inexact,
    /// A lock is initialised while a thread holds it.
    InitLocked,
    /// An object is initialised while threads wait at it.
    InitWaited,
    /// Something is freed that no allocation returned.
    InvalidFree,
    /// A `longjmp` to an activation that has returned.
    InvalidJump,
    /// A call of `symx_invariant` whose condition does not hold.
    Invariant,
    /// A `std::thread` is destroyed, or another assigned to it, before it is joined or detached.
    Joinable,
    /// A detached thread is joined.
    JoinDetached,
    /// A thread is joined a second time.
    JoinTwice,
    /// An address that is no multiple of the alignment.
    Misaligned,
    /// A call that does not fit the function's definition.
    MismatchedCall,
    /// A block is released another way than it was made.
    MismatchedFree,
    /// An argument is wider than its parameter.
    NarrowedArgument,
    /// An access through a null pointer.
    NullDeref,
    /// An access past the bounds of an object.
    OutOfBounds,
    /// Rust code panicked.
    Panic,
    /// A write to constant memory.
    ReadOnly,
    /// The initialisation of a static object needs that object.
    RecursiveInitialisation,
    /// A shift by the width of its operand or more, or by a negative number.
    ShiftOutOfRange,
    /// A signed result that does not fit.
    SignedOverflow,
    /// The stack takes more than there is.
    StackOverflow,
    /// A call passes more arguments than the function takes.
    SurplusArguments,
    /// A thread that was neither joined nor detached.
    Thread,
    /// A trap instruction.
    Trap,
    /// Memory that is allocated, and still pointed to, when the process ends.
    Unfreed,
    /// A value or an object is used that nothing initialised.
    Uninitialised,
    /// A lock is released by a thread that does not hold it.
    UnlockNotOwner,
    /// An unsigned result that does not fit, where the compiler was promised that it does.
    UnsignedOverflow,
    /// Control reaches code that the compiler marked as unreachable.
    Unreachable,
    /// A synchronisation object is used after it was destroyed.
    UseAfterDestroy,
    /// A block is used after it was freed.
    UseAfterFree,
    /// A local variable is used after its function has returned.
    UseAfterReturn,
    /// A local variable is used after its block has ended.
    UseAfterScope,
    /// A wait at a condition variable without its mutex.
    WaitNotOwner,
    /// Threads wait at one condition variable with different mutexes.
    WaitOtherMutex,
    /// An argument is narrower than its parameter.
    WidenedArgument,
    /// An indirect jump to no label of the function.
    WildGoto,
    /// An access through a pointer to no object.
    WildPointer,
}

impl FailureDetail {
    /// The contract's word for it; "" where the kind says it all.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether it is an access to an object whose life has ended.
    pub fn is_late_use(self) -> bool {
        matches!(
            self,
            Self::UseAfterDestroy | Self::UseAfterFree | Self::UseAfterReturn | Self::UseAfterScope
        )
    }
}

impl std::fmt::Display for FailureDetail {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn json_has_the_word() {
        for detail in FailureDetail::iter() {
            assert_eq!(serde_json::to_value(detail).unwrap(), detail.word());
            assert_eq!(serde_json::from_value::<FailureDetail>(detail.word().into()).unwrap(), detail);
        }
    }
}

//! Results that LLVM calls poison: what an instruction yields when a promise of its flags is broken.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::{Fault, Stop};
use crate::value::Value;
use symx_ir::SpanId;
use symx_trace::{FailureKind, ThreadId};

/// Which promise is broken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PoisonReason {
    /// `nsw`: the exact result does not fit the width as a signed number.
    SignedOverflow,
    /// `nuw`: the exact result does not fit the width as an unsigned number.
    UnsignedOverflow,
    /// A shift by the width or more.
    ShiftOutOfRange,
    /// `exact`: a division with a remainder, or a shift that loses ones.
    Inexact,
}

impl PoisonReason {
    /// The contract's word.
    pub fn detail(self) -> &'static str {
        match self {
            Self::SignedOverflow => "signed-overflow",
            Self::UnsignedOverflow => "unsigned-overflow",
            Self::ShiftOutOfRange => "shift-out-of-range",
            Self::Inexact => "inexact",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::SignedOverflow => "the result of signed arithmetic does not fit its type",
            Self::UnsignedOverflow => "the result of arithmetic that cannot wrap does not fit its type",
            Self::ShiftOutOfRange => "a shift by the width of its operand or more",
            Self::Inexact => "a division or shift declared exact loses bits",
        }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// The result, `bits` wide, of an instruction of `thread` at `span` that broke the promise `reason` names.
    #[cold]
    pub(crate) fn poison(
        &mut self,
        _state: &mut State<E>,
        _thread: ThreadId,
        _span: SpanId,
        _bits: u8,
        reason: PoisonReason,
    ) -> Result<Value, Stop> {
        Err(Fault::new(FailureKind::Arithmetic, reason.detail(), reason.message()).into())
    }
}

//! Modelled functions, but for their models.

use symx_trace::CallEffect;

/// A modelled function besides its model: what reports and engines know of it.
#[derive(PartialEq, Eq, Debug)]
pub struct ModelledFunction {
    /// The name by which programs are linked with it.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Whether its name is reserved for implementations: programs do not call it, their libraries do.
    pub is_reserved: bool,
    /// Its effect on other threads or on objects.
    pub effect: CallEffect,
    /// Its role for engines.
    pub role: Role,
}

impl ModelledFunction {
    /// A model that no function of a program stands for: the beginning or the end of a thread or the like.
    pub const fn internal(name: &'static str, effect: CallEffect) -> Self {
        Self { name, title: name, is_reserved: false, effect, role: Role::None }
    }
}

/// A property by which an engine distinguishes a modelled function, besides its effect on other threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// Nothing.
    #[default]
    None,
    /// It does nothing but let other threads run.
    Yields,
    /// It begins an [atomic block](crate::environment::Call::begin_atomic_block).
    BeginsAtomicBlock,
    /// It ends clean-ups and continues to unwind, where LLVM has a terminator.
    Resumes,
    /// It runs a routine for a control, its first argument, that others wait for meanwhile.
    RunsOnce,
    /// It sends a signal, at once or later.
    Signals,
    /// It cancels a thread.
    Cancels,
    /// The kernel is called by a number.
    CallsKernel,
    /// A wait for a lock or a unit in which time may be up, as a native run can be made to see.
    GivesUp,
}

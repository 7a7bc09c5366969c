//! Modelled functions, but for their models.

use symx_trace::CallEffect;

/// A modelled function besides its model: what reports and engines know of it.
#[derive(Debug)]
pub struct ModelledFunction {
    /// The name by which programs are linked with it.
    pub name: &'static str,
    /// Its name for people.
    pub title: Title,
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
        Self { name, title: Title::Fixed(name), is_reserved: false, effect, role: Role::None }
    }
}

/// The name of a modelled function for people.
#[derive(Clone, Copy, Debug)]
pub enum Title {
    /// The same for every call.
    Fixed(&'static str),
    /// That of the number in the first argument, of a function that stands for many.
    Numbered {
        /// The name of a number; `None` if it has none.
        of: fn(u64) -> Option<&'static str>,
        /// The name of a call whose number has none, or is not known.
        otherwise: &'static str,
    },
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

//! A row of a table of models: a function by its names.

use crate::answer::Model;
use symx_ir::Modelled;
use symx_trace::CallEffect;

/// A modelled function.
pub(crate) struct Row {
    /// Its names: the same function can have several.
    pub names: &'static [&'static str],
    /// The model.
    pub model: Model,
    /// Whether it answers alone or leaves some calls to the library's own definition.
    pub modelled: Modelled,
    /// Its effect on other threads or on objects.
    pub effect: CallEffect,
}

impl Row {
    /// The same of a function that does this.
    pub const fn which(self, effect: CallEffect) -> Self {
        Self { effect, ..self }
    }
}

/// A row of a function that is modelled in all cases.
pub(crate) const fn row(names: &'static [&'static str], model: Model) -> Row {
    Row { names, model, modelled: Modelled::Instead, effect: CallEffect::Other }
}

/// A row of a function that is modelled in simple cases only.
pub(crate) const fn fast_path(names: &'static [&'static str], model: Model) -> Row {
    Row { names, model, modelled: Modelled::WithFallback, effect: CallEffect::Other }
}

/// A row of a function of a language's runtime that is compiled into the program; it leaves some calls to the
/// program's own definition.
pub(crate) const fn of_runtime(names: &'static [&'static str], model: Model) -> Row {
    Row { names, model, modelled: Modelled::InProgram, effect: CallEffect::Other }
}

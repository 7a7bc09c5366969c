//! A row of a table of models: a function by its names.

use crate::answer::Model;
use symx_interp::threads::modelled::{Role, Title};
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
    /// Its role for engines.
    pub role: Role,
    /// Its name for people, where that is none of its names.
    pub title: Option<Title>,
}

impl Row {
    /// The same of a function that does this.
    pub const fn which(self, effect: CallEffect) -> Self {
        Self { effect, ..self }
    }

    /// The same of a function that engines distinguish by this.
    pub const fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// The same of a function that people know by this name.
    pub const fn titled(self, title: &'static str) -> Self {
        self.titled_as(Title::Fixed(title))
    }

    /// The same of a function whose calls people know by this name.
    pub const fn titled_as(self, title: Title) -> Self {
        Self { title: Some(title), ..self }
    }
}

/// A row of a function that is modelled in all cases.
pub(crate) const fn row(names: &'static [&'static str], model: Model) -> Row {
    let (effect, role) = (CallEffect::Other, Role::None);
    Row { names, model, modelled: Modelled::Instead, effect, role, title: None }
}

/// A row of a function that is modelled in simple cases only.
pub(crate) const fn fast_path(names: &'static [&'static str], model: Model) -> Row {
    Row { modelled: Modelled::WithFallback, ..row(names, model) }
}

/// A row of a function of a language's runtime that is compiled into the program; it leaves some calls to the
/// program's own definition.
pub(crate) const fn of_runtime(names: &'static [&'static str], model: Model) -> Row {
    Row { modelled: Modelled::InProgram, ..row(names, model) }
}

//! The list of tables: every function this crate answers.

use crate::answer::Model;
use crate::rust;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
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

const TABLES: &[&[Row]] = &[
    crate::assertions::ROWS,
    crate::assertions::error_calls::ROWS,
    crate::assertions::sanitizer::ROWS,
    crate::memory::atomic_objects::ROWS,
    crate::sync::atomic_section::ROWS,
    crate::sync::barrier::ROWS,
    crate::threads::cancellation::ROWS,
    crate::sync::condition::ROWS,
    crate::memory::heap::ROWS,
    crate::jumps::ROWS,
    crate::kernel::QUEUE_ROWS,
    crate::kernel::ROWS,
    crate::kernel::SCHEDULING_ROWS,
    crate::kernel::TIMER_ROWS,
    crate::kernel::TIME_ROWS,
    crate::threads::keys::ROWS,
    crate::sync::library_lock::ROWS,
    crate::sync::open_streams::ROWS,
    crate::limits::ROWS,
    crate::threads::main_thread::ROWS,
    crate::math::ROWS,
    crate::names::ROWS,
    crate::sync::mutex::ROWS,
    crate::sync::mutex_attributes::ROWS,
    crate::sync::once::ROWS,
    crate::cxx::operator_new::ROWS,
    crate::rust::ROWS,
    crate::sync::rwlock::ROWS,
    crate::sync::semaphore::ROWS,
    crate::sync::spin::ROWS,
    crate::threads::standard::ROWS,
    crate::cxx::static_guard::ROWS,
    crate::memory::strings::ROWS,
    crate::symbolic::ROWS,
    crate::threads::attributes::ROWS,
    crate::threads::destructors::ROWS,
    crate::threads::exit::ROWS,
    crate::threads::scheduling::ROWS,
    crate::threads::ROWS,
    crate::cxx::unwind::ROWS,
];

/// Rows by name. Never changes once made.
static INDEX: LazyLock<FxHashMap<&'static str, (&'static str, &'static Row)>> = LazyLock::new(|| {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    rows.flat_map(|row| row.names.iter().map(move |name| (*name, (*name, row)))).collect()
});

/// The row of the function called `name`, with its name.
pub(crate) fn lookup(name: &str) -> Option<(&'static str, &'static Row)> {
    let found = INDEX.get(name).copied();
    let of_runtime = |row: &Row| row.modelled == Modelled::InProgram;
    match rust::runtime_symbol(name) {
        Some(plain) => INDEX.get(plain).copied().filter(|(_, row)| of_runtime(row)),
        None => found.filter(|(_, row)| !of_runtime(row)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_has_two_rows() {
        let names = TABLES.iter().flat_map(|table| table.iter()).flat_map(|row| row.names);
        assert_eq!(names.count(), INDEX.len());
    }

    #[test]
    fn fast_paths_fall_back_and_the_rest_stands_alone() {
        assert_eq!(lookup("memcpy").map(|(_, row)| row.modelled), Some(Modelled::WithFallback));
        assert_eq!(lookup("pthread_mutex_lock").map(|(_, row)| row.modelled), Some(Modelled::Instead));
        assert!(lookup("printf").is_none(), "printf is interpreted");
    }
}

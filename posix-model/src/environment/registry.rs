//! The list of tables: every function this crate answers.

use crate::library::rust;
use crate::row::Row;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use symx_ir::Modelled;

const TABLES: &[&[Row]] = &[
    crate::library::assertions::ROWS,
    crate::library::assertions::error_calls::ROWS,
    crate::library::assertions::sanitizer::ROWS,
    crate::memory::atomic_objects::ROWS,
    crate::sync::atomic_section::ROWS,
    crate::sync::barrier::ROWS,
    crate::threads::cancellation::ROWS,
    crate::sync::condition::ROWS,
    crate::memory::heap::ROWS,
    crate::unwinding::jumps::ROWS,
    crate::kernel::QUEUE_ROWS,
    crate::kernel::ROWS,
    crate::kernel::SCHEDULING_ROWS,
    crate::kernel::TIMER_ROWS,
    crate::kernel::TIME_ROWS,
    crate::threads::keys::ROWS,
    crate::sync::library_lock::ROWS,
    crate::sync::open_streams::ROWS,
    crate::library::limits::ROWS,
    crate::lives::main_thread::ROWS,
    crate::library::math::ROWS,
    crate::library::names::ROWS,
    crate::sync::mutex::ROWS,
    crate::sync::mutex_attributes::ROWS,
    crate::sync::once::ROWS,
    crate::memory::operator_new::ROWS,
    crate::library::rust::ROWS,
    crate::sync::rwlock::ROWS,
    crate::sync::semaphore::ROWS,
    crate::sync::spin::ROWS,
    crate::lives::standard::ROWS,
    crate::sync::static_guard::ROWS,
    crate::memory::strings::ROWS,
    crate::library::symbolic::ROWS,
    crate::threads::attributes::ROWS,
    crate::threads::destructors::ROWS,
    crate::threads::exit::ROWS,
    crate::threads::scheduling::ROWS,
    crate::lives::ROWS,
    crate::threads::ROWS,
    crate::unwinding::unwind::ROWS,
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

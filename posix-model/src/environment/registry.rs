//! The list of tables: every function this crate answers.

use crate::row::Row;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use symx_interp::threads::modelled::{ModelledFunction, Title};
use symx_ir::Modelled;
use symx_ir::known_functions::rust_names::library_path;
use symx_trace::CallEffect;
use symx_trace::profile::{FUNCTIONS, InputFunction};

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
    crate::kernel::processes::fork::ROWS,
    crate::library::rust::ROWS,
    crate::sync::rust::condition::ROWS,
    crate::sync::rust::lock::ROWS,
    crate::sync::rust::read_write_lock::ROWS,
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

/// A function by one of its names.
pub(crate) struct Entry {
    pub row: &'static Row,
    pub function: ModelledFunction,
}

/// Rows by name. Never changes once made.
///
/// The tables are named in a function, not in a static: what a static reaches is compiled into each test of
/// this crate, and that is every model.
fn index() -> &'static FxHashMap<&'static str, Entry> {
    static INDEX: OnceLock<FxHashMap<&'static str, Entry>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = FxHashMap::default();
        for row in TABLES.iter().flat_map(|table| table.iter()) {
            for name in row.names {
                let other = index.insert(*name, entry(name, row));
                debug_assert!(other.is_none(), "{name} has two rows");
            }
        }
        index
    })
}

/// Names that begin so are reserved for implementations (C11, 7.1.3).
const RESERVED: &str = "__";

fn entry(name: &'static str, row: &'static Row) -> Entry {
    let function = ModelledFunction {
        name,
        title: row.title.unwrap_or(Title::Fixed(name)),
        is_reserved: name.starts_with(RESERVED),
        effect: row.effect,
        role: row.role,
    };
    Entry { row, function }
}

/// The entry of the function called `name`.
pub(crate) fn lookup(name: &str) -> Option<&'static Entry> {
    let of_runtime = |entry: &&Entry| entry.row.modelled == Modelled::InProgram;
    match library_path(name) {
        Some(path) => index().get(path.as_str()).filter(of_runtime),
        None => index().get(name).filter(|entry| !of_runtime(entry)),
    }
}

/// The functions that bring input, where calls of them are answered as recorded.
fn functions_of_input() -> &'static [ModelledFunction; FUNCTIONS.len()] {
    static ANSWERED: OnceLock<[ModelledFunction; FUNCTIONS.len()]> = OnceLock::new();
    ANSWERED.get_or_init(|| {
        FUNCTIONS.map(|input| {
            let effect = lookup(input.name).map_or(CallEffect::Other, |entry| entry.function.effect);
            ModelledFunction::internal(input.name, effect)
        })
    })
}

/// A function whose call is answered as recorded.
pub(crate) fn answered(input: &InputFunction) -> Option<&'static ModelledFunction> {
    functions_of_input().iter().find(|function| function.name == input.name)
}

//! Memory-consistency models: what of program order survives.
//!
//! Three things come first:
//!
//! - [`MemoryModel`], the trait: every method is one question, and its answer is a value;
//! - [`StoreBuffer`], stores of one thread that have not reached memory, which the interpreter runs as an
//!   agent;
//! - [`Execution`], a candidate execution that the axioms of a model allow or forbid.
//!
//! A model is one file and one row of [`MODELS`]. It has two halves that a test holds equal:
//!
//! * the *operational* half says when a thread's stores enter its [`StoreBuffer`], what a step waits for, and
//!   which pending stores may reach memory next. A model that keeps history has no buffers: a load chooses
//!   among the writes of a [`WriteHistory`];
//! * the *axiomatic* half says which pairs of one thread's accesses every thread sees in program order.
//!
//! ```
//! use symx_memmodel::{CommitOrder, Drain, Ordering, StorePlacement, by_name};
//!
//! let [sc, tso, pso] = ["sc", "tso", "pso"].map(|name| by_name(name).unwrap());
//! assert_eq!(sc.store(Ordering::Monotonic), StorePlacement::Memory);
//! assert_eq!(tso.store(Ordering::Monotonic), StorePlacement::Buffer);
//!
//! // Stores of one thread leave a TSO buffer in program order, a PSO buffer location by location.
//! assert_eq!(tso.commit_order(), CommitOrder::Program);
//! assert_ne!(pso.commit_order(), CommitOrder::Program);
//! assert!(pso.buffers_stores() && pso.load(Ordering::Acquire) == Drain::Nothing);
//! ```
//!
//! Nothing outside this crate asks which model is running. Read on at `tso.rs`, the shortest model that
//! differs from `sc`; [`RaceDetector`] and [`Synchronisation`] have C11's happens-before and data races.

mod axioms;
mod clock;
mod coherence;
mod execution;
mod happens_before;
mod model;
mod ordering;
mod program_order;
mod races;
mod range;
mod shadow;
mod store_buffer;
mod synchronisation;
mod write_history;

mod pso;
mod pso_v9;
mod sc;
mod tso;
mod weak;

pub use clock::{Clock, Epoch};
pub use execution::{Event, Execution, Location, Operation};
pub use model::{Barrier, CommitOrder, Drain, FenceEffect, Forbidden, Lane, MemoryModel, StorePlacement};
pub use ordering::Ordering;
pub use pso::PartialStoreOrder;
pub use pso_v9::PartialStoreOrderV9;
pub use races::{AccessKind, Origin, RaceDetector};
pub use range::ByteRange;
pub use sc::SequentialConsistency;
pub use shadow::{AccessShadow, ShadowedAccess};
pub use store_buffer::{BufferedStore, Entry, Forwarded, StoreBuffer};
pub use synchronisation::{SyncObject, Synchronisation};
pub use tso::TotalStoreOrder;
pub use weak::HappensBeforeOnly;
pub use write_history::{Reading, WriteHistory};

/// The models every program is expected to say something about, strongest first. Adding a model is its file,
/// its `mod` line and its row here.
pub static MODELS: &[&dyn MemoryModel] = &[&SequentialConsistency, &TotalStoreOrder, &PartialStoreOrder];

/// Models selected by name, not run by default: one that differs from one of [`MODELS`] in a detail,
/// and one far weaker.
pub static VARIANTS: &[&dyn MemoryModel] = &[&PartialStoreOrderV9, &HappensBeforeOnly];

/// The model or variant whose [`name`](MemoryModel::name) is `name`, if there is one.
pub fn by_name(name: &str) -> Option<&'static dyn MemoryModel> {
    all().find(|model| model.name() == name)
}

/// Every model and variant.
pub fn all() -> impl Iterator<Item = &'static dyn MemoryModel> {
    MODELS.iter().chain(VARIANTS).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_found_by_its_own_name_only() {
        for (row, model) in all().enumerate() {
            assert_eq!(by_name(model.name()).map(|found| found.name()), Some(model.name()));
            assert!(!model.description().is_empty());
            assert!(all().take(row).all(|earlier| earlier.name() != model.name()));
        }
        assert!(by_name("no-such-model").is_none());
    }
}

//! Transport of units of work between machines: NATS JetStream.
//!
//! A *campaign* is one piece of work in many units. Its units wait in a work queue, from which one worker at
//! a time takes a unit. Their results form a log, whose beginning is replaced by a snapshot of its sum. Its
//! parameters for workers are an entry of a key-value bucket. Large contents are objects, named by their
//! hash.
//!
//! Here units, results and objects are bytes. Their meaning, and which result counts, is for the user to say.
//! The guarantee is: a unit that was [published](Queue::publish) is [taken](Queue::take) until a worker has
//! [handed in](Taken::hand_in) its result. The result is in the log before the unit is gone from the queue.
//! So a unit may be taken twice, and the log may have two results of it; none is lost with a worker.
//!
//! All calls block; the connection lives on a thread of its own.

mod campaigns;
mod connection;
mod error;
mod log;
mod objects;
mod pace;
mod queue;
mod traffic;
mod workers;

pub use campaigns::{CampaignEntry, CampaignId, State};
pub use connection::{Access, Cluster};
pub use error::ClusterError;
pub use log::{Entry, Log};
pub use objects::Digest;
pub use pace::Pace;
pub use queue::{Effort, Hints, Queue, Taken, Waiting};
pub use traffic::{Passed, Traffic};
pub use workers::WorkerEntry;

//! What carries units of work between machines: NATS JetStream.
//!
//! A *campaign* is one piece of work in many units. Its units wait in a work queue, from which a unit is
//! taken by one worker at a time; what comes of them is a log, whose beginning gives way to a snapshot of
//! what it has come to; what every worker needs to know of it is an entry of a key-value bucket; large things
//! are objects that go by their hash.
//!
//! Here units, results and objects are bytes. What they mean, and which result counts, is for the user to
//! say. This is held: a unit that was [published](Queue::publish) is [taken](Queue::take) until a worker has
//! [handed in](Taken::hand_in) its result, and the result is in the log before the unit is gone from the
//! queue. So a unit may be taken twice, and the log may have two results of it; none is lost with a worker.
//!
//! All calls block; the connection lives on a thread of its own.

mod campaigns;
mod connection;
mod error;
mod log;
mod objects;
mod pace;
mod queue;
mod snapshots;
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

//! Workers: which are present. An entry that is not renewed is gone after a while.

use crate::{Cluster, ClusterError};
use serde::{Deserialize, Serialize};

/// The public entry of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerEntry {
    /// Which build of symx it is of.
    pub build: String,
    /// Its machine and process, for people.
    pub place: String,
    /// How many units it explores at a time.
    pub jobs: usize,
    /// Units explored so far.
    pub units: u64,
    /// Executions counted so far.
    pub executions: u64,
}

impl Cluster {
    /// A name for a worker that no other one has.
    pub fn new_worker(&self) -> String {
        blake3::hash(self.client.new_inbox().as_bytes()).to_hex()[..12].to_owned()
    }

    /// Says that a worker is there.
    pub fn announce(&self, worker: &str, entry: &WorkerEntry) -> Result<(), ClusterError> {
        let what = "note a worker";
        let bytes = serde_json::to_vec(entry).map_err(|error| ClusterError::failed(what, &error))?;
        let put = self.wait(self.workers.put(worker, bytes.into()));
        put.map(drop).map_err(|error| ClusterError::failed(what, &error))
    }

    /// Says that a worker leaves.
    pub fn leave(&self, worker: &str) -> Result<(), ClusterError> {
        let purged = self.wait(self.workers.purge(worker));
        purged.map_err(|error| ClusterError::failed("note that a worker leaves", &error))
    }

    /// The workers that are there.
    pub fn workers(&self) -> Result<Vec<(String, WorkerEntry)>, ClusterError> {
        let what = "list workers";
        let mut all = Vec::new();
        for key in self.keys(&self.workers, what)? {
            let found =
                self.wait(self.workers.get(&key)).map_err(|error| ClusterError::failed(what, &error))?;
            // One of another version may say other things of itself.
            if let Some(entry) = found.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
                all.push((key, entry));
            }
        }
        Ok(all)
    }
}

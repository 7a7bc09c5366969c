//! Snapshots of the sum of a log's results, so that these results need not be kept.
//!
//! The state is an object; an entry of the key-value bucket says which, and with which result the log goes
//! on. The entry changes only from the one that this process knows to be newest. Of two that add up the same
//! log, the later one loses and [is out of date](Log::is_outdated).

use crate::{CampaignId, Cluster, ClusterError, Digest, Log};
use async_nats::jetstream::kv::{Operation, UpdateErrorKind};
use serde::{Deserialize, Serialize};

/// How often to look for a snapshot whose state another process has just removed.
const LOOKS: usize = 5;

/// The server's entry of a campaign's newest snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The first result that is not in it.
    pub next: u64,
    /// The state.
    object: Digest,
    /// Which change of the entry it is; none before the first.
    #[serde(skip)]
    revision: u64,
}

impl CampaignId {
    pub(crate) fn snapshot(&self) -> String {
        format!("{self}.snapshot")
    }
}

impl Cluster {
    /// The newest snapshot of a campaign, and its state.
    pub(crate) fn snapshot(&self, id: &CampaignId) -> Result<Option<(Snapshot, Vec<u8>)>, ClusterError> {
        let mut looks = 0;
        loop {
            let Some(snapshot) = self.again(|| self.newest(id))? else { return Ok(None) };
            looks += 1;
            match self.get(&snapshot.object) {
                Ok(object) => {
                    let state = object.get(id.0.len()..).unwrap_or_default().to_vec();
                    return Ok(Some((snapshot, state)));
                }
                Err(ClusterError::Object(_)) if looks < LOOKS => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn newest(&self, id: &CampaignId) -> Result<Option<Snapshot>, ClusterError> {
        let what = "find a snapshot";
        let found = self.wait(self.campaigns.entry(id.snapshot()));
        let found = found.map_err(|error| ClusterError::failed(what, &error))?;
        let Some(entry) = found.filter(|entry| entry.operation == Operation::Put) else { return Ok(None) };
        let snapshot: Snapshot =
            serde_json::from_slice(&entry.value).map_err(|error| ClusterError::failed(what, &error))?;
        Ok(Some(Snapshot { revision: entry.revision, ..snapshot }))
    }

    /// Removes a campaign's snapshot.
    pub(crate) fn forget_snapshot(&self, id: &CampaignId) -> Result<(), ClusterError> {
        if let Some(snapshot) = self.newest(id)? {
            self.forget(&snapshot.object);
            self.erase(&id.snapshot())?;
        }
        Ok(())
    }
}

impl Log<'_> {
    /// Keeps the sum of all results read so far, and removes these results. Nothing happens if another
    /// process has done so with more of them.
    pub fn shorten(&mut self, state: &[u8]) -> Result<(), ClusterError> {
        let what = "keep a snapshot";
        // Another campaign may have the same state, and is to have an object of its own.
        let object = self.cluster.put(&[self.id.0.as_bytes(), state].concat())?;
        let revision = self.snapshot.as_ref().map_or(0, |snapshot| snapshot.revision);
        let mut snapshot = Snapshot { next: self.next, object: object.clone(), revision };
        let entry = serde_json::to_vec(&snapshot).map_err(|error| ClusterError::failed(what, &error))?;
        let key = self.id.snapshot();
        match self.cluster.wait(self.cluster.campaigns.update(&key, entry.into(), revision)) {
            Ok(revision) => snapshot.revision = revision,
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => {
                let Some(newest) = self.cluster.newest(&self.id)? else { return Ok(()) };
                // This one, if its acknowledgement was lost, or another process's.
                if (newest.next, &newest.object) != (self.next, &object) {
                    if newest.next <= self.next {
                        self.snapshot = Some(newest);
                    }
                    return Ok(());
                }
                snapshot = newest;
            }
            Err(error) => return Err(ClusterError::failed(what, &error)),
        }
        let earlier = self.snapshot.replace(snapshot);
        self.unkept = 0;
        self.count = 0;
        self.state_bytes = state.len();
        let purged = self.cluster.wait(async { self.stream.purge().sequence(self.next).await });
        purged.map_err(|error| ClusterError::failed("shorten a log", &error))?;
        if let Some(earlier) = earlier.filter(|earlier| earlier.object != object) {
            self.cluster.forget(&earlier.object);
        }
        Ok(())
    }

    /// Whether results that were not read yet are gone, as another process has kept their sum.
    pub fn is_outdated(&self) -> Result<bool, ClusterError> {
        Ok(self.cluster.newest(&self.id)?.is_some_and(|snapshot| snapshot.next > self.next))
    }
}

//! Campaigns: what the server knows of each, and where its units and results are kept.

use crate::connection::CAMPAIGNS;
use crate::{Cluster, ClusterError, Digest};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::context::DeleteStreamErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How long a unit that was taken may go without a word from its worker before another one gets it.
pub(crate) const SILENCE: Duration = Duration::from_secs(4);

/// For how long the server remembers which units it has: one that is published twice within it is kept once.
const REMEMBERED: Duration = Duration::from_secs(120);

/// How long a list of what the server has may take.
const LISTED_WITHIN: Duration = Duration::from_secs(15);

/// The consumer that all workers of a campaign share.
pub(crate) const CONSUMER: &str = "workers";

/// Where units and results are published, before the campaign's name.
pub(crate) const UNITS: &str = "symx.units.";
pub(crate) const RESULTS: &str = "symx.results.";

/// The identifier of a campaign.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct CampaignId(pub(crate) String);

/// Whether a campaign's units are to be explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// They are.
    Running,
    /// Not now: it was stopped before its end, and can be resumed.
    Stopped,
    /// There are none left that matter.
    Ended,
}

/// The public entry of a campaign.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CampaignEntry {
    /// Which build of symx its workers have to be of.
    pub build: String,
    /// The version of that build, for people.
    pub version: String,
    /// The explored program, for people.
    pub program: String,
    /// The object that says what is to be done.
    pub task: Digest,
    /// Whether units are to be explored.
    pub state: State,
    /// Executions counted so far.
    pub executions: u64,
    /// Units open.
    pub open: u64,
    /// How much is taken to be done, in millionths.
    pub done: u64,
    /// How often it has restarted.
    pub epoch: u64,
    /// Results counted so far.
    pub results: u64,
}

impl fmt::Display for CampaignId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl CampaignId {
    /// As a user names it.
    pub fn named(name: &str) -> Result<Self, ClusterError> {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_name { Ok(Self(name.to_owned())) } else { Err(ClusterError::NoCampaign(name.to_owned())) }
    }

    pub(crate) fn units(&self) -> String {
        format!("symx-units-{}", self.0)
    }

    pub(crate) fn results(&self) -> String {
        format!("symx-results-{}", self.0)
    }

    pub(crate) fn unit_subject(&self) -> String {
        format!("{UNITS}{}", self.0)
    }

    pub(crate) fn result_subject(&self) -> String {
        format!("{RESULTS}{}", self.0)
    }
}

impl Cluster {
    /// A new campaign, with nothing in its queue and its log.
    pub fn begin(&self, entry: &CampaignEntry) -> Result<CampaignId, ClusterError> {
        let unique = format!("{} {}", self.client.new_inbox(), entry.task);
        let id = CampaignId(blake3::hash(unique.as_bytes()).to_hex()[..10].to_owned());
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("begin a campaign", why);
        let make = || {
            self.wait(async {
                let units = self.jetstream.create_stream(Config {
                    name: id.units(),
                    subjects: vec![id.unit_subject()],
                    retention: RetentionPolicy::WorkQueue,
                    discard: DiscardPolicy::New,
                    duplicate_window: REMEMBERED,
                    ..Config::default()
                });
                let units = units.await.map_err(|error| failed(&error))?;
                let consumer = pull::Config {
                    durable_name: Some(CONSUMER.into()),
                    ack_policy: AckPolicy::Explicit,
                    ack_wait: SILENCE,
                    max_ack_pending: -1,
                    ..pull::Config::default()
                };
                units.create_consumer(consumer).await.map_err(|error| failed(&error))?;
                let results = self.jetstream.create_stream(Config {
                    name: id.results(),
                    subjects: vec![id.result_subject()],
                    discard: DiscardPolicy::New,
                    duplicate_window: REMEMBERED,
                    ..Config::default()
                });
                results.await.map_err(|error| failed(&error))?;
                Ok::<(), ClusterError>(())
            })
        };
        let begun = self.again(make).and_then(|()| self.again(|| self.set_campaign(&id, entry)));
        if begun.is_err() {
            // Without an entry, nothing finds them: they would go on taking room. If this fails, they do.
            let _ = self.remove_streams(&id);
        }
        begun.map(|()| id)
    }

    /// Sets the state of a campaign.
    pub fn set_campaign(&self, id: &CampaignId, entry: &CampaignEntry) -> Result<(), ClusterError> {
        let what = "write the state of a campaign";
        let bytes = serde_json::to_vec(entry).map_err(|error| ClusterError::failed(what, &error))?;
        let put = self.wait(self.campaigns.put(&id.0, bytes.into()));
        put.map(drop).map_err(|error| ClusterError::failed(what, &error))
    }

    /// The state of a campaign; `None` if there is none.
    pub fn campaign(&self, id: &CampaignId) -> Result<Option<CampaignEntry>, ClusterError> {
        let what = "read the state of a campaign";
        let found =
            self.wait(self.campaigns.get(&id.0)).map_err(|error| ClusterError::failed(what, &error))?;
        found
            .map(|bytes| serde_json::from_slice(&bytes).map_err(|error| ClusterError::failed(what, &error)))
            .transpose()
    }

    /// All campaigns.
    pub fn campaigns(&self) -> Result<Vec<(CampaignId, CampaignEntry)>, ClusterError> {
        let keys = self.keys(&self.campaigns, "list campaigns")?;
        let mut all = Vec::new();
        // Names of campaigns have no dot in them; snapshots' have.
        for key in keys.into_iter().filter(|key| !key.contains('.')) {
            let id = CampaignId(key);
            if let Some(entry) = self.campaign(&id)? {
                all.push((id, entry));
            }
        }
        Ok(all)
    }

    /// A number that is another one after each change of what is known of any campaign. Asking costs less
    /// than listing them.
    pub fn changes(&self) -> Result<u64, ClusterError> {
        let found = self.wait(self.jetstream.get_stream(format!("KV_{CAMPAIGNS}")));
        let found = found.map_err(|error| ClusterError::failed("count campaigns", &error))?;
        Ok(found.cached_info().state.last_sequence)
    }

    /// Removes a campaign with its units and results. This needs no room: a full server has some then.
    pub fn remove(&self, id: &CampaignId) -> Result<(), ClusterError> {
        self.again(|| self.remove_streams(id))?;
        self.again(|| self.forget_snapshot(id))?;
        self.again(|| self.erase(&id.0))
    }

    /// Removes the units and the results of a campaign.
    fn remove_streams(&self, id: &CampaignId) -> Result<(), ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("remove a campaign", why);
        self.wait(async {
            for stream in [id.units(), id.results()] {
                match self.jetstream.delete_stream(stream).await {
                    // One that is gone already need not be removed.
                    Err(error) if !matches!(error.kind(), DeleteStreamErrorKind::JetStream(_)) => {
                        return Err(failed(&error));
                    }
                    _ => {}
                }
            }
            Ok(())
        })
    }

    /// Removes an entry of a campaign, and leaves nothing in its place: that would need room.
    pub(crate) fn erase(&self, key: &str) -> Result<(), ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("remove an entry", why);
        self.wait(async {
            let found = self.jetstream.get_stream(format!("KV_{CAMPAIGNS}")).await;
            let bucket = found.map_err(|error| failed(&error))?;
            let purged = bucket.purge().filter(format!("$KV.{CAMPAIGNS}.{key}")).await;
            purged.map(drop).map_err(|error| failed(&error))
        })
    }

    pub(crate) fn keys(
        &self,
        bucket: &async_nats::jetstream::kv::Store,
        what: &'static str,
    ) -> Result<Vec<String>, ClusterError> {
        let list = async {
            let mut keys = bucket.keys().await.map_err(|error| ClusterError::failed(what, &error))?;
            let mut all = Vec::new();
            while let Some(key) = keys.next().await {
                all.push(key.map_err(|error| ClusterError::failed(what, &error))?);
            }
            all.sort();
            Ok(all)
        };
        let listed = self.wait(async { tokio::time::timeout(LISTED_WITHIN, list).await });
        listed.unwrap_or_else(|late| Err(ClusterError::failed(what, &late)))
    }
}

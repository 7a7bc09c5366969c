//! The log of a campaign's results, in the one order in which they count.

mod snapshots;

use crate::queue::UNIT;
use crate::{CampaignId, Cluster, ClusterError};
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};
use futures_util::future::join_all;
use snapshots::Snapshot;
use std::collections::VecDeque;

/// After this many results a log is long: to read each is a request, and this many take about a second.
const MANY: usize = 1000;

/// After this many bytes it is long, too.
const LARGE: usize = 16 << 20;

/// A log is this many times as large as a snapshot before the next one: most of the work is for results.
const TIMES: usize = 4;

/// Most results that are asked for at a time. So the time of one is not that of its way to the server and
/// back.
const MOST_AHEAD: usize = 32;

/// The log of a campaign, read from its newest snapshot.
pub struct Log<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) id: CampaignId,
    pub(crate) stream: Stream,
    pub(crate) next: u64,
    pub(crate) snapshot: Option<Snapshot>,
    beginning: Option<Vec<u8>>,
    /// Results that are here already, and how many to ask for next.
    here: VecDeque<Entry>,
    ahead: usize,
    /// Of the results since the snapshot: how many, and how large. And how large the snapshot is.
    pub(crate) count: usize,
    pub(crate) unkept: usize,
    pub(crate) state_bytes: usize,
}

impl std::fmt::Debug for Log<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Log").field("id", &self.id).field("next", &self.next).finish_non_exhaustive()
    }
}

/// The result of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The unit's name.
    pub unit: String,
    /// Its result.
    pub content: Vec<u8>,
}

impl Cluster {
    /// The log of a campaign.
    pub fn log(&self, id: &CampaignId) -> Result<Log<'_>, ClusterError> {
        let find = || {
            let found = self.wait(self.jetstream.get_stream(id.results()));
            found.map_err(|error| ClusterError::failed("find a log", &error))
        };
        let stream = self.again(find)?;
        let (snapshot, beginning) = self.snapshot(id)?.unzip();
        Ok(Log {
            cluster: self,
            id: id.clone(),
            stream,
            next: snapshot.as_ref().map_or(1, |snapshot| snapshot.next),
            snapshot,
            state_bytes: beginning.as_ref().map_or(0, Vec::len),
            beginning,
            here: VecDeque::new(),
            ahead: 1,
            count: 0,
            unkept: 0,
        })
    }
}

impl Log<'_> {
    /// The sum of results that it does not have any more, if there are such.
    pub fn beginning(&self) -> Option<&[u8]> {
        self.beginning.as_deref()
    }

    /// How many results were read, those included that it does not have any more.
    pub fn results(&self) -> u64 {
        self.next - 1
    }

    /// Whether enough was read since the last snapshot that there should be another one.
    pub fn is_long(&self) -> bool {
        (self.count >= MANY || self.unkept >= LARGE) && self.unkept >= TIMES * self.state_bytes
    }

    /// Whether the next result is here already.
    pub fn has_next(&self) -> bool {
        !self.here.is_empty()
    }

    /// Reads the next result, if there is one yet.
    pub fn read(&mut self) -> Result<Option<Entry>, ClusterError> {
        if self.here.is_empty() {
            self.fetch()?;
        }
        let Some(entry) = self.here.pop_front() else { return Ok(None) };
        self.next += 1;
        self.count += 1;
        self.unkept += entry.content.len();
        Ok(Some(entry))
    }

    /// Asks for the next results: for more at a time as long as there are more.
    fn fetch(&mut self) -> Result<(), ClusterError> {
        let numbers = self.next..self.next + self.ahead as u64;
        let asked = numbers.map(|number| self.stream.get_raw_message(number));
        let found = self.cluster.wait(join_all(asked));
        for message in found {
            let message = match message {
                Ok(message) => message,
                Err(error) if matches!(error.kind(), RawMessageErrorKind::NoMessageFound) => break,
                // Results before it are read first.
                Err(_) if self.has_next() => break,
                Err(error) => return Err(ClusterError::failed("read a result", &error)),
            };
            let content = self.cluster.unpacked(&message.payload, &message.headers)?;
            let unit = message.headers.get(UNIT).map(ToString::to_string).unwrap_or_default();
            self.here.push_back(Entry { unit, content });
        }
        self.ahead = (2 * self.here.len()).clamp(1, MOST_AHEAD);
        Ok(())
    }
}

//! The log of a campaign's results, in the one order in which they count.

use crate::queue::UNIT;
use crate::{CampaignId, Cluster, ClusterError};
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};

/// The log of a campaign, read from its beginning.
pub struct Log<'c> {
    cluster: &'c Cluster,
    stream: Stream,
    next: u64,
}

impl std::fmt::Debug for Log<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Log").field("next", &self.next).finish_non_exhaustive()
    }
}

/// What came of a unit.
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
        let found = self.wait(self.jetstream.get_stream(id.results()));
        let stream = found.map_err(|error| ClusterError::failed("find a log", &error))?;
        Ok(Log { cluster: self, stream, next: 1 })
    }
}

impl Log<'_> {
    /// Reads the next result, if there is one yet.
    pub fn read(&mut self) -> Result<Option<Entry>, ClusterError> {
        let message = match self.cluster.wait(self.stream.get_raw_message(self.next)) {
            Ok(message) => message,
            Err(error) if matches!(error.kind(), RawMessageErrorKind::NoMessageFound) => return Ok(None),
            Err(error) => return Err(ClusterError::failed("read a result", &error)),
        };
        let content = self.cluster.unpacked(&message.payload, &message.headers)?;
        self.next += 1;
        let unit = message.headers.get(UNIT).map(ToString::to_string).unwrap_or_default();
        Ok(Some(Entry { unit, content }))
    }
}

//! The traffic of a server, for measurements: units as they are published, and results as they are handed in.

use crate::campaigns::{RESULTS, UNITS};
use crate::queue::UNIT;
use crate::{Cluster, ClusterError, Effort, Hints};
use async_nats::Subscriber;
use futures_util::StreamExt;
use std::time::Duration;

/// Units and results of all campaigns, from when it began.
pub struct Traffic<'c> {
    cluster: &'c Cluster,
    passing: Subscriber,
}

/// A unit or a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The unit's name.
    pub unit: String,
    /// The unit, or what came of it.
    pub content: Vec<u8>,
    /// How the unit was to be explored.
    pub hints: Option<Hints>,
    /// The effort of a result.
    pub effort: Option<Effort>,
}

impl std::fmt::Debug for Traffic<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Traffic").finish_non_exhaustive()
    }
}

impl Cluster {
    /// The traffic from now on.
    pub fn traffic(&self) -> Result<Traffic<'_>, ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("tell what passes", why);
        let passing = self.wait(async {
            let passing = self.client.subscribe("symx.*.*").await.map_err(|error| failed(&error))?;
            // The server has it only then.
            self.client.flush().await.map_err(|error| failed(&error))?;
            Ok::<_, ClusterError>(passing)
        })?;
        Ok(Traffic { cluster: self, passing })
    }
}

impl Traffic<'_> {
    /// The next one, if one passes within a time.
    pub fn next(&mut self, within: Duration) -> Result<Option<Passed>, ClusterError> {
        let message = self.cluster.wait(async { tokio::time::timeout(within, self.passing.next()).await });
        let Ok(Some(message)) = message else { return Ok(None) };
        let is_ours = |kind: &str| message.subject.as_str().starts_with(kind);
        let Some(headers) = message.headers.as_ref().filter(|_| is_ours(UNITS) || is_ours(RESULTS)) else {
            return Ok(None);
        };
        let unit = headers.get(UNIT).map(ToString::to_string).unwrap_or_default();
        let effort = is_ours(RESULTS).then(|| Effort::noted(headers));
        let hints = is_ours(UNITS).then(|| Hints::noted(headers));
        let content = self.cluster.unpacked(&message.payload, headers)?;
        Ok(Some(Passed { unit, content, hints, effort }))
    }
}

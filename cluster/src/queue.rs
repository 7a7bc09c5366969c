//! The queue of a campaign's units, and handing in their results.

use crate::campaigns::{CONSUMER, SILENCE};
use crate::{CampaignId, Cluster, ClusterError, Digest};
use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use bytes::Bytes;
use futures_util::StreamExt;
use std::time::Duration;

/// Headers of messages: the unit that one is about, the object that its content is, and hints.
pub(crate) const UNIT: &str = "Symx-Unit";
pub(crate) const OBJECT: &str = "Symx-Object";
/// The effort of a result, in microseconds: of a processor's time, and between taking and handing in.
const PROCESSOR: &str = "Symx-Processor-Us";
const PASSED: &str = "Symx-Passed-Us";
const SLICE: &str = "Symx-Slice-Ms";
const UNITS: &str = "Symx-Units";

/// By this a server knows a message that it has already.
const MESSAGE: &str = "Nats-Msg-Id";

/// Larger contents go as an object. This is half of what a server takes in one message by default, a
/// mebibyte.
const LARGEST: usize = 512 << 10;

/// How often a worker that explores a unit has to [say](Taken::keep) so.
pub(crate) const WORD: Duration = Duration::from_millis(1200);

/// Hints for a unit's worker that are no part of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hints {
    /// For how long to explore it.
    pub slice: Duration,
    /// How many units to make of the rest.
    pub units: usize,
}

/// The effort of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// For how long a processor executed.
    pub processor: Duration,
    /// How long it was from taking the unit to handing in.
    pub passed: Duration,
}

impl Hints {
    fn note(self, headers: &mut HeaderMap) {
        headers.insert(SLICE, self.slice.as_millis().to_string().as_str());
        headers.insert(UNITS, self.units.to_string().as_str());
    }

    /// The hints in headers.
    pub(crate) fn noted(headers: &HeaderMap) -> Self {
        let number = |name: &str| headers.get(name).and_then(|value| value.as_str().parse::<u64>().ok());
        Self {
            slice: Duration::from_millis(number(SLICE).unwrap_or(1000)),
            units: number(UNITS).map_or(1, |units| usize::try_from(units).unwrap_or(1)),
        }
    }
}

impl Effort {
    fn note(self, headers: &mut HeaderMap) {
        for (name, time) in [(PROCESSOR, self.processor), (PASSED, self.passed)] {
            headers.insert(name, time.as_micros().to_string().as_str());
        }
    }

    /// The effort in headers; zero if they have none.
    pub(crate) fn noted(headers: &HeaderMap) -> Self {
        let time = |name: &str| headers.get(name).and_then(|value| value.as_str().parse().ok());
        let time = |name: &str| Duration::from_micros(time(name).unwrap_or(0));
        Self { processor: time(PROCESSOR), passed: time(PASSED) }
    }
}

/// The queue of a campaign.
pub struct Queue<'c> {
    cluster: &'c Cluster,
    id: CampaignId,
    consumer: PullConsumer,
}

impl std::fmt::Debug for Queue<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Queue").field("id", &self.id).finish_non_exhaustive()
    }
}

/// How many units wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// In the queue.
    pub queued: u64,
    /// Taken, and not handed in yet.
    pub taken: u64,
}

/// A unit that a worker has taken.
pub struct Taken<'c> {
    cluster: &'c Cluster,
    id: CampaignId,
    message: Message,
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
    /// How to explore it.
    pub hints: Hints,
    /// How often it was taken, this time included.
    pub times: u64,
}

impl std::fmt::Debug for Taken<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Taken").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Cluster {
    /// The queue of a campaign.
    pub fn queue(&self, id: &CampaignId) -> Result<Queue<'_>, ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("find a queue", why);
        let find = || {
            self.wait(async {
                let stream = self.jetstream.get_stream(id.units()).await.map_err(|error| failed(&error))?;
                let found = stream.get_consumer::<pull::Config>(CONSUMER).await;
                found.map_err(|error| failed(error.as_ref()))
            })
        };
        let consumer = self.again(find)?;
        Ok(Queue { cluster: self, id: id.clone(), consumer })
    }

    /// Content as a message's, or as an object that it names.
    pub(crate) fn packed(&self, content: Vec<u8>, headers: &mut HeaderMap) -> Result<Bytes, ClusterError> {
        if content.len() <= LARGEST.min(self.client.max_payload() / 2) {
            return Ok(content.into());
        }
        headers.insert(OBJECT, self.put(&content)?.to_string().as_str());
        Ok(Bytes::new())
    }

    /// The content of a message.
    pub(crate) fn unpacked(&self, payload: &Bytes, headers: &HeaderMap) -> Result<Vec<u8>, ClusterError> {
        match headers.get(OBJECT) {
            None => Ok(payload.to_vec()),
            Some(digest) => self.get(&Digest::named(digest.as_str())),
        }
    }
}

impl<'c> Queue<'c> {
    /// Puts units into the queue. One that is in there already, under the same name and time, is kept once.
    pub fn publish(
        &self,
        units: impl IntoIterator<Item = (String, Vec<u8>)>,
        hints: Hints,
        time: u32,
    ) -> Result<(), ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("take a unit", why);
        let mut sent = Vec::new();
        for (name, content) in units {
            let mut headers = HeaderMap::new();
            headers.insert(MESSAGE, format!("{name}.{time}").as_str());
            headers.insert(UNIT, name.as_str());
            hints.note(&mut headers);
            let payload = self.cluster.packed(content, &mut headers)?;
            let publish =
                self.cluster.jetstream.publish_with_headers(self.id.unit_subject(), headers, payload);
            sent.push(self.cluster.wait(publish).map_err(|error| failed(&error))?);
        }
        self.cluster.wait(async {
            for acknowledged in sent {
                acknowledged.await.map_err(|error| failed(&error))?;
            }
            Ok(())
        })
    }

    /// Removes all units.
    pub fn clear(&self) -> Result<(), ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("remove units", why);
        self.cluster.wait(async {
            let stream = self.cluster.jetstream.get_stream(self.id.units()).await;
            let stream = stream.map_err(|error| failed(&error))?;
            stream.purge().await.map(drop).map_err(|error| failed(&error))
        })
    }

    /// How many units wait.
    pub fn waiting(&self) -> Result<Waiting, ClusterError> {
        let found = self.cluster.wait(self.consumer.get_info());
        let found = found.map_err(|error| ClusterError::failed("count units", &error))?;
        Ok(Waiting { queued: found.num_pending, taken: found.num_ack_pending as u64 })
    }

    /// Takes a unit, if there is one within a time.
    pub fn take(&self, within: Duration) -> Result<Option<Taken<'c>>, ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("give a unit", why);
        let message = self.cluster.wait(async {
            let batch = self.consumer.batch().max_messages(1).expires(within).messages().await;
            let mut batch = batch.map_err(|error| failed(&error))?;
            batch.next().await.transpose().map_err(|error| failed(error.as_ref()))
        })?;
        message.map(|message| self.taken(message)).transpose()
    }

    fn taken(&self, message: Message) -> Result<Taken<'c>, ClusterError> {
        let none = HeaderMap::new();
        let headers = message.headers.as_ref().unwrap_or(&none);
        let hints = Hints::noted(headers);
        let name = headers.get(UNIT).map(ToString::to_string).unwrap_or_default();
        let content = self.cluster.unpacked(&message.payload, headers)?;
        let times = message.info().map_or(1, |times| times.delivered.max(1) as u64);
        Ok(Taken { cluster: self.cluster, id: self.id.clone(), message, name, content, hints, times })
    }
}

impl Taken<'_> {
    /// How often to say that it is still being explored.
    pub const WORD: Duration = WORD;

    /// Says that it is still being explored.
    pub fn keep(&self) -> Result<(), ClusterError> {
        let kept = self.cluster.wait(self.message.ack_with(AckKind::Progress));
        kept.map_err(|error| ClusterError::failed("keep a unit", error.as_ref()))
    }

    /// Gives it back to the queue, unexplored.
    pub fn give_back(&self) -> Result<(), ClusterError> {
        let given = self.cluster.wait(self.message.ack_with(AckKind::Nak(None)));
        given.map_err(|error| ClusterError::failed("take a unit back", error.as_ref()))
    }

    /// Writes its result into the log, with its effort; then it is gone from the queue.
    pub fn hand_in(&self, result: Vec<u8>, effort: Effort) -> Result<(), ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("take a result", why);
        let mut headers = HeaderMap::new();
        headers.insert(MESSAGE, self.name.as_str());
        headers.insert(UNIT, self.name.as_str());
        effort.note(&mut headers);
        let payload = self.cluster.packed(result, &mut headers)?;
        self.cluster.wait(async {
            let subject = self.id.result_subject();
            let publish = self.cluster.jetstream.publish_with_headers(subject, headers, payload);
            publish.await.map_err(|error| failed(&error))?.await.map_err(|error| failed(&error))?;
            // Should this get lost, the unit is explored again, and that result does not count.
            let _ = self.message.ack().await;
            Ok(())
        })
    }
}

const _: () = assert!(WORD.as_millis() * 2 < SILENCE.as_millis());

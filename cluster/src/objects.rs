//! Large things, by their hash.
//!
//! An object is kept in parts, each the only message of its subject. So to keep it twice, or one part of it
//! twice, changes nothing. The first part is kept last: with it the object is whole.

use crate::connection::OBJECT_SUBJECTS;
use crate::{Cluster, ClusterError};
use async_nats::HeaderMap;
use async_nats::jetstream::stream::DirectGetErrorKind;
use bytes::Bytes;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How many bytes a part has.
const PART: usize = 128 << 10;

/// Parts that are under way at a time.
const PARTS_AT_A_TIME: usize = 16;

/// The header of the first part: how many there are.
const PARTS: &str = "Symx-Parts";

/// The name of an object: the hash of its bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Digest(String);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).to_hex().to_string())
    }

    pub(crate) fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    fn part(&self, number: usize) -> String {
        format!("{OBJECT_SUBJECTS}{}.{number}", self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Cluster {
    /// Keeps an object, once however often it is put.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, ClusterError> {
        let digest = Digest::of(bytes);
        if self.again(|| self.wait(self.part(&digest, 0)))?.is_some() {
            return Ok(digest);
        }
        let parts: Vec<&[u8]> = match bytes {
            [] => vec![bytes],
            _ => bytes.chunks(PART).collect(),
        };
        let rest: Vec<(usize, &[u8])> = parts.iter().copied().enumerate().skip(1).collect();
        for some in rest.chunks(PARTS_AT_A_TIME) {
            self.again(|| {
                let kept =
                    some.iter().map(|(number, part)| self.keep_part(&digest, *number, part, parts.len()));
                self.wait(try_join_all(kept)).map(drop)
            })?;
        }
        self.again(|| self.wait(self.keep_part(&digest, 0, parts[0], parts.len())))?;
        Ok(digest)
    }

    async fn keep_part(
        &self,
        of: &Digest,
        number: usize,
        part: &[u8],
        all: usize,
    ) -> Result<(), ClusterError> {
        let failed = |why: &(dyn std::error::Error + 'static)| ClusterError::failed("keep an object", why);
        let mut headers = HeaderMap::new();
        headers.insert(PARTS, all.to_string().as_str());
        let part = Bytes::copy_from_slice(part);
        let publish = self.jetstream.publish_with_headers(of.part(number), headers, part);
        let kept = publish.await.map_err(|error| failed(&error))?.await;
        kept.map(drop).map_err(|error| failed(&error))
    }

    /// A part of an object, if there is one, and how many it has.
    async fn part(&self, of: &Digest, number: usize) -> Result<Option<(Bytes, usize)>, ClusterError> {
        match self.objects.direct_get_last_for_subject(of.part(number)).await {
            Ok(part) => {
                let all = part.headers.get(PARTS).and_then(|all| all.as_str().parse().ok());
                Ok(Some((part.payload, all.unwrap_or(1))))
            }
            Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
            Err(error) => Err(ClusterError::failed("send an object", &error)),
        }
    }

    /// Removes an object. One that stays is in no one's way.
    pub(crate) fn forget(&self, digest: &Digest) {
        let _ =
            self.wait(async { self.objects.purge().filter(format!("{OBJECT_SUBJECTS}{digest}.>")).await });
    }

    /// An object that was put.
    pub fn get(&self, digest: &Digest) -> Result<Vec<u8>, ClusterError> {
        let missing = || ClusterError::Object(digest.to_string());
        let first = self.again(|| self.wait(self.part(digest, 0)))?;
        let (first, all) = first.ok_or_else(missing)?;
        let mut bytes = first.to_vec();
        for begin in (1..all).step_by(PARTS_AT_A_TIME) {
            let numbers = begin..all.min(begin + PARTS_AT_A_TIME);
            let parts = self
                .again(|| self.wait(try_join_all(numbers.clone().map(|number| self.part(digest, number)))))?;
            for part in parts {
                bytes.extend_from_slice(&part.ok_or_else(missing)?.0);
            }
        }
        match Digest::of(&bytes) == *digest {
            true => Ok(bytes),
            false => Err(missing()),
        }
    }
}

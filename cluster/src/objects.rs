//! Large things, by their hash.

use crate::{Cluster, ClusterError};
use serde::{Deserialize, Serialize};
use std::fmt;
use tokio::io::AsyncReadExt;

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
        self.wait(async {
            if self.objects.info(&digest.0).await.is_ok() {
                return Ok(());
            }
            let mut reader = bytes;
            let put = self.objects.put(digest.0.as_str(), &mut reader).await;
            put.map(drop).map_err(|error| ClusterError::failed("keep an object", &error))
        })?;
        Ok(digest)
    }

    /// Removes an object. One that stays is in no one's way.
    pub(crate) fn forget(&self, digest: &Digest) {
        let _ = self.wait(self.objects.delete(&digest.0));
    }

    /// An object that was put.
    pub fn get(&self, digest: &Digest) -> Result<Vec<u8>, ClusterError> {
        self.wait(async {
            let found = self.objects.get(&digest.0).await;
            let mut object = found.map_err(|error| match error.kind() {
                async_nats::jetstream::object_store::GetErrorKind::NotFound => {
                    ClusterError::Object(digest.to_string())
                }
                _ => ClusterError::failed("find an object", &error),
            })?;
            let mut bytes = Vec::new();
            let read = object.read_to_end(&mut bytes).await;
            read.map_err(|error| ClusterError::failed("send an object", &error))?;
            match Digest::of(&bytes) == *digest {
                true => Ok(bytes),
                false => Err(ClusterError::Object(digest.to_string())),
            }
        })
    }
}

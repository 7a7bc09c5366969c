//! Errors between machines.

use async_nats::jetstream::{self, ErrorCode};
use std::error::Error;

/// Why an operation of the cluster failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The address is none.
    #[error("`{0}` is no address of a NATS server (nats://HOST:PORT)")]
    Address(String),
    /// Nothing answers there.
    #[error("no NATS server answers at {server}: {why}")]
    NoServer {
        /// The address, without what is secret in it.
        server: String,
        /// The system's words.
        why: String,
    },
    /// The server wants other credentials, or is not trusted.
    #[error("no access to the NATS server at {server}: {why}")]
    NoAccess {
        /// The address.
        server: String,
        /// The error.
        why: String,
    },
    /// The server keeps nothing.
    #[error("the NATS server at {server} has no JetStream: start it with `nats-server -js`")]
    NoJetStream {
        /// The address.
        server: String,
    },
    /// A file with credentials or certificates cannot be read.
    #[error("cannot read `{path}`: {why}")]
    Credentials {
        /// The file.
        path: String,
        /// The system's words.
        why: String,
    },
    /// There is no such campaign, or no longer.
    #[error("the server has no campaign `{0}`")]
    NoCampaign(String),
    /// An object is not what its hash says, or is not there.
    #[error("the server's object {0} is missing or damaged")]
    Object(String),
    /// The server did not do it, now.
    #[error("the NATS server could not {what}: {why}")]
    Failed {
        /// The operation that failed.
        what: &'static str,
        /// Its words.
        why: String,
    },
    /// The server has no room for more.
    #[error("the NATS server is full, and could not {what}: {why}")]
    Full {
        /// The operation that failed.
        what: &'static str,
        /// Its words.
        why: String,
    },
    /// The system has no thread for the connection.
    #[error("no thread for the connection: {0}")]
    NoThread(std::io::Error),
}

/// What a server answers that has no room: for the account, in memory, on its disk, or within its own limits.
const FULL: [ErrorCode; 5] = [
    ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
    ErrorCode::INSUFFICIENT_RESOURCES,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ErrorCode::MEMORY_RESOURCES_EXCEEDED,
    ErrorCode::STREAM_STORE_FAILED,
];

impl ClusterError {
    /// The server could not do something, for a reason that may pass.
    pub(crate) fn failed(what: &'static str, why: &(dyn Error + 'static)) -> Self {
        let mut words = why.to_string();
        let mut cause = why.source();
        let mut is_full = false;
        while let Some(inner) = cause {
            let answer = inner.downcast_ref::<jetstream::Error>();
            is_full |= answer.is_some_and(|answer| FULL.contains(&answer.error_code()));
            let inner_words = inner.to_string();
            if !words.contains(&inner_words) {
                words = format!("{words}: {inner_words}");
            }
            cause = inner.source();
        }
        if is_full { Self::Full { what, why: words } } else { Self::Failed { what, why: words } }
    }

    /// Whether the same call may succeed later: the server restarts, or has no room now.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Full { .. })
    }
}

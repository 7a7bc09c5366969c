//! The connection to a server, and what every user of it shares.

use crate::ClusterError;
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::{self, Context, kv, stream};
use async_nats::{ConnectErrorKind, ConnectOptions, ServerAddr};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How long a worker counts as there after it was heard of last.
const WORKERS_AGE: Duration = Duration::from_secs(15);

/// How long a request to the server may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a request is made whose answer does not come, or comes damaged, and how long to wait in between.
const TRIES: usize = 4;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// Names of what the server keeps for all campaigns.
pub(crate) const CAMPAIGNS: &str = "symx-campaigns";
pub(crate) const WORKERS: &str = "symx-workers";
pub(crate) const OBJECTS: &str = "symx-objects";

/// Where parts of objects are published, before their names.
pub(crate) const OBJECT_SUBJECTS: &str = "symx.objects.";

/// Credentials that a server may demand, besides a name and a password, or a token, in its address.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// A file with credentials (`.creds`).
    pub credentials: Option<PathBuf>,
    /// Certificates of authorities that the server's certificate may come from.
    pub authorities: Option<PathBuf>,
    /// The client's certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// A server, connected.
pub struct Cluster {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) client: async_nats::Client,
    pub(crate) jetstream: Context,
    pub(crate) campaigns: kv::Store,
    pub(crate) workers: kv::Store,
    pub(crate) objects: stream::Stream,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Cluster").finish_non_exhaustive()
    }
}

impl Cluster {
    /// Connects to the server at an address, and creates the buckets there that are missing.
    pub fn connect(address: &str, access: &Access) -> Result<Self, ClusterError> {
        let server: ServerAddr =
            address.parse().map_err(|_| ClusterError::Address(without_secrets(address)))?;
        if server.host().is_empty() {
            return Err(ClusterError::Address(without_secrets(address)));
        }
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = Arc::new(runtime.map_err(ClusterError::NoThread)?);
        let shown = without_secrets(address);
        let client = again(|| runtime.block_on(connect(server.clone(), access, &shown)))?;
        let mut jetstream = runtime.block_on(async { jetstream::new(client.clone()) });
        jetstream.set_timeout(PATIENCE);
        let (campaigns, workers, objects) = again(|| runtime.block_on(keep(&jetstream, &shown)))?;
        Ok(Self { runtime, client, jetstream, campaigns, workers, objects })
    }

    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Makes a request that may be made twice, and makes it again if it fails.
    pub fn again<T>(&self, request: impl Fn() -> Result<T, ClusterError>) -> Result<T, ClusterError> {
        again(request)
    }
}

/// The network may lose a request, or its answer. Without room the next one fails, too.
fn again<T>(request: impl Fn() -> Result<T, ClusterError>) -> Result<T, ClusterError> {
    for _ in 1..TRIES {
        match request() {
            Err(ClusterError::Failed { .. } | ClusterError::NoServer { .. }) => {
                std::thread::sleep(BETWEEN_TRIES);
            }
            done => return done,
        }
    }
    request()
}

async fn connect(
    server: ServerAddr,
    access: &Access,
    shown: &str,
) -> Result<async_nats::Client, ClusterError> {
    let mut options = ConnectOptions::new().name("symx").connection_timeout(PATIENCE);
    options = match (server.username(), server.password()) {
        (Some(user), Some(password)) => options.user_and_password(user.into(), password.into()),
        (Some(token), None) => options.token(token.into()),
        (None, _) => options,
    };
    if let Some(path) = &access.credentials {
        let read = options.credentials_file(path).await;
        options = read.map_err(|error| ClusterError::Credentials {
            path: path.display().to_string(),
            why: error.to_string(),
        })?;
    }
    if let Some(path) = &access.authorities {
        options = options.add_root_certificates(path.clone());
    }
    if let Some((certificate, key)) = &access.certificate {
        options = options.add_client_certificate(certificate.clone(), key.clone());
    }
    options.connect(server).await.map_err(|error| {
        let (server, why) = (shown.to_owned(), error.to_string());
        match error.kind() {
            ConnectErrorKind::Authentication
            | ConnectErrorKind::AuthorizationViolation
            | ConnectErrorKind::Tls => ClusterError::NoAccess { server, why },
            _ => ClusterError::NoServer { server, why },
        }
    })
}

/// The server's buckets for all campaigns, created where they do not exist yet.
async fn keep(
    jetstream: &Context,
    server: &str,
) -> Result<(kv::Store, kv::Store, stream::Stream), ClusterError> {
    let campaigns = bucket(jetstream, server, CAMPAIGNS, Duration::ZERO).await?;
    let objects = stream::Config {
        name: OBJECTS.into(),
        subjects: vec![format!("{OBJECT_SUBJECTS}>")],
        max_messages_per_subject: 1,
        allow_direct: true,
        ..stream::Config::default()
    };
    jetstream.create_stream(objects).await.map_err(|error| ClusterError::failed("make room", &error))?;
    let objects = jetstream.get_stream(OBJECTS).await;
    Ok((
        campaigns,
        bucket(jetstream, server, WORKERS, WORKERS_AGE).await?,
        objects.map_err(|error| ClusterError::failed("make room", &error))?,
    ))
}

/// A bucket of newest values, which are gone after a time if there is one. The client's own call asks first
/// for what servers before 2.10 do not say.
async fn bucket(
    jetstream: &Context,
    server: &str,
    name: &str,
    age: Duration,
) -> Result<kv::Store, ClusterError> {
    let stream = stream::Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_age: age,
        discard: stream::DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..stream::Config::default()
    };
    let made = jetstream.create_stream(stream).await;
    made.map_err(|error| match error.kind() {
        CreateStreamErrorKind::JetStreamUnavailable => {
            ClusterError::NoJetStream { server: server.to_owned() }
        }
        _ => ClusterError::failed("make room", &error),
    })?;
    let found = jetstream.get_key_value(name).await;
    found.map_err(|error| ClusterError::failed("find what it keeps", &error))
}

/// An address without the name, password or token in it.
fn without_secrets(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_shown_nowhere() {
        for (address, shown) in [
            ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"),
            ("nats://me:secret@host:4222", "nats://host:4222"),
            ("tls://to@ken@host", "tls://host"),
            ("me:secret@host", "host"),
        ] {
            assert_eq!(without_secrets(address), shown);
        }
    }
}

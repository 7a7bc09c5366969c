//! Options of commands that use a server.

use crate::refusal::Refusal;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use symx_cluster::{Access, Cluster};

/// What a NATS server may want to see.
#[derive(Args, Clone, Debug, Default)]
pub struct ServerOptions {
    /// Credentials for the NATS server; a user and password, or a token, may be part of its address
    #[arg(long, value_name = "FILE")]
    nats_creds: Option<PathBuf>,
    /// Certificates of authorities for the NATS server's certificate
    #[arg(long, value_name = "FILE")]
    nats_ca: Option<PathBuf>,
    /// A client certificate for the NATS server
    #[arg(long, value_name = "FILE", requires = "nats_key")]
    nats_cert: Option<PathBuf>,
    /// The key of the client certificate
    #[arg(long, value_name = "FILE", requires = "nats_cert")]
    nats_key: Option<PathBuf>,
}

impl ServerOptions {
    /// The words of a command line that has these options.
    pub fn words(&self) -> Result<Vec<String>, Refusal> {
        let given = [
            ("--nats-creds", &self.nats_creds),
            ("--nats-ca", &self.nats_ca),
            ("--nats-cert", &self.nats_cert),
            ("--nats-key", &self.nats_key),
        ];
        let given = given.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)));
        let words = given.map(|(name, path)| {
            let no_text = || Refusal::Usage(format!("{name}: `{}` is no text", path.display()));
            Ok([name.to_owned(), path.to_str().ok_or_else(no_text)?.to_owned()])
        });
        Ok(words.collect::<Result<Vec<_>, Refusal>>()?.into_iter().flatten().collect())
    }

    /// The server at an address, connected.
    pub fn connect(&self, address: &str) -> Result<Cluster, Refusal> {
        let access = Access {
            credentials: self.nats_creds.clone(),
            authorities: self.nats_ca.clone(),
            certificate: self.nats_cert.clone().zip(self.nats_key.clone()),
        };
        Ok(Cluster::connect(address, &access)?)
    }
}

/// Where an exploration is explored.
#[derive(Args, Clone, Debug, Default)]
pub struct ClusterOptions {
    /// Explore with the workers that have joined this NATS server (see `symx worker`)
    #[arg(long, value_name = "URL")]
    pub cluster: Option<String>,
    /// With --cluster, how long a worker explores a unit before it hands in what came of it
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration, requires = "cluster")]
    pub slice: Duration,
    /// With --cluster, go on with this campaign; all options except --max-time must be the same
    #[arg(long, value_name = "CAMPAIGN", requires = "cluster")]
    pub attach: Option<String>,
    #[command(flatten)]
    pub server: ServerOptions,
}

/// The shortest and the longest slice. A unit's way through the server takes some milliseconds, and the work
/// of a worker that is lost is done again.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_secs(3600);

/// A duration: `50ms`, `2s`, or seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a duration such as 50ms or 2s, from 1ms to an hour".to_owned();
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let number: f64 = number.parse().map_err(|_| expected())?;
    let duration = Duration::try_from_secs_f64(number * unit).map_err(|_| expected())?;
    if (SHORTEST..=LONGEST).contains(&duration) { Ok(duration) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_have_units() {
        for (text, milliseconds) in [("50ms", 50), ("2s", 2000), ("1.5", 1500), ("0.05s", 50)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for wrong in ["0", "-1s", "1h", "ms", "", "NaN", "1e9s", "0.1ms"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}

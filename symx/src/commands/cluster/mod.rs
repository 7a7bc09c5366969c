//! Exploration on several machines: campaigns, workers, and a cluster on this machine.

pub mod prepared;
mod up;
pub mod worker;

use crate::options::cluster::ServerOptions;
use crate::refusal::Refusal;
use clap::{Args, Subcommand};
use symx_cluster::{CampaignId, ClusterError, State};

/// Where a cluster on this machine listens.
const HERE: &str = "nats://127.0.0.1:4222";

/// What to do with a cluster.
#[derive(Subcommand, Debug)]
pub enum ClusterCommand {
    /// Run a NATS server and N workers on this machine until ended by Ctrl-C
    Up(up::UpArguments),
    /// Show campaigns and workers
    Status(StatusArguments),
    /// Remove a campaign: its workers leave it, and it cannot be attached to any more
    Stop(StopArguments),
}

/// Arguments of `status`.
#[derive(Args, Debug)]
pub struct StatusArguments {
    /// The NATS server
    #[arg(value_name = "URL", default_value = HERE)]
    server: String,
    #[command(flatten)]
    access: ServerOptions,
}

/// Arguments of `stop`.
#[derive(Args, Debug)]
pub struct StopArguments {
    /// The campaign
    #[arg(value_name = "CAMPAIGN")]
    campaign: String,
    /// The NATS server
    #[arg(value_name = "URL", default_value = HERE)]
    server: String,
    #[command(flatten)]
    access: ServerOptions,
}

/// Runs the command.
pub fn cluster(command: &ClusterCommand) -> Result<u8, Refusal> {
    match command {
        ClusterCommand::Up(arguments) => up::up(arguments),
        ClusterCommand::Status(arguments) => status(arguments),
        ClusterCommand::Stop(arguments) => stop(arguments),
    }
}

fn status(arguments: &StatusArguments) -> Result<u8, Refusal> {
    use crate::text::counted;
    let cluster = arguments.access.connect(&arguments.server)?;
    let (campaigns, workers) = (cluster.campaigns()?, cluster.workers()?);
    println!("{}", counted(campaigns.len() as u64, "campaign"));
    for (id, entry) in campaigns {
        let state = match entry.state {
            State::Running => "running",
            State::Stopped => "stopped",
            State::Ended => "ended",
        };
        println!(
            "  {id}  {state}, {} executions, {} units open, {} handed in, {} restarts, some {:.1} % done, symx {} (build {}): {}",
            entry.executions,
            entry.open,
            entry.results,
            entry.epoch,
            entry.done as f64 / 1e4,
            entry.version,
            entry.build,
            crate::text::one_line(&entry.program),
        );
    }
    println!("{}", counted(workers.len() as u64, "worker"));
    for (name, entry) in workers {
        println!(
            "  {name}  {}: {}, {}, {}, build {}",
            crate::text::one_line(&entry.place),
            counted(entry.jobs as u64, "job"),
            counted(entry.units, "unit"),
            counted(entry.executions, "execution"),
            crate::text::one_line(&entry.build),
        );
    }
    Ok(0)
}

fn stop(arguments: &StopArguments) -> Result<u8, Refusal> {
    let cluster = arguments.access.connect(&arguments.server)?;
    let id = CampaignId::named(&arguments.campaign)?;
    if cluster.campaign(&id)?.is_none() {
        return Err(ClusterError::NoCampaign(arguments.campaign.clone()).into());
    }
    cluster.remove(&id)?;
    println!("campaign {id} removed");
    Ok(0)
}

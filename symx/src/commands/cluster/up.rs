//! `symx cluster up`: a server and workers on this machine, for as long as the command runs.

use crate::limits::budget::Deadline;
use crate::options::{jobs, workers};
use crate::refusal::Refusal;
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The server, as its package names it.
const SERVER: &str = "nats-server";

/// How long the server may take to listen.
const STARTUP: Duration = Duration::from_secs(20);

/// How long processes may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// How often to look at them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Arguments of `up`.
#[derive(Args, Debug)]
pub struct UpArguments {
    /// Workers, each exploring one unit at a time (default: one per processor)
    #[arg(value_name = "N", value_parser = workers)]
    workers: Option<NonZeroUsize>,
    /// The port on this machine's loopback address
    #[arg(long, value_name = "PORT", default_value_t = 4222)]
    port: u16,
    /// Where the server keeps campaigns; without it, in a temporary folder that goes with the command
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// Processes that end with this one.
struct Processes(Vec<(String, Child)>);

impl Drop for Processes {
    fn drop(&mut self) {
        // Workers first: what they have is handed in.
        for (_, child) in self.0.iter_mut().rev() {
            end(child);
        }
    }
}

/// Runs the command.
pub fn up(arguments: &UpArguments) -> Result<u8, Refusal> {
    let end = Deadline::at(None).or_interrupted();
    let (port, count) = (arguments.port, jobs(arguments.workers));
    if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
        return Err(Refusal::Usage(format!("something listens on port {port} of this machine already")));
    }
    let own;
    let store = match &arguments.store {
        Some(store) => store.clone(),
        None => {
            own = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
            own.path().to_owned()
        }
    };
    std::fs::create_dir_all(&store).map_err(|error| Refusal::unwritable(&store, error))?;
    let mut processes = Processes(Vec::new());
    processes.0.push((SERVER.into(), server(port, &store)?));
    wait_for_server(&mut processes, port, &end)?;
    let address = format!("nats://127.0.0.1:{port}");
    let symx = std::env::current_exe().map_err(|error| Refusal::unreadable("symx", error))?;
    for number in 1..=count {
        let worker =
            Command::new(&symx).args(["worker", &address, "--jobs", "1"]).stdin(Stdio::null()).spawn();
        let worker = worker.map_err(|error| Refusal::unreadable(&symx, error))?;
        processes.0.push((format!("worker {number}"), worker));
    }
    println!("{count} workers at {address}; explore with `symx run --cluster {address} PROG`");
    while !end.is_over() {
        for (name, child) in &mut processes.0 {
            // Ctrl-C at a terminal reaches them, too.
            if let Ok(Some(status)) = child.try_wait()
                && !end.is_over()
            {
                return Err(Refusal::Usage(format!("{name} ended: {status}")));
            }
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Ok(0)
}

fn server(port: u16, store: &std::path::Path) -> Result<Child, Refusal> {
    let server = Command::new(SERVER)
        .args(["--jetstream", "--addr", "127.0.0.1", "--port", &port.to_string(), "--store_dir"])
        .arg(store)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    server.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Refusal::Usage(format!("`{SERVER}` was not found on PATH: install the package of that name"))
        }
        _ => Refusal::unreadable(SERVER, error),
    })
}

fn wait_for_server(processes: &mut Processes, port: u16, end: &Deadline) -> Result<(), Refusal> {
    let began = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        let ended = processes.0.first_mut().and_then(|(_, child)| child.try_wait().ok().flatten());
        if let Some(status) = ended {
            return Err(Refusal::Usage(format!("`{SERVER}` did not start: {status}")));
        }
        if began.elapsed() > STARTUP || end.is_over() {
            return Err(Refusal::Usage(format!("`{SERVER}` does not listen on port {port}")));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Ok(())
}

/// Ends a process, by force if it does not end otherwise.
fn end(child: &mut Child) {
    if let Ok(Some(_)) = child.try_wait() {
        return;
    }
    if let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, Signal::TERM);
    }
    let began = Instant::now();
    while began.elapsed() < FAREWELL {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    let _ = child.kill();
    let _ = child.wait();
}

//! `symx cluster up`: a server and workers on this machine, for as long as the command runs.

use crate::limits::budget::Deadline;
use crate::options::{jobs, workers};
use crate::refusal::Refusal;
use crate::text::{counted, one_line};
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The server, as its package names it.
const SERVER: &str = "nats-server";

/// How long the server may take to listen.
const STARTUP: Duration = Duration::from_secs(20);

/// How long workers may take to end by themselves, since Ctrl-C at a terminal reaches them, too. A second
/// signal would end them before they have handed in.
const BY_THEMSELVES: Duration = Duration::from_secs(1);

/// How long processes may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// How often to look at them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Arguments of `up`.
#[derive(Args, Debug)]
pub struct UpArguments {
    /// Workers, each exploring one unit at a time [default: one per processor]
    #[arg(value_name = "N", value_parser = workers)]
    workers: Option<NonZeroUsize>,
    /// The port on this machine's loopback address
    #[arg(long, value_name = "PORT", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// Where the server keeps campaigns; without it, in a temporary folder that goes with the command
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// Processes that end with this one: the server, and workers.
struct Processes {
    server: Child,
    workers: Vec<Child>,
}

impl Drop for Processes {
    fn drop(&mut self) {
        // Workers first, all at once: what they have is handed in.
        let began = Instant::now();
        while began.elapsed() < BY_THEMSELVES && self.workers.iter_mut().any(is_there) {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        self.workers.iter_mut().for_each(terminate);
        self.workers.iter_mut().for_each(end);
        terminate(&mut self.server);
        end(&mut self.server);
    }
}

impl Processes {
    /// The first of them that has ended, and how.
    fn ended(&mut self) -> Option<String> {
        let named = |(name, child): (String, &mut Child)| {
            let status = child.try_wait().ok().flatten()?;
            Some(format!("{name} ended: {status}"))
        };
        let workers = (1..).map(|number| format!("worker {number}")).zip(&mut self.workers);
        std::iter::once((SERVER.to_owned(), &mut self.server)).chain(workers).find_map(named)
    }
}

/// A folder for what the server keeps, which is one command's at a time.
struct Store {
    path: PathBuf,
    /// The lock, held while this is there.
    _lock: File,
    /// Removes a folder that goes with the command.
    _own: Option<TempDir>,
}

impl Store {
    fn new(given: Option<&Path>) -> Result<Self, Refusal> {
        let own = || tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error));
        let own = given.is_none().then(own).transpose()?;
        let path = given.or(own.as_ref().map(TempDir::path)).unwrap_or(Path::new("")).to_owned();
        std::fs::create_dir_all(&path).map_err(|error| Refusal::unwritable(&path, error))?;
        let locked = path.join("symx.lock");
        let lock = File::create(&locked).map_err(|error| Refusal::unwritable(&locked, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock, _own: own }),
            Err(TryLockError::WouldBlock) => Err(Refusal::Usage(format!(
                "another `symx cluster up` uses `{}`: choose another folder with --store",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(Refusal::unwritable(&locked, error)),
        }
    }

    /// Where the server's messages go.
    fn log(&self) -> PathBuf {
        self.path.join("nats-server.log")
    }

    /// The server's last message.
    fn last_message(&self) -> String {
        let log = std::fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        log.lines().last().map_or_else(String::new, |line| format!(": {}", one_line(line)))
    }
}

/// Runs the command.
pub fn up(arguments: &UpArguments) -> Result<u8, Refusal> {
    let end = Deadline::at(None).or_asked_to_end();
    let (port, count) = (arguments.port, jobs(arguments.workers));
    check_port(port)?;
    let store = Store::new(arguments.store.as_deref())?;
    let mut processes = Processes { server: server(port, &store)?, workers: Vec::new() };
    if !is_listening(&mut processes.server, port, &store, &end)? {
        return Ok(0);
    }
    let address = format!("nats://127.0.0.1:{port}");
    let symx = std::env::current_exe().map_err(|error| Refusal::unreadable("symx", error))?;
    for _ in 0..count {
        let worker =
            Command::new(&symx).args(["worker", &address, "--jobs", "1"]).stdin(Stdio::null()).spawn();
        processes.workers.push(worker.map_err(|error| Refusal::unreadable(&symx, error))?);
    }
    println!(
        "{} at {address}, until Ctrl-C; explore with `symx run --cluster {address} PROG`",
        counted(count as u64, "worker")
    );
    while !end.is_over() {
        // Ctrl-C at a terminal reaches workers, too.
        if let Some(ended) = processes.ended().filter(|_| !end.is_over()) {
            return Err(Refusal::Usage(ended + &store.last_message()));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Ok(0)
}

/// Refuses a port that is taken, or not for this user.
fn check_port(port: u16) -> Result<(), Refusal> {
    let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) else { return Ok(()) };
    Err(Refusal::Usage(match error.kind() {
        ErrorKind::AddrInUse => format!(
            "something listens on port {port} of this machine already: choose another one with --port, or, if it is \
             a NATS server, join it with `symx worker nats://127.0.0.1:{port}`"
        ),
        _ => format!("port {port} of this machine cannot be used: {error}; choose another one with --port"),
    }))
}

/// The server's program: on PATH, or where distributions put programs that not every user has on PATH.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/local/sbin", "/usr/sbin"].map(PathBuf::from));
    let mut programs = folders.map(|folder| folder.join(SERVER));
    programs.find(|program| program.is_file()).unwrap_or_else(|| SERVER.into())
}

fn server(port: u16, store: &Store) -> Result<Child, Refusal> {
    let log = store.log();
    let messages = File::create(&log).map_err(|error| Refusal::unwritable(&log, error))?;
    let server = Command::new(program())
        .args(["--jetstream", "--addr", "127.0.0.1", "--port", &port.to_string(), "--store_dir"])
        .arg(&store.path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages)
        // Ctrl-C at a terminal is not for it: workers hand in first.
        .process_group(0)
        .spawn();
    server.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Refusal::Usage(format!(
            "`{SERVER}` was not found on PATH: install the package of that name (NATS 2.9 or later)"
        )),
        _ => Refusal::unreadable(SERVER, error),
    })
}

/// Waits until the server listens; whether it does before the end.
fn is_listening(server: &mut Child, port: u16, store: &Store, end: &Deadline) -> Result<bool, Refusal> {
    let began = Instant::now();
    while !end.is_over() {
        let answers = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        if let Ok(Some(status)) = server.try_wait() {
            let why = store.last_message();
            return Err(Refusal::Usage(format!("`{SERVER}` did not start ({status}){why}")));
        }
        if answers {
            return Ok(true);
        }
        if began.elapsed() > STARTUP {
            let why = store.last_message();
            return Err(Refusal::Usage(format!("`{SERVER}` does not listen on port {port}{why}")));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Ok(false)
}

/// Whether a process has not ended.
fn is_there(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(None))
}

/// Asks a process to end, if it has not.
fn terminate(child: &mut Child) {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(process) = process.filter(|_| is_there(child)) {
        let _ = kill_process(process, Signal::TERM);
    }
}

/// Waits until a process ends, and ends it by force if it does not.
fn end(child: &mut Child) {
    let began = Instant::now();
    while began.elapsed() < FAREWELL {
        if !is_there(child) {
            return;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    let _ = child.kill();
    let _ = child.wait();
}

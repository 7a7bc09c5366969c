//! A server and workers for one test, on a port of its own and with a folder of its own.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A NATS server.
pub struct Server {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
    options: Vec<String>,
    settings: Option<tempfile::NamedTempFile>,
}

/// Workers at it.
pub struct Workers {
    address: String,
    jobs: usize,
    pub processes: Vec<Child>,
}

impl Server {
    /// A new server with JetStream; `None` if none is installed.
    pub fn start() -> Option<Self> {
        Self::with(&["--jetstream"])
    }

    /// A new server with these options.
    pub fn with(options: &[&str]) -> Option<Self> {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        if Command::new("nats-server").arg("--version").output().is_err() {
            println!("skipped: `nats-server` is not installed");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        // The port is free now, and another process may take it: then another one is tried.
        for _ in 0..5 {
            let port = free_port();
            let mut process = Self::process(&options, port, folder.path());
            if listens(port, &mut process) {
                return Some(Self { process, port, folder, options, settings: None });
            }
        }
        panic!("the server does not start");
    }

    /// A new server whose store has room for this many KiB.
    pub fn with_room(kibibytes: u64) -> Option<Self> {
        let settings = tempfile::NamedTempFile::new().expect("a file");
        Self::limit(settings.path(), kibibytes);
        let mut server = Self::with(&["--config", settings.path().to_str().expect("text")])?;
        server.settings = Some(settings);
        Some(server)
    }

    fn limit(settings: &Path, kibibytes: u64) {
        let text = format!("jetstream {{ max_file_store: {kibibytes}KB }}\n");
        std::fs::write(settings, text).expect("it is written");
    }

    /// Restarts a server [with room](Self::with_room) for more.
    pub fn make_room(&mut self, kibibytes: u64) {
        Self::limit(self.settings.as_ref().expect("it has settings").path(), kibibytes);
        self.restart();
    }

    fn process(options: &[String], port: u16, folder: &Path) -> Child {
        Command::new("nats-server")
            .args(options)
            .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--store_dir"])
            .arg(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts")
    }

    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The server's process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// This many workers of one job each.
    pub fn workers(&self, count: usize) -> Workers {
        self.workers_of(count, 1)
    }

    /// This many workers of this many jobs each.
    pub fn workers_of(&self, count: usize, jobs: usize) -> Workers {
        Workers::at(self.address(), count, jobs)
    }

    /// Kills the server, and starts it again with what it has kept.
    pub fn restart(&mut self) {
        self.process.kill().expect("it is there");
        self.process.wait().expect("it ends");
        self.process = Self::process(&self.options, self.port, self.folder.path());
        assert!(listens(self.port, &mut self.process), "the server comes back");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Workers {
    /// This many workers of this many jobs each, which reach the server at an address.
    pub fn at(address: String, count: usize, jobs: usize) -> Self {
        let mut workers = Self { address, jobs, processes: Vec::new() };
        (0..count).for_each(|_| workers.join());
        workers
    }

    /// One more worker.
    pub fn join(&mut self) {
        self.join_with(|command| command);
    }

    /// One more worker, with something changed about how it is started.
    pub fn join_with(&mut self, change: impl FnOnce(&mut Command) -> &mut Command) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
        command.args(["worker", &self.address, "--jobs", &self.jobs.to_string()]).stderr(Stdio::null());
        let worker = change(&mut command).spawn();
        self.processes.push(worker.expect("a worker starts"));
    }

    /// Kills one with SIGKILL, and another one joins.
    pub fn replace(&mut self, at: usize) {
        let mut worker = self.processes.remove(at);
        worker.kill().expect("it is there");
        worker.wait().expect("it ends");
        self.join();
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.processes {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

/// A port of the loopback address on which no process listens.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

fn listens(port: u16, process: &mut Child) -> bool {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return true;
        }
        if process.try_wait().expect("it is ours").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

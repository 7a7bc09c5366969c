//! Guarantees of a server: it keeps units until they are handed in, results in one order, objects by their
//! hash.
//!
//! Skipped, with a word, where `nats-server` is not installed.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use symx_cluster::{
    Access, CampaignEntry, CampaignId, Cluster, ClusterError, Digest, Effort, Hints, Log, State, WorkerEntry,
};

struct Server {
    process: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Option<Self> {
        let port =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port").local_addr().expect("one").port();
        let folder = tempfile::tempdir().expect("a folder");
        let process = Command::new("nats-server")
            .args(["--jetstream", "--addr", "127.0.0.1", "--port", &port.to_string(), "--store_dir"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = process else {
            println!("skipped: `nats-server` is not installed");
            return None;
        };
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { process, address: format!("nats://127.0.0.1:{port}"), _folder: folder })
    }

    fn connect(&self) -> Cluster {
        Cluster::connect(&self.address, &Access::default()).expect("it is there")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const HINTS: Hints = Hints { slice: Duration::from_millis(70), units: 3 };
const EFFORT: Effort = Effort { processor: Duration::from_micros(1234), passed: Duration::from_micros(2345) };
const SOON: Duration = Duration::from_millis(300);

fn campaign(cluster: &Cluster) -> CampaignId {
    let entry = CampaignEntry {
        build: "b".into(),
        version: "v".into(),
        program: "p".into(),
        task: Digest::of(b"task"),
        state: State::Running,
        executions: 0,
        open: 0,
        done: 0,
        epoch: 0,
        results: 0,
    };
    cluster.begin(&entry).expect("a campaign")
}

#[test]
fn a_unit_stays_until_it_is_handed_in() {
    let Some(server) = Server::start() else { return };
    let cluster = server.connect();
    let id = campaign(&cluster);
    let queue = cluster.queue(&id).expect("a queue");
    let unit = || [("one".to_owned(), b"content".to_vec())];
    queue.publish(unit(), HINTS, 0).expect("it is taken");
    queue.publish(unit(), HINTS, 0).expect("it is taken, once");
    let lost = {
        let other = server.connect();
        let lost = other.queue(&id).expect("a queue").take(SOON).expect("it answers").expect("a unit");
        (lost.name.clone(), lost.content.clone(), lost.hints, lost.times)
    };
    assert_eq!(lost, ("one".into(), b"content".to_vec(), HINTS, 1));
    assert!(queue.take(SOON).expect("it answers").is_none(), "another one has it");
    let mut taken = None;
    for _ in 0..40 {
        taken = taken.or(queue.take(SOON).expect("it answers"));
    }
    let taken = taken.expect("it is there again");
    assert_eq!((taken.name.as_str(), taken.times), ("one", 2));
    taken.keep().expect("it is kept");
    taken.hand_in(b"result".to_vec(), EFFORT).expect("it is handed in");
    taken.hand_in(b"result".to_vec(), EFFORT).expect("it is there already");
    let mut log = cluster.log(&id).expect("a log");
    let first = log.read().expect("it answers").expect("a result");
    assert_eq!((first.unit.as_str(), first.content.as_slice()), ("one", &b"result"[..]));
    assert_eq!(log.read().expect("it answers"), None);
    let waiting = queue.waiting().expect("it answers");
    assert_eq!((waiting.queued, waiting.taken), (0, 0));
}

#[test]
fn large_things_are_objects() {
    let Some(server) = Server::start() else { return };
    let cluster = server.connect();
    let large: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    let digest = cluster.put(&large).expect("it is kept");
    assert_eq!(cluster.put(&large).expect("it is kept"), digest);
    assert!(cluster.get(&digest).expect("it is there") == large);
    assert!(matches!(cluster.get(&Digest::of(b"no")), Err(ClusterError::Object(_))));
    let id = campaign(&cluster);
    let queue = cluster.queue(&id).expect("a queue");
    queue.publish([("large".to_owned(), large.clone())], HINTS, 0).expect("it is taken");
    let taken = queue.take(Duration::from_secs(5)).expect("it answers").expect("a unit");
    assert!(taken.content == large);
    taken.hand_in(large.clone(), EFFORT).expect("it is handed in");
    let result = cluster.log(&id).expect("a log").read().expect("it answers").expect("a result");
    assert!(result.content == large);
}

#[test]
fn campaigns_and_workers_are_listed_until_they_leave() {
    let Some(server) = Server::start() else { return };
    let cluster = server.connect();
    let id = campaign(&cluster);
    let mut entry = cluster.campaign(&id).expect("it answers").expect("it is there");
    (entry.state, entry.executions) = (State::Stopped, 7);
    cluster.set_campaign(&id, &entry).expect("it is noted");
    let changes = cluster.changes().expect("it answers");
    assert_eq!(cluster.changes().expect("it answers"), changes);
    cluster.set_campaign(&id, &entry).expect("it is noted");
    assert_ne!(cluster.changes().expect("it answers"), changes);
    let all = cluster.campaigns().expect("it answers");
    let [(listed, entry)] = &all[..] else { panic!("{all:?}") };
    assert_eq!((listed, entry.state, entry.executions), (&id, State::Stopped, 7));
    let worker = WorkerEntry { build: "b".into(), place: "here".into(), jobs: 2, units: 0, executions: 0 };
    let name = cluster.new_worker();
    cluster.announce(&name, &worker).expect("it is noted");
    assert_eq!(cluster.workers().expect("it answers").len(), 1);
    cluster.leave(&name).expect("it is noted");
    cluster.remove(&id).expect("it is removed");
    assert_eq!(
        (cluster.workers().expect("it answers").len(), cluster.campaigns().expect("it answers").len()),
        (0, 0)
    );
    assert!(cluster.queue(&id).is_err() && cluster.log(&id).is_err());
    assert!(cluster.campaign(&id).expect("it answers").is_none());
}

#[test]
fn listeners_see_units_and_results() {
    let Some(server) = Server::start() else { return };
    let (cluster, listener) = (server.connect(), server.connect());
    let mut traffic = listener.traffic().expect("it listens");
    let id = campaign(&cluster);
    let queue = cluster.queue(&id).expect("a queue");
    queue.publish([("one".to_owned(), b"content".to_vec())], HINTS, 0).expect("it is taken");
    let taken = queue.take(Duration::from_secs(5)).expect("it answers").expect("a unit");
    taken.hand_in(b"result".to_vec(), EFFORT).expect("it is handed in");
    let mut next = || {
        let passed = traffic.next(Duration::from_secs(5)).expect("it answers").expect("something passes");
        (passed.unit, passed.content, passed.hints, passed.effort)
    };
    assert_eq!(next(), ("one".into(), b"content".to_vec(), Some(HINTS), None));
    assert_eq!(next(), ("one".into(), b"result".to_vec(), None, Some(EFFORT)));
}

#[test]
fn a_snapshot_replaces_the_results_before_it() {
    let Some(server) = Server::start() else { return };
    let cluster = server.connect();
    let id = campaign(&cluster);
    let queue = cluster.queue(&id).expect("a queue");
    let names = ["one", "two", "three", "four"];
    queue.publish(names.map(|name| (name.to_owned(), Vec::new())), HINTS, 0).expect("they are taken");
    for name in names {
        let taken = queue.take(Duration::from_secs(5)).expect("it answers").expect("a unit");
        taken.hand_in(name.into(), EFFORT).expect("it is handed in");
    }
    let mut log = cluster.log(&id).expect("a log");
    let mut slow = cluster.log(&id).expect("a log");
    let read = |log: &mut Log<'_>| log.read().expect("it answers").map(|entry| entry.unit);
    assert_eq!(log.beginning(), None);
    assert_eq!([read(&mut log), read(&mut log)].map(Option::unwrap), ["one", "two"]);
    log.shorten(b"both").expect("it is kept");
    assert_eq!(read(&mut log).as_deref(), Some("three"));
    let mut later = server.connect().log(&id).map(|log| log.beginning().map(<[u8]>::to_vec)).expect("a log");
    assert_eq!(later.take().as_deref(), Some(&b"both"[..]));
    // One that has read less finds nothing, and knows why. Its sum replaces nothing.
    assert_eq!((read(&mut slow), slow.is_outdated().expect("it answers")), (None, true));
    slow.shorten(b"nothing").expect("it answers");
    slow.shorten(b"nothing").expect("it answers");
    log.shorten(b"three").expect("it is kept");
    let mut later = cluster.log(&id).expect("a log");
    assert_eq!((later.beginning(), later.results()), (Some(&b"three"[..]), 3));
    assert_eq!([read(&mut later), read(&mut later)], [Some("four".to_owned()), None]);
    assert_eq!(later.is_outdated().ok(), Some(false));
    assert_eq!(cluster.campaigns().expect("it answers").len(), 1);
    cluster.remove(&id).expect("it is removed");
    assert_eq!(cluster.campaigns().expect("it answers").len(), 0);
}

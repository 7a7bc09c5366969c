//! What a server holds: units until they are handed in, results in one order, objects by their hash.
//!
//! Skipped, with a word, where `nats-server` is not installed.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use symx_cluster::{
    Access, CampaignEntry, CampaignId, Cluster, ClusterError, Digest, Hints, State, WorkerEntry,
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
    taken.hand_in(b"result".to_vec()).expect("it is handed in");
    taken.hand_in(b"result".to_vec()).expect("it is there already");
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
    taken.hand_in(large.clone()).expect("it is handed in");
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
    cluster.tell(&id, &entry).expect("it is noted");
    let changes = cluster.changes().expect("it answers");
    assert_eq!(cluster.changes().expect("it answers"), changes);
    cluster.tell(&id, &entry).expect("it is noted");
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

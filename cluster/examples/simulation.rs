//! Campaigns on more workers than are at hand: a simulation from measurements.
//!
//!     cargo run -p symx-cluster --example simulation MEASURED.json
//!
//! `./x cluster measure` measures on this machine how units are divided, and what each costs a worker, the
//! server and the coordinator. Here workers, server and coordinator are queues with these times, and units
//! are handed out by the coordinator's own rules ([`Pace`]). Assumptions, which were not measured, are in
//! [`Site`].

use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;
use symx_cluster::{Hints, Pace};

/// Measurements on one machine.
#[derive(Deserialize)]
struct Measured {
    programs: Vec<Program>,
}

/// Of one program.
#[derive(Deserialize)]
struct Program {
    name: String,
    /// What a unit costs besides its exploration, in microseconds.
    worker_us: f64,
    server_us: f64,
    coordinator_us: f64,
    divisions: Vec<Division>,
}

/// The division of a unit of which several were to be made: each one's share of the remaining work.
#[derive(Deserialize)]
struct Division {
    asked: usize,
    parts: Vec<f64>,
}

/// Assumptions about the servers.
#[derive(Clone, Copy)]
struct Site {
    /// A message's way from one machine to another, in seconds.
    hop: f64,
    /// How many messages' worth of work a server has with one: its copies on others, too.
    copies: f64,
    /// How many servers lead one of a campaign's streams.
    leaders: f64,
}

/// One server. A message takes half a millisecond within a data centre.
const ONE: Site = Site { hop: 0.0005, copies: 1.0, leaders: 1.0 };

/// Three servers that keep each message. The queue's leader is another one than the log's; a message is
/// acknowledged when a second server has it.
const THREE: Site = Site { hop: 0.0010, copies: 2.0, leaders: 2.0 };

/// An event and its time. Times are in nanoseconds, so that they are ordered.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker has explored a unit: the rest of it, in nanoseconds, and how many units to make of that.
    Explored { left: u64, asked: usize },
    /// The server has a result.
    HandedIn { left: u64, asked: usize },
    /// The coordinator has added a result.
    Added { left: u64, asked: usize },
    /// Units are in the queue.
    Published(Vec<u64>, Duration, usize),
    /// A worker looks for a unit.
    Idle,
}

/// The use of workers' time, in seconds of all of them.
#[derive(Default)]
struct Account {
    useful: f64,
    /// Going to where units begin, with nothing known yet.
    again: f64,
    /// Waiting: while there were never enough units yet, for the coordinator or the server, or for units at
    /// the end.
    beginning: f64,
    coordinator: f64,
    server: f64,
    end: f64,
    coordinator_busy: f64,
    server_busy: f64,
    makespan: f64,
}

struct Simulation<'p> {
    program: &'p Program,
    site: Site,
    workers: usize,
    pace: Pace,
    random: fastrand::Rng,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    count: u64,
    queue: VecDeque<(u64, Hints)>,
    idle: usize,
    open: usize,
    had_enough: bool,
    server_free: u64,
    coordinator_free: u64,
    account: Account,
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

impl<'p> Simulation<'p> {
    fn new(program: &'p Program, site: Site, workers: usize, slice: Duration) -> Self {
        Self {
            program,
            site,
            workers,
            pace: Pace::new(slice),
            random: fastrand::Rng::with_seed(1),
            now: 0,
            events: BinaryHeap::new(),
            count: 0,
            queue: VecDeque::new(),
            idle: workers,
            open: 0,
            had_enough: false,
            server_free: 0,
            coordinator_free: 0,
            account: Account::default(),
        }
    }

    /// Explores this many seconds of work.
    fn run(mut self, work: f64) -> Account {
        let hints = self.pace.hints(1, self.workers);
        self.open = 1;
        self.at(0, Event::Published(vec![nanoseconds(work)], hints.slice, hints.units));
        while self.open > 0 {
            let Some(Reverse((time, _, event))) = self.events.pop() else { break };
            self.wait_until(time);
            self.happen(event);
        }
        self.account.makespan = self.now as f64 / 1e9;
        self.account
    }

    fn at(&mut self, time: u64, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count, event)));
    }

    /// Says what idle workers waited for.
    fn wait_until(&mut self, time: u64) {
        let waited = (time - self.now) as f64 / 1e9 * self.idle as f64;
        let is_behind = |free: u64| free > self.now + nanoseconds(4.0 * self.site.hop);
        let account = &mut self.account;
        let what = match () {
            () if !self.had_enough => &mut account.beginning,
            () if is_behind(self.coordinator_free) => &mut account.coordinator,
            () if is_behind(self.server_free) => &mut account.server,
            () => &mut account.end,
        };
        *what += waited;
        self.now = time;
    }

    fn happen(&mut self, event: Event) {
        let hop = nanoseconds(self.site.hop);
        match event {
            Event::Explored { left, asked } => {
                // Handing in, the acknowledgement, and asking for the next one.
                self.at(self.now + 2 * hop, Event::Idle);
                let each = self.program.server_us * 1e-6 * self.site.copies / self.site.leaders;
                self.server_free = self.server_free.max(self.now + hop) + nanoseconds(each);
                self.account.server_busy += each;
                self.at(self.server_free, Event::HandedIn { left, asked });
            }
            Event::HandedIn { left, asked } => {
                // Results are read many at a time, and units published so: their way there counts little.
                let each = self.program.coordinator_us * 1e-6;
                self.coordinator_free = self.coordinator_free.max(self.now + hop) + nanoseconds(each);
                self.account.coordinator_busy += each;
                self.at(self.coordinator_free, Event::Added { left, asked });
            }
            Event::Added { left, asked } => {
                let units = self.divided(left, asked);
                self.open = self.open + units.len() - 1;
                self.pace.note(units.len() > 1);
                self.had_enough |= self.open >= 2 * self.workers;
                let Hints { slice, units: parts } = self.pace.hints(self.open, self.workers);
                self.at(self.now + hop, Event::Published(units, slice, parts));
            }
            Event::Published(units, slice, parts) => {
                self.queue.extend(units.into_iter().map(|unit| (unit, Hints { slice, units: parts })));
                while self.idle > 0 && self.take() {
                    self.idle -= 1;
                }
            }
            Event::Idle => {
                if !self.take() {
                    self.idle += 1;
                }
            }
        }
    }

    /// Has a worker explore the next unit, if one waits.
    fn take(&mut self) -> bool {
        let Some((work, hints)) = self.queue.pop_front() else { return false };
        let again = nanoseconds(self.program.worker_us * 1e-6);
        let slice = hints.slice.as_nanos() as u64;
        // At least something new is explored, however long the way there is.
        let explored = slice.saturating_sub(again).max(again / 10 + 1).min(work);
        self.account.useful += explored as f64 / 1e9;
        self.account.again += again as f64 / 1e9;
        let time = self.now + nanoseconds(self.site.hop) + again + explored;
        self.at(time, Event::Explored { left: work - explored, asked: hints.units });
        true
    }

    /// The remaining work, divided as in a measurement with about as many units to make.
    fn divided(&mut self, left: u64, asked: usize) -> Vec<u64> {
        if left == 0 {
            return Vec::new();
        }
        if asked <= 1 {
            return vec![left];
        }
        let distance = |division: &&Division| asked.ilog2().abs_diff(division.asked.max(1).ilog2());
        let all = self.program.divisions.iter().filter(|division| division.asked > 1);
        let Some(nearest) = all.clone().map(|division| distance(&division)).min() else { return vec![left] };
        let alike: Vec<&Division> = all.filter(|division| distance(division) == nearest).collect();
        let parts = &alike[self.random.usize(..alike.len())].parts;
        let mut units: Vec<u64> = parts.iter().map(|part| (part * left as f64) as u64).collect();
        let sum: u64 = units.iter().sum();
        units[0] = (units[0] + left).saturating_sub(sum);
        units.retain(|unit| *unit > 0);
        units
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("the file that `./x cluster measure` has written");
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let measured: Measured = serde_json::from_str(&text).expect("what `./x cluster measure` has written");
    println!(
        "| program | workers | slice | servers | efficiency | paths again | beginning | coordinator | server | end | coordinator busy | server busy |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for program in &measured.programs {
        for workers in [16, 256, 1024, 4096] {
            for (slice, site, servers) in [(1, ONE, 1), (10, ONE, 1), (10, THREE, 3)] {
                let simulation = Simulation::new(program, site, workers, Duration::from_secs(slice));
                let account = simulation.run(MINUTES * 60.0 * workers as f64);
                row(&format!("{} | {workers} | {slice} s | {servers}", program.name), workers, &account);
            }
        }
    }
}

/// How long a campaign takes if all workers are always busy with something new.
const MINUTES: f64 = 30.0;

fn row(what: &str, workers: usize, account: &Account) {
    let all = account.makespan * workers as f64;
    let part = |seconds: f64| format!("{:.1} %", 100.0 * seconds / all);
    let busy = |seconds: f64| format!("{:.0} %", 100.0 * seconds / account.makespan);
    println!(
        "| {what} | {} | {} | {} | {} | {} | {} | {} | {} |",
        part(account.useful),
        part(account.again),
        part(account.beginning),
        part(account.coordinator),
        part(account.server),
        part(account.end),
        busy(account.coordinator_busy),
        busy(account.server_busy),
    );
}

//! `symx worker`: explores units of campaigns as long as there are any, and waits for more.

use super::prepared::{Prepared, ReadCommand};
use crate::commands::run::campaign_task::build;
use crate::limits::budget::Deadline;
use crate::limits::memory::KeptFree;
use crate::options::cluster::ServerOptions;
use crate::options::{jobs, workers};
use crate::refusal::Refusal;
use clap::Args;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use symx_cluster::{CampaignId, Cluster, ClusterError, Effort, State, Taken, WorkerEntry};
use symx_expr::{StopReason, StopToken};
use symx_posix_explore::{ExploreOptions, Observer, Progress, Unit, UnitLimits, UnitResult, explore_unit};
use symx_trace::IncompleteReason;

/// How often to look at which campaigns there are.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// How often to report that this worker is there.
const BETWEEN_WORDS: Duration = Duration::from_secs(3);

/// How long to wait for a unit before asking whether the campaign still runs.
const WAIT: Duration = Duration::from_millis(300);

/// How often a unit may be taken. Workers are lost for reasons of their own, too; but a unit that ended this
/// many of them will end the next one.
const MOST_TIMES: u64 = 50;

/// Arguments of `worker`.
#[derive(Args, Debug)]
pub struct WorkerArguments {
    /// The NATS server: nats://HOST:PORT
    #[arg(value_name = "URL")]
    server: String,
    #[command(flatten)]
    access: ServerOptions,
    /// Units to explore at a time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = workers)]
    jobs: Option<NonZeroUsize>,
    /// Stop when this process uses more memory than this [default: three quarters of the available memory]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u64>,
}

/// A campaign that this worker takes part in.
struct Job {
    id: CampaignId,
    task: Prepared,
    options: ExploreOptions,
    /// Whether its units are not to be explored any more.
    is_over: Arc<AtomicBool>,
}

/// The data that this worker's threads share.
struct Worker<'c> {
    cluster: &'c Cluster,
    read: ReadCommand,
    end: Deadline,
    job: Mutex<Option<Arc<Job>>>,
    /// Units being explored.
    taken: Mutex<Vec<Arc<Taken<'c>>>>,
    units: AtomicU64,
    executions: AtomicU64,
    told: Mutex<BTreeSet<String>>,
}

/// Runs the command; `read` is how the command lines of tasks are read.
pub fn worker(arguments: &WorkerArguments, read: ReadCommand) -> Result<u8, Refusal> {
    let end = Deadline::at(None).or_interrupted().or_without_memory(arguments.max_memory, KeptFree::Eighth);
    let cluster = arguments.access.connect(&arguments.server)?;
    let (build, jobs) = (build()?, jobs(arguments.jobs));
    let worker = Worker {
        cluster: &cluster,
        read,
        end,
        job: Mutex::new(None),
        taken: Mutex::new(Vec::new()),
        units: AtomicU64::new(0),
        executions: AtomicU64::new(0),
        told: Mutex::new(BTreeSet::new()),
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| worker.explore());
        }
        worker.watch(&build, jobs);
    });
    Ok(0)
}

/// How long processors have executed this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'c> Worker<'c> {
    /// Keeps an eye on campaigns, and reports to the server that this worker is there and what it explores.
    fn watch(&self, build: &str, jobs: usize) {
        let name = self.cluster.new_worker();
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let place = format!("{}:{}", host.trim(), std::process::id());
        let (mut spoken, mut kept, mut seen) = (None::<Instant>, Instant::now(), None);
        while !self.end.is_over() {
            if spoken.is_none_or(|spoken| spoken.elapsed() >= BETWEEN_WORDS) {
                let entry = WorkerEntry {
                    build: build.to_owned(),
                    place: place.clone(),
                    jobs,
                    units: self.units.load(Ordering::Relaxed),
                    executions: self.executions.load(Ordering::Relaxed),
                };
                self.tell_trouble(self.cluster.announce(&name, &entry));
                spoken = Some(Instant::now());
            }
            if kept.elapsed() >= Taken::WORD {
                kept = Instant::now();
                let taken: Vec<_> = locked(&self.taken).clone();
                for unit in taken {
                    self.tell_trouble(unit.keep());
                }
            }
            self.look_at_campaigns(build, &name, &mut seen);
            std::thread::sleep(BETWEEN_LOOKS);
        }
        if let Some(job) = locked(&self.job).take() {
            job.is_over.store(true, Ordering::Relaxed);
        }
        let _ = self.cluster.leave(&name);
    }

    /// Leaves a campaign that does not run any more, and joins one that does.
    fn look_at_campaigns(&self, build: &str, name: &str, seen: &mut Option<u64>) {
        let present = locked(&self.job).as_ref().map(|job| job.id.clone());
        if let Some(id) = present {
            match self.cluster.campaign(&id) {
                Ok(Some(entry)) if entry.state == State::Running => return,
                Ok(_) => {
                    *seen = None;
                    if let Some(job) = locked(&self.job).take() {
                        job.is_over.store(true, Ordering::Relaxed);
                    }
                }
                Err(error) => return self.tell_trouble(Err(error)),
            }
        }
        // Those of the last campaign hand in what they have first.
        if !locked(&self.taken).is_empty() {
            return;
        }
        match self.cluster.changes() {
            Ok(now) if seen.replace(now) == Some(now) => return,
            Ok(_) => {}
            Err(error) => return self.tell_trouble(Err(error)),
        }
        let campaigns = match self.cluster.campaigns() {
            Ok(campaigns) => campaigns,
            Err(error) => return self.tell_trouble(Err(error)),
        };
        let running = campaigns.into_iter().filter(|(_, entry)| entry.state == State::Running);
        let (ours, others): (Vec<_>, Vec<_>) = running.partition(|(_, entry)| entry.build == build);
        for (id, entry) in others {
            self.tell(format!(
                "campaign {id} is of symx {} (build {}), and this worker is of build {build}: not joined",
                entry.version, entry.build
            ));
        }
        if ours.is_empty() {
            return;
        }
        // Workers are to spread over campaigns.
        let (id, entry) = &ours[name.bytes().map(usize::from).sum::<usize>() % ours.len()];
        match Prepared::new(self.cluster, &entry.task, self.read, &self.end.cutoff()) {
            Ok(task) => {
                let options = task.arguments.exploring.explore_options();
                let is_over = Arc::new(AtomicBool::new(false));
                *locked(&self.job) = Some(Arc::new(Job { id: id.clone(), task, options, is_over }));
            }
            Err(refusal) => self.tell(format!("campaign {id}: {refusal}")),
        }
    }

    /// Explores one unit after the other.
    fn explore(&self) {
        while !self.end.is_over() {
            let job = locked(&self.job).clone();
            match job {
                Some(job) => self.take_part(&job),
                None => std::thread::sleep(BETWEEN_LOOKS / 10),
            }
        }
    }

    /// Explores a campaign's units as long as it runs.
    fn take_part(&self, job: &Arc<Job>) {
        let Ok(queue) = self.cluster.queue(&job.id) else { return std::thread::sleep(BETWEEN_LOOKS) };
        let (end, is_over) = (self.end.clone(), Arc::clone(&job.is_over));
        let reason = move || match is_over.load(Ordering::Relaxed) {
            true => Some(StopReason::Interrupted),
            false => end.reason(),
        };
        let stop = self.end.cutoff_when(reason);
        let machine = job.task.session.machine_until(stop.clone());
        while stop.reason().is_none() {
            match queue.take(WAIT) {
                Ok(Some(unit)) => {
                    let unit = Arc::new(unit);
                    locked(&self.taken).push(Arc::clone(&unit));
                    self.explore_unit(job, &machine, &stop, &unit);
                    locked(&self.taken).retain(|other| !Arc::ptr_eq(other, &unit));
                }
                Ok(None) => {}
                Err(error) => {
                    // The queue of a campaign that has ended is gone.
                    std::thread::sleep(2 * BETWEEN_LOOKS);
                    if !job.is_over.load(Ordering::Relaxed) {
                        self.tell_trouble(Err(error));
                    }
                }
            }
        }
    }

    fn explore_unit(
        &self,
        job: &Job,
        machine: &symx_interp::machine::Machine<symx_posix_model::Posix>,
        stop: &StopToken,
        taken: &Taken<'_>,
    ) {
        let (begun, began) = (processor_time(), Instant::now());
        let result = match postcard::from_bytes::<Unit>(&taken.content) {
            _ if taken.times > MOST_TIMES => {
                let what = format!("a part of the exploration ended each of {} workers", taken.times - 1);
                UnitResult::abandoned(IncompleteReason::Unsupported, what)
            }
            Err(_) => return,
            Ok(unit) => {
                let slice = taken.hints.slice;
                let is_over = || began.elapsed() >= slice;
                let limits = UnitLimits { is_over: &is_over, units: taken.hints.units };
                let solver = job.task.session.solver(stop.clone());
                let mut observer = Stopped(stop);
                explore_unit(machine, solver, &unit, limits, &job.options, &mut observer)
            }
        };
        self.units.fetch_add(1, Ordering::Relaxed);
        self.executions.fetch_add(result.executions(), Ordering::Relaxed);
        let result = postcard::to_stdvec(&result).unwrap_or_default();
        let processor = processor_time().saturating_sub(begun);
        let effort = Effort { processor, passed: began.elapsed() };
        // The server may be away for a while: what was explored is not to be lost.
        while let Err(error) = taken.hand_in(result.clone(), effort) {
            match self.cluster.campaign(&job.id) {
                Ok(None) => return,
                _ => self.tell_trouble(Err(error)),
            }
            if self.end.is_over() {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    fn tell_trouble(&self, done: Result<(), ClusterError>) {
        if let Err(error) = done {
            self.tell(error.to_string());
        }
    }

    /// Says something once.
    fn tell(&self, what: String) {
        let line = crate::text::one_line(&what).to_string();
        if locked(&self.told).insert(what) {
            eprintln!("symx: {line}");
        }
    }
}

/// Ends a walk when all work ends.
struct Stopped<'s>(&'s StopToken);

impl Observer for Stopped<'_> {
    fn progress(&mut self, _progress: &Progress) -> Option<IncompleteReason> {
        self.0.reason().map(IncompleteReason::from)
    }
}

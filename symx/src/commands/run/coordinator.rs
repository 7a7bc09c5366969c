//! `symx run --cluster`: hands out the units of an exploration, and adds up their results.
//!
//! The campaign is a function of the log of results. So this process may end and another one
//! [attach](crate::options::cluster::ClusterOptions::attach): it reads the log from its last snapshot.

use super::RunArguments;
use super::campaign_task::{Task, build};
use crate::limits::budget::Budget;
use crate::refusal::Refusal;
use crate::session::Session;
use std::time::{Duration, Instant};
use symx_cluster::{CampaignEntry, CampaignId, Cluster, ClusterError, Log, Pace, Queue, State};
use symx_interp::machine::Machine;
use symx_posix_explore::{Campaign, Exploration, ExploreOptions, Observer, UnitName, UnitResult};
use symx_posix_model::Posix;
use symx_trace::IncompleteReason;

/// How long to wait for the next result at first, and at most.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// Interval between reports of the campaign's progress, and between looks at the list of workers.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// For how long a stopped campaign's workers may take to hand in what they have.
const LAST_RESULTS: Duration = Duration::from_secs(3);

/// After how many looks at a queue in which nothing waits and nothing is taken open units are published
/// again. The server may have lost some.
const LOOKS_BEFORE_PUBLISHING_AGAIN: u32 = 3;

/// For how long the server may have no room, and for how long it may do nothing that it is asked to.
const WITHOUT_ROOM: Duration = Duration::from_secs(10);
const WITHOUT_ANSWER: Duration = Duration::from_secs(120);

/// A campaign of which nothing is left to be explored. It is kept until its report is written.
pub struct Finished {
    cluster: Cluster,
    id: CampaignId,
}

impl Finished {
    /// Removes it.
    pub fn remove(self) -> Result<(), Refusal> {
        Ok(self.cluster.remove(&self.id)?)
    }
}

/// Explores with the workers at the server there. The campaign, if all is explored.
pub fn explore(
    address: &str,
    session: &Session,
    arguments: &RunArguments,
    (machine, options): (&Machine<Posix>, &ExploreOptions),
    budget: &mut Budget,
) -> Result<(Exploration, Option<Finished>), Refusal> {
    let cluster = arguments.cluster.server.connect(address)?;
    let is_quiet = arguments.report.quiet;
    let (id, entry) = campaign(&cluster, session, arguments)?;
    if !is_quiet {
        eprintln!("symx: campaign {id}");
    }
    let (log, campaign) = standing(&cluster, &id, (machine, options))?;
    let mut coordinator = Coordinator {
        queue: cluster.queue(&id)?,
        log,
        cluster: &cluster,
        explored: (machine, options),
        id: id.clone(),
        entry,
        campaign,
        jobs: 0,
        time: 0,
        idle_looks: 0,
        pace: Pace::new(arguments.cluster.slice),
        is_catching_up: false,
        ended: None,
        is_quiet,
        told: String::new(),
    };
    let ended = coordinator.run(budget)?;
    let Coordinator { campaign, queue, log, .. } = coordinator;
    drop((queue, log));
    for nesting in campaign.nestings() {
        budget.nesting(nesting.clone());
    }
    let finished = ended.is_none().then_some(Finished { cluster, id });
    Ok((campaign.finish(ended), finished))
}

/// The campaign to attach to, or a new one.
fn campaign(
    cluster: &Cluster,
    session: &Session,
    arguments: &RunArguments,
) -> Result<(CampaignId, CampaignEntry), Refusal> {
    let (build, task) = (build()?, Task::new(cluster, session, arguments)?);
    let Some(name) = &arguments.cluster.attach else {
        let entry = CampaignEntry {
            build,
            version: env!("CARGO_PKG_VERSION").into(),
            program: session.loaded.path.display().to_string(),
            task: cluster.put(&task.to_bytes())?,
            state: State::Running,
            executions: 0,
            open: 1,
            done: 0,
            epoch: 0,
            results: 0,
        };
        return Ok((cluster.begin(&entry)?, entry));
    };
    let id = CampaignId::named(name)?;
    let entry =
        cluster.again(|| cluster.campaign(&id))?.ok_or_else(|| ClusterError::NoCampaign(name.clone()))?;
    let refused = |why: String| Err(Refusal::Usage(format!("--attach {name}: {why}")));
    if entry.build != build {
        return refused(format!(
            "the campaign is of symx {} (build {}), and this is build {build}",
            entry.version, entry.build
        ));
    }
    if !task.is_that_of(cluster, &entry.task)? {
        let why = "the campaign explores another program, or under other options, or with other files";
        return refused(why.into());
    }
    Ok((id, entry))
}

/// The log, and the campaign as it is where the log begins.
fn standing<'c>(
    cluster: &'c Cluster,
    id: &CampaignId,
    (machine, options): (&Machine<Posix>, &ExploreOptions),
) -> Result<(Log<'c>, Campaign), Refusal> {
    let log = cluster.log(id)?;
    let campaign = match log.beginning() {
        None => Campaign::new(machine, options),
        Some(state) => {
            let saved = postcard::from_bytes(state).map_err(|error| {
                Refusal::Usage(format!("campaign {id}: what it has come to cannot be read: {error}"))
            })?;
            Campaign::restored(machine, options, saved)
        }
    };
    Ok((log, campaign))
}

struct Coordinator<'c> {
    cluster: &'c Cluster,
    explored: (&'c Machine<Posix>, &'c ExploreOptions),
    id: CampaignId,
    entry: CampaignEntry,
    campaign: Campaign,
    queue: Queue<'c>,
    log: Log<'c>,
    /// How many units are explored at a time.
    jobs: usize,
    /// How often open units were published again.
    time: u32,
    idle_looks: u32,
    pace: Pace,
    /// Whether what was handed in before is read.
    is_catching_up: bool,
    /// Why it ends, once the server does not go on or a limit is met.
    ended: Option<IncompleteReason>,
    is_quiet: bool,
    /// The last report of a server that does not do what it should.
    told: String,
}

impl Coordinator<'_> {
    /// Until all is explored, or a limit ends it; then why.
    fn run(&mut self, budget: &mut Budget) -> Result<Option<IncompleteReason>, Refusal> {
        self.read_all(budget)?;
        let ended = if self.campaign.has_ended() { None } else { self.go_on(budget)? };
        match ended {
            None => {
                self.entry.state = State::Ended;
                self.persist(budget, |this| this.cluster.set_campaign(&this.id, &this.entry))?;
            }
            // The counts are reported, even if the server is gone.
            Some(_) => {
                let how_it_stands = match self.stop() {
                    Ok(()) => format!("campaign {} is stopped", self.id),
                    Err(ClusterError::NoCampaign(_)) => {
                        self.say(format!("campaign {} was removed", self.id));
                        return Ok(ended);
                    }
                    Err(error) => format!("{error}; campaign {} is still there", self.id),
                };
                self.say(format!("{how_it_stands}; go on with --attach {}", self.id));
            }
        }
        Ok(ended)
    }

    fn go_on(&mut self, budget: &mut Budget) -> Result<Option<IncompleteReason>, Refusal> {
        self.entry.state = State::Running;
        self.look(budget)?;
        let all: Vec<UnitName> = self.campaign.open().map(|(name, _)| name.clone()).collect();
        let mut unpublished = all;
        let (mut wait, mut looked) = (SHORTEST_WAIT, Instant::now());
        loop {
            if self.campaign.has_ended() {
                return Ok(None);
            }
            if let Some(reason) = self.ended.or_else(|| budget.progress(&self.campaign.progress())) {
                return Ok(Some(reason));
            }
            // Units that results at hand open are published together.
            if !self.log.has_next() {
                self.publish(budget, std::mem::take(&mut unpublished))?;
            }
            if looked.elapsed() >= BETWEEN_LOOKS {
                looked = Instant::now();
                if !self.look(budget)? {
                    return Ok(Some(IncompleteReason::Interrupted));
                }
                unpublished.extend(self.lost(budget)?);
            }
            match self.next(budget)? {
                Some(opened) => {
                    unpublished.extend(opened);
                    wait = SHORTEST_WAIT;
                }
                None => {
                    std::thread::sleep(wait);
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    /// Reads what was handed in before this process began.
    fn read_all(&mut self, budget: &mut Budget) -> Result<(), Refusal> {
        self.is_catching_up = true;
        while !self.campaign.has_ended() && self.next(budget)?.is_some() {}
        self.is_catching_up = false;
        Ok(())
    }

    /// Adds the next result. The units that are open for it; `None` if there is no result yet.
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Vec<UnitName>>, Refusal> {
        let Some(Some(entry)) = self.persist(budget, |this| this.log.read())? else { return Ok(None) };
        let Ok(result) = postcard::from_bytes::<UnitResult>(&entry.content) else {
            // Only processes of this build write into the log; whatever this is, it is no result.
            return Ok(Some(Vec::new()));
        };
        let epoch = self.campaign.epoch();
        let opened = self.campaign.add(&UnitName::from(entry.unit), result);
        self.entry.results = self.log.results();
        let is_more = opened.len() > 1 || self.campaign.epoch() != epoch;
        self.pace.note(is_more);
        // Units of the last epoch are not needed any more. Those that an earlier process left are.
        if self.campaign.epoch() != epoch && !self.is_catching_up {
            self.persist(budget, |this| this.queue.clear())?;
        }
        if self.log.is_long() && !self.campaign.has_ended() {
            let state = postcard::to_stdvec(&self.campaign.save()).unwrap_or_default();
            self.persist(budget, |this| this.log.shorten(&state))?;
        }
        Ok(Some(opened))
    }

    fn publish(&mut self, budget: &mut Budget, names: Vec<UnitName>) -> Result<(), Refusal> {
        let unit = |name: &UnitName| {
            let unit = self.campaign.unit(name)?;
            Some((name.to_string(), postcard::to_stdvec(unit).unwrap_or_default()))
        };
        let units: Vec<(String, Vec<u8>)> = names.iter().filter_map(unit).collect();
        if units.is_empty() {
            return Ok(());
        }
        let hints = self.pace.hints(self.campaign.open().count(), self.jobs);
        let time = self.time;
        self.persist(budget, |this| this.queue.publish(units.iter().cloned(), hints, time)).map(drop)
    }

    /// Reports to others how the campaign stands, and sees which workers are there. Whether it is still to go
    /// on.
    fn look(&mut self, budget: &mut Budget) -> Result<bool, Refusal> {
        let progress = self.campaign.progress();
        (self.entry.executions, self.entry.open) = (progress.executions, progress.open);
        self.entry.done = (self.campaign.done() * 1e6) as u64;
        self.entry.epoch = self.campaign.epoch();
        // What was removed meanwhile is not written again.
        let report = |this: &mut Self| match this.cluster.campaign(&this.id)? {
            Some(_) => this.cluster.set_campaign(&this.id, &this.entry).map(|()| true),
            None => Ok(false),
        };
        if self.persist(budget, report)? == Some(false) {
            return Ok(false);
        }
        if self.persist(budget, |this| this.log.is_outdated())? == Some(true) {
            let (cluster, explored) = (self.cluster, self.explored);
            match standing(cluster, &self.id, explored) {
                Ok(standing) => (self.log, self.campaign) = standing,
                // The next look finds it as outdated.
                Err(Refusal::Cluster(error)) if error.may_pass() => {
                    self.say(format!("{error}; trying again"))
                }
                Err(refusal) => return Err(refusal),
            }
        }
        let workers = self.persist(budget, |this| this.cluster.workers())?.unwrap_or_default();
        let fitting = workers.iter().filter(|(_, worker)| worker.build == self.entry.build);
        self.jobs = fitting.map(|(_, worker)| worker.jobs).sum();
        if self.jobs == 0 {
            let others = match workers.is_empty() {
                true => "no worker has joined the server yet (`symx worker`)".to_owned(),
                false => format!("no worker at the server is of build {}", self.entry.build),
            };
            self.say(others);
        }
        Ok(true)
    }

    /// Open units, if the server has none of them any more.
    fn lost(&mut self, budget: &mut Budget) -> Result<Vec<UnitName>, Refusal> {
        let Some(waiting) = self.persist(budget, |this| this.queue.waiting())? else { return Ok(Vec::new()) };
        let is_idle = waiting.queued == 0 && waiting.taken == 0;
        self.idle_looks = if is_idle { self.idle_looks + 1 } else { 0 };
        if self.idle_looks < LOOKS_BEFORE_PUBLISHING_AGAIN {
            return Ok(Vec::new());
        }
        (self.idle_looks, self.time) = (0, self.time + 1);
        Ok(self.campaign.open().map(|(name, _)| name.clone()).collect())
    }

    /// Has workers stop, and adds their results.
    fn stop(&mut self) -> Result<(), ClusterError> {
        self.entry.state = State::Stopped;
        if let Ok(None) = self.cluster.again(|| self.cluster.campaign(&self.id)) {
            return Err(ClusterError::NoCampaign(self.id.to_string()));
        }
        let is_cleared = self.ended == Some(IncompleteReason::ServerFull);
        if is_cleared {
            // This is room for results, and for the state. Units are published again when it goes on.
            self.cluster.again(|| self.queue.clear())?;
        }
        self.cluster.again(|| self.cluster.set_campaign(&self.id, &self.entry))?;
        let began = Instant::now();
        while began.elapsed() < LAST_RESULTS && !self.campaign.has_ended() {
            match self.log.read()? {
                Some(entry) => {
                    if let Ok(result) = postcard::from_bytes::<UnitResult>(&entry.content) {
                        self.campaign.add(&UnitName::from(entry.unit), result);
                        self.entry.results = self.log.results();
                    }
                }
                // What was taken from a queue that is cleared is not counted there any more.
                None if !is_cleared && self.queue.waiting()?.taken == 0 => break,
                None => std::thread::sleep(LONGEST_WAIT),
            }
        }
        let progress = self.campaign.progress();
        (self.entry.executions, self.entry.open) = (progress.executions, progress.open);
        self.cluster.again(|| self.cluster.set_campaign(&self.id, &self.entry))
    }

    /// Has the server do something, again and again while it cannot; `None` if that ends the campaign.
    fn persist<T>(
        &mut self,
        budget: &mut Budget,
        mut work: impl FnMut(&mut Self) -> Result<T, ClusterError>,
    ) -> Result<Option<T>, Refusal> {
        let began = Instant::now();
        while self.ended.is_none() {
            match work(self) {
                Ok(done) => return Ok(Some(done)),
                Err(error) if error.may_pass() => {
                    let met = budget.progress(&self.campaign.progress());
                    self.ended = met.or_else(|| self.reason_to_end(&error, began.elapsed()));
                    self.say(format!("{error}; trying again"));
                    std::thread::sleep(LONGEST_WAIT * 10);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Why not to go on, with an error that has lasted for so long.
    fn reason_to_end(&self, error: &ClusterError, lasted: Duration) -> Option<IncompleteReason> {
        match error {
            // Nothing can be done for a campaign that was removed meanwhile.
            _ if matches!(self.cluster.campaign(&self.id), Ok(None)) => Some(IncompleteReason::Interrupted),
            ClusterError::Full { .. } => (lasted >= WITHOUT_ROOM).then_some(IncompleteReason::ServerFull),
            _ => (lasted >= WITHOUT_ANSWER).then_some(IncompleteReason::ServerLost),
        }
    }

    /// Says something once.
    fn say(&mut self, what: String) {
        if !self.is_quiet && what != self.told {
            eprintln!("symx: {what}");
        }
        self.told = what;
    }
}

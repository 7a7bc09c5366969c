//! Choice points of the walk with source sets, in memory and written down.

use super::grain::Grain;
use crate::bounds::estimate::{Passed, Since};
use crate::driver::fork::Way;
use crate::refinement::truncated::SavedUnfinished;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::{Agent, Footprint, ThreadId};

/// The position of a walk, written down so that another process can continue there: the choices on its path.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Position {
    pub points: Vec<SavedPoint>,
    /// Whether the execution that these choices lead to was explored to its end.
    pub is_explored: bool,
    /// How many of them had been made when its last part began.
    pub descent: usize,
    pub unfinished: SavedUnfinished,
    pub has_cut_short: bool,
    pub has_left_loops: bool,
    /// Executions so far, abandoned ones included, and how many were abandoned.
    pub executed: u64,
    pub blocked: u64,
    /// What counts as a step.
    pub grain: Grain,
    /// How many of the choices, outermost first, have alternatives that are explored elsewhere.
    #[serde(default)]
    pub shared: usize,
}

impl Position {
    /// Where a walk begins.
    pub fn beginning(grain: Grain) -> Self {
        Self { grain, ..Self::default() }
    }

    /// Whether what is explored there depends on how executions ended elsewhere.
    pub fn depends_on_others(&self) -> bool {
        self.has_cut_short || self.has_left_loops || !self.unfinished.is_empty()
    }
}

/// A choice on a path, written down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SavedPoint {
    Schedule {
        chosen: Agent,
        sleep: Vec<(Agent, Footprint)>,
        backtrack: SmallVec<[Agent; 8]>,
        since: Since,
    },
    Ways {
        /// How many are left.
        left: usize,
        since: Since,
    },
}

/// A choice point on the present path.
pub(super) enum Point<E: Environment> {
    /// Which agent takes the next step.
    Schedule(Box<Schedule<E>>),
    /// Which way a step goes.
    Ways(Ways<E>),
}

pub(super) struct Schedule<E: Environment> {
    /// The state before the step; `None` where there was nothing to choose.
    pub state: Option<State<E>>,
    pub enabled: SmallVec<[Agent; 8]>,
    /// Agents whose next step, with this footprint, need not be tried: what follows was explored elsewhere.
    pub sleep: Vec<(Agent, Footprint)>,
    /// Agents to try, tried ones included.
    pub backtrack: SmallVec<[Agent; 8]>,
    /// The agent being tried, and what its step touches.
    pub chosen: Agent,
    pub footprint: Footprint,
    /// If its step is an atomic section, what that touches on any of its ways.
    pub sections: Footprint,
    /// The thread that ran before, and what was spent so far of the bound on schedules.
    pub previous: Option<ThreadId>,
    pub spent: u32,
    pub since: Since,
    /// How often the time had been read.
    pub time_stamps: u64,
    pub events: usize,
    pub decisions: usize,
}

/// A section that a thread is in, as far as it has come.
#[derive(Clone)]
pub(super) struct Section {
    pub thread: ThreadId,
    /// The scheduling point of its beginning, as a position on the stack.
    pub point: usize,
    pub touched: Footprint,
}

pub(super) struct Ways<E: Environment> {
    /// Those not gone yet, the next one last.
    pub left: SmallVec<[Way<E>; 2]>,
    /// How many ways there were.
    pub known: usize,
    pub since: Since,
    /// Forks on the way to these ways, their own included.
    pub depth: u32,
    pub events: usize,
    pub decisions: usize,
    /// The atomic section that the step is in.
    pub section: Option<Section>,
}

impl<E: Environment> Point<E> {
    /// It, if it is one of scheduling.
    pub fn schedule(&self) -> Option<&Schedule<E>> {
        match self {
            Self::Schedule(schedule) => Some(schedule),
            Self::Ways(_) => None,
        }
    }

    /// The part of it that is written down.
    pub fn save(&self) -> SavedPoint {
        match self {
            Self::Schedule(point) => SavedPoint::Schedule {
                chosen: point.chosen,
                sleep: point.sleep.clone(),
                backtrack: point.backtrack.clone(),
                since: point.since,
            },
            Self::Ways(ways) => SavedPoint::Ways { left: ways.left.len(), since: ways.since },
        }
    }

    /// The input of an estimate.
    pub fn passed(&self) -> Passed {
        match self {
            Self::Schedule(point) => {
                let asleep = |agent: &&Agent| point.sleep.iter().any(|(asleep, _)| asleep == *agent);
                let done = point.backtrack.iter().filter(asleep).count();
                let waiting = point.backtrack.len().saturating_sub(done + 1);
                Passed { done, executions: point.since.executions(), waiting }
            }
            Self::Ways(ways) => {
                let waiting = ways.left.len();
                let done = ways.known.saturating_sub(waiting + 1);
                Passed { done, executions: ways.since.executions(), waiting }
            }
        }
    }
}

impl<E: Environment> Schedule<E> {
    /// The next agent to try. (What was tried is asleep.)
    pub fn next(&self) -> Option<Agent> {
        self.backtrack.iter().copied().find(|agent| !self.sleep.iter().any(|(asleep, _)| asleep == agent))
    }
}

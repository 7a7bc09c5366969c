//! The position of a walk, written down so that another process can continue there.
//!
//! A path through the choice points is the outcome of few decisions. The first execution is what comes of no
//! plan at all. Each choice point at which a plan was followed since determines what comes after it. So of
//! each worker's path only these plans are written down, with what is still to be tried at its choice points.
//! A walk that goes on follows the same plans, which leads to the same events, and compares their names.

use crate::bounds::estimate::Since;
use crate::reads_from::choice_points::backtrack_point::{Alternatives, Node};
use crate::reads_from::choice_points::plan::Plan;
use crate::reads_from::graph::event::Name;
use crate::refinement::truncated::{Gathered, SavedGathered, SavedUnfinished, Unfinished};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// Where a walk stands.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Position {
    paths: Vec<SavedPath>,
    /// The open alternatives of choice points, those of several paths once.
    alternatives: Vec<SavedAlternatives>,
    unfinished: SavedUnfinished,
    gathered: SavedGathered,
    /// Executions so far.
    executed: u64,
}

/// One worker's path.
#[derive(Debug, Serialize, Deserialize)]
struct SavedPath {
    /// Its choice points, outermost first. A plan was followed from the last one, if there is one.
    nodes: Vec<SavedNode>,
    /// How many ends of the execution that this plan leads to are counted.
    counted: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedNode {
    /// The event's name, before the plan.
    event: Name,
    /// The last plan followed from there.
    plan: Option<Arc<Plan>>,
    /// A position in the list of alternatives.
    alternatives: usize,
}

/// The open alternatives of a choice point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::reads_from) struct SavedAlternatives {
    pub(in crate::reads_from) seen: Vec<Name>,
    pub(in crate::reads_from) contended: Option<u128>,
    pub(in crate::reads_from) pending: Vec<Plan>,
    #[serde(default)]
    together: Vec<Name>,
    taken: usize,
    since: Since,
}

/// The path to an execution that was not explored to its end, as long as the process lives.
#[derive(Clone)]
pub(in crate::reads_from) struct OpenPath {
    pub(in crate::reads_from) nodes: Vec<OpenNode>,
    pub(in crate::reads_from) counted: usize,
}

/// A choice point on the way there.
#[derive(Clone)]
pub(in crate::reads_from) struct OpenNode {
    pub(in crate::reads_from) event: Name,
    pub(in crate::reads_from) plan: Option<Arc<Plan>>,
    pub(in crate::reads_from) alternatives: Arc<Mutex<Alternatives>>,
}

impl OpenPath {
    /// The path to an alternative that has not been tried yet, at the last of these choice points.
    pub fn untried(nodes: &mut [Node], plan: Plan) -> Self {
        let mut nodes: Vec<OpenNode> = nodes.iter_mut().map(OpenNode::of).collect();
        if let Some(last) = nodes.last_mut() {
            last.plan = Some(Arc::new(plan));
        }
        Self { nodes, counted: 0 }
    }
}

impl OpenNode {
    pub(in crate::reads_from) fn of(node: &mut Node) -> Self {
        Self { event: node.first, plan: node.plan.clone(), alternatives: node.shared() }
    }
}

impl Position {
    /// The positions of workers that were on these paths.
    pub(in crate::reads_from) fn new(paths: Vec<OpenPath>, gathered: &Gathered, executed: u64) -> Self {
        let mut known: Vec<Arc<Mutex<Alternatives>>> = Vec::new();
        let mut number = |alternatives: &Arc<Mutex<Alternatives>>| {
            known.iter().position(|one| Arc::ptr_eq(one, alternatives)).unwrap_or_else(|| {
                known.push(Arc::clone(alternatives));
                known.len() - 1
            })
        };
        let paths = paths
            .iter()
            .map(|path| {
                let node = |node: &OpenNode| SavedNode {
                    event: node.event,
                    plan: node.plan.clone(),
                    alternatives: number(&node.alternatives),
                };
                SavedPath { nodes: path.nodes.iter().map(node).collect(), counted: path.counted }
            })
            .collect();
        let alternatives =
            known.iter().map(|one| SavedAlternatives::of(&Alternatives::locked(one))).collect();
        let unfinished = gathered.unfinished().save();
        Self { paths, alternatives, unfinished, gathered: gathered.save(), executed }
    }

    /// The paths to continue along, their common parts shared again.
    pub(in crate::reads_from) fn paths(&self) -> Vec<OpenPath> {
        let shared: Vec<_> = self.alternatives.iter().map(|one| Arc::new(Mutex::new(one.open()))).collect();
        let path = |path: &SavedPath| {
            let node = |node: &SavedNode| {
                let alternatives = Arc::clone(&shared[node.alternatives]);
                OpenNode { event: node.event, plan: node.plan.clone(), alternatives }
            };
            OpenPath { nodes: path.nodes.iter().map(node).collect(), counted: path.counted }
        };
        self.paths.iter().map(path).collect()
    }

    /// Whether all positions are within their lists, and paths end with a plan.
    pub fn is_sound(&self) -> bool {
        let is_within = |node: &SavedNode| node.alternatives < self.alternatives.len();
        let is_path = |path: &SavedPath| {
            path.nodes.iter().all(is_within) && path.nodes.last().is_none_or(|last| last.plan.is_some())
        };
        self.paths.iter().all(is_path)
    }

    /// Executions so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// The memory that executions that ended early touched.
    pub fn unfinished(&self) -> Unfinished {
        Unfinished::restored(&self.unfinished)
    }

    /// The memory that all executions touched.
    pub fn gathered(&self) -> Gathered {
        Gathered::restored(&self.gathered)
    }
}

impl SavedAlternatives {
    pub(in crate::reads_from) fn of(alternatives: &Alternatives) -> Self {
        let mut seen: Vec<Name> = alternatives.seen.iter().copied().collect();
        seen.sort_unstable();
        Self {
            seen,
            contended: alternatives.contended,
            pending: alternatives.pending.clone(),
            together: alternatives.together.clone(),
            taken: alternatives.taken,
            since: alternatives.since,
        }
    }

    pub(in crate::reads_from) fn open(&self) -> Alternatives {
        Alternatives {
            seen: self.seen.iter().copied().collect(),
            contended: self.contended,
            pending: self.pending.clone(),
            together: self.together.clone(),
            taken: self.taken,
            since: self.since,
        }
    }
}

//! The position of a walk, written down so that another process can continue there.
//!
//! A path through the choice points is the outcome of few decisions. The first execution is what comes of no
//! plan at all. Each choice point at which a plan was followed since determines what comes after it. So of
//! each worker's path only these plans are written down, with what is still to be tried at its choice points.
//! A walk that goes on follows the same plans, which leads to the same events, and compares their names.

use super::{Halt, Plan, Walk};
use crate::Exploration;
use crate::bounds::estimate::Since;
use crate::reads_from::backtracking::backtrack_point::{Alternatives, Node};
use crate::reads_from::graph::event::Name;
use crate::refinement::root::Root;
use crate::refinement::truncated::{Gathered, SavedGathered, SavedUnfinished, Unfinished};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::ThreadId;

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
pub(super) struct SavedAlternatives {
    pub(super) seen: Vec<Name>,
    pub(super) contended: Option<u128>,
    pub(super) pending: Vec<Plan>,
    taken: usize,
    since: Since,
}

/// The path to an execution that was not explored to its end, as long as the process lives.
#[derive(Clone)]
pub(super) struct OpenPath {
    pub(super) nodes: Vec<OpenNode>,
    pub(super) counted: usize,
}

/// A choice point on the way there.
#[derive(Clone)]
pub(super) struct OpenNode {
    pub(super) event: Name,
    pub(super) plan: Option<Arc<Plan>>,
    pub(super) alternatives: Arc<Mutex<Alternatives>>,
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
    fn of(node: &mut Node) -> Self {
        Self { event: node.first, plan: node.plan.clone(), alternatives: node.shared() }
    }
}

impl Position {
    /// The positions of workers that were on these paths.
    pub(super) fn new(paths: Vec<OpenPath>, gathered: &Gathered, executed: u64) -> Self {
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
    pub(super) fn paths(&self) -> Vec<OpenPath> {
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
    pub(super) fn of(alternatives: &Alternatives) -> Self {
        let mut seen: Vec<Name> = alternatives.seen.iter().copied().collect();
        seen.sort_unstable();
        Self {
            seen,
            contended: alternatives.contended,
            pending: alternatives.pending.clone(),
            taken: alternatives.taken,
            since: alternatives.since,
        }
    }

    pub(super) fn open(&self) -> Alternatives {
        Alternatives {
            seen: self.seen.iter().copied().collect(),
            contended: self.contended,
            pending: self.pending.clone(),
            taken: self.taken,
            since: self.since,
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// The path to the execution under way, if one is, for another process to continue with. (The other open
    /// alternatives of its choice points are tried after that.)
    pub(super) fn open_path(&mut self) -> Option<OpenPath> {
        if self.counts.is_explored {
            return None;
        }
        // The steps of the execution since the last plan are found again.
        let last = self.path.nodes.iter().rposition(|node| node.plan.is_some());
        let kept = last.map_or(0, |last| last + 1);
        let nodes = self.path.nodes[..kept].iter_mut().map(OpenNode::of).collect();
        Some(OpenPath { nodes, counted: self.counts.counted })
    }

    /// Explores what is left on a path of an earlier process.
    pub(super) fn go_on(&mut self, root: &Root<E>, path: OpenPath) -> Result<(), Halt> {
        let before: Exploration = std::mem::take(&mut self.found.result);
        self.counts.is_repeating = true;
        let repeated = self.repeat(root, &path.nodes);
        self.counts.is_repeating = false;
        let again = std::mem::replace(&mut self.found.result, before);
        // The walk may have been ended just then, and is not to be taken for a whole one.
        again.incomplete.into_iter().for_each(|cut| self.found.result.cut(cut));
        let begun = match repeated {
            Ok(begun) => begun,
            Err(halt) => {
                self.counts.untouched = Some(path);
                return Err(halt);
            }
        };
        self.counts.counted = path.counted;
        // The last plan may not have been followed to its end: its results are new, but for those that are
        // counted.
        match path.nodes.last().and_then(|last| last.plan.as_deref()) {
            None => self.exhaust(begun, ThreadId::MAIN),
            Some(plan) => {
                let next = self.turn(plan.clone())?;
                self.exhaust(next, plan.thread)
            }
        }
    }

    /// Goes through executions of an earlier process again, up to the last choice point of a path. The state
    /// in which the walk begins, if there is no choice point.
    fn repeat(&mut self, root: &Root<E>, nodes: &[OpenNode]) -> Result<Option<State<E>>, Halt> {
        let mut next = self.begin(root)?;
        let mut previous = ThreadId::MAIN;
        for (at, node) in nodes.iter().enumerate() {
            let Some(plan) = &node.plan else { continue };
            if let Some(state) = next.take() {
                self.extend(state, previous)?;
            }
            let fits = |(mine, node): (&Node, &OpenNode)| mine.first == node.event;
            if self.path.nodes.len() <= at || !self.path.nodes[..=at].iter().zip(nodes).all(fits) {
                return Err(Halt::Contradiction("a path that leads elsewhere now"));
            }
            self.path.nodes.truncate(at + 1);
            // If the plan was not followed to its end, what it shows further up the path is news.
            for (mine, node) in self.path.nodes.iter_mut().zip(nodes) {
                mine.join(&node.alternatives);
            }
            if at + 1 < nodes.len() {
                previous = plan.thread;
                next = self.turn(Plan::clone(plan))?;
            }
        }
        Ok(next)
    }
}

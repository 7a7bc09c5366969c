//! Where a walk stands, written down so that another process can go on from there.
//!
//! A path through the choice points is the outcome of few decisions: the first execution is what comes of no plan at all,
//! and each choice point at which a plan was followed since determines what comes after it. So of each worker's path only
//! these plans are written down, with what is still to be tried at its choice points. Who goes on follows the same plans,
//! which leads to the same events, and compares their names.

use super::choice_point::{Alternatives, Node};
use super::event::Name;
use super::{Halt, Plan, Walk};
use crate::environment::Environment;
use crate::explore::Exploration;
use crate::explore::estimate::Since;
use crate::explore::reduction::Root;
use crate::explore::unfinished::{Gathered, SavedGathered, SavedUnfinished, Unfinished};
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use symx_trace::ThreadId;

/// Where a walk stands.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::explore) struct Position {
    paths: Vec<SavedPath>,
    /// What is to be tried at choice points, those of several paths once.
    alternatives: Vec<SavedAlternatives>,
    unfinished: SavedUnfinished,
    gathered: SavedGathered,
    /// Executions so far.
    executed: u64,
}

/// One worker's path.
#[derive(Debug, Serialize, Deserialize)]
struct SavedPath {
    /// Its choice points, outermost first.
    nodes: Vec<SavedNode>,
    /// Whether the execution that the last plan leads to was explored.
    is_explored: bool,
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

#[derive(Debug, Serialize, Deserialize)]
struct SavedAlternatives {
    seen: Vec<Name>,
    contended: Option<u128>,
    pending: Vec<Plan>,
    taken: usize,
    since: Since,
}

/// One worker's path, as long as the process lives.
#[derive(Clone)]
pub(super) struct OpenPath {
    nodes: Vec<OpenNode>,
    is_explored: bool,
}

#[derive(Clone)]
struct OpenNode {
    event: Name,
    plan: Option<Arc<Plan>>,
    alternatives: Arc<Mutex<Alternatives>>,
}

impl OpenPath {
    /// The path to an alternative that nobody has tried yet, at the last of these choice points.
    pub fn untried(nodes: &mut [Node], plan: Plan) -> Self {
        let mut nodes: Vec<OpenNode> = nodes.iter_mut().map(OpenNode::of).collect();
        if let Some(last) = nodes.last_mut() {
            last.plan = Some(Arc::new(plan));
        }
        Self { nodes, is_explored: false }
    }

    /// Whether there is nothing left on it.
    fn is_done(&self) -> bool {
        let waits = |node: &OpenNode| !Alternatives::locked(&node.alternatives).pending.is_empty();
        self.is_explored && !self.nodes.iter().any(waits)
    }
}

impl OpenNode {
    fn of(node: &mut Node) -> Self {
        Self { event: node.first, plan: node.plan.clone(), alternatives: node.shared() }
    }
}

impl Position {
    /// Where workers stand who were on these paths.
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
            .filter(|path| !path.is_done())
            .map(|path| {
                let node = |node: &OpenNode| SavedNode {
                    event: node.event,
                    plan: node.plan.clone(),
                    alternatives: number(&node.alternatives),
                };
                SavedPath { nodes: path.nodes.iter().map(node).collect(), is_explored: path.is_explored }
            })
            .collect();
        let alternatives =
            known.iter().map(|one| SavedAlternatives::of(&Alternatives::locked(one))).collect();
        let unfinished = gathered.unfinished().save();
        Self { paths, alternatives, unfinished, gathered: gathered.save(), executed }
    }

    /// The paths to go on along, what they share shared again.
    pub(super) fn paths(&self) -> Vec<OpenPath> {
        let shared: Vec<_> = self.alternatives.iter().map(|one| Arc::new(Mutex::new(one.open()))).collect();
        let path = |path: &SavedPath| {
            let node = |node: &SavedNode| {
                let alternatives = Arc::clone(&shared[node.alternatives]);
                OpenNode { event: node.event, plan: node.plan.clone(), alternatives }
            };
            OpenPath { nodes: path.nodes.iter().map(node).collect(), is_explored: path.is_explored }
        };
        self.paths.iter().map(path).collect()
    }

    /// Whether all positions are within their lists.
    pub fn is_sound(&self) -> bool {
        let nodes = self.paths.iter().flat_map(|path| &path.nodes);
        nodes.into_iter().all(|node| node.alternatives < self.alternatives.len())
    }

    /// Executions so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// What executions that ended early touched.
    pub fn unfinished(&self) -> Unfinished {
        Unfinished::restored(&self.unfinished)
    }

    /// What all executions touched.
    pub fn gathered(&self) -> Gathered {
        Gathered::restored(&self.gathered)
    }
}

impl SavedAlternatives {
    fn of(alternatives: &Alternatives) -> Self {
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

    fn open(&self) -> Alternatives {
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
    /// What is left of the present path, for another process to go on with.
    pub(super) fn open_path(&mut self) -> OpenPath {
        let last = self.nodes.iter().rposition(|node| node.plan.is_some());
        // What the present execution has come to since is found again.
        let kept = if self.is_explored { self.nodes.len() } else { last.map_or(0, |last| last + 1) };
        let nodes = self.nodes[..kept].iter_mut().map(OpenNode::of).collect();
        OpenPath { nodes, is_explored: self.is_explored }
    }

    /// Explores what is left on a path of an earlier process.
    pub(super) fn go_on(&mut self, root: &Root<E>, path: OpenPath) -> Result<(), Halt> {
        let before: Exploration = std::mem::take(&mut self.result);
        self.is_repeating = true;
        let repeated = self.repeat(root, &path);
        self.is_repeating = false;
        self.result = before;
        if repeated.is_err() {
            self.untouched = Some(path);
        }
        let (next, previous) = repeated?;
        self.exhaust(next, previous)
    }

    /// Goes through executions of an earlier process again, those that lead to where it stood. The state that is next,
    /// and who ran before.
    fn repeat(&mut self, root: &Root<E>, path: &OpenPath) -> Result<(Option<State<E>>, ThreadId), Halt> {
        const OTHER: Halt = Halt::Beyond("unforeseen: a path that leads elsewhere now");
        let nodes = &path.nodes;
        let mut next = self.begin(root)?;
        let mut previous = ThreadId::MAIN;
        for (at, node) in nodes.iter().enumerate() {
            let Some(plan) = &node.plan else { continue };
            if let Some(state) = next.take() {
                self.extend(state, previous)?;
            }
            if self.nodes.get(at).is_none_or(|mine| mine.first != node.event) {
                return Err(OTHER);
            }
            self.nodes.truncate(at + 1);
            // If the plan was not followed to its end, what it shows further up the path is news.
            for (mine, node) in self.nodes.iter_mut().zip(nodes) {
                mine.join(&node.alternatives);
            }
            previous = plan.thread;
            next = self.turn(Plan::clone(plan))?;
        }
        if path.is_explored
            && let Some(state) = next.take()
        {
            self.extend(state, previous)?;
        }
        let fits = |(mine, node): (&Node, &OpenNode)| mine.first == node.event;
        if self.nodes.len() < nodes.len() || !self.nodes.iter().zip(nodes).all(fits) {
            return Err(OTHER);
        }
        self.nodes.truncate(nodes.len());
        for (mine, node) in self.nodes.iter_mut().zip(nodes) {
            mine.join(&node.alternatives);
        }
        Ok((next, previous))
    }
}

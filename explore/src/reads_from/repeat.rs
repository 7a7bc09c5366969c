//! Going on from a position: the executions on the way there are gone through again.

use super::choice_points::position::{OpenNode, OpenPath};
use super::{Halt, Node, Plan, Walk};
use crate::Exploration;
use crate::refinement::root::Root;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::ThreadId;

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

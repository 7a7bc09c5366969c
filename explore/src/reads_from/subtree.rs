//! Subtrees of the walk, for whichever process has time for them.
//!
//! A subtree is a path, and the open alternatives of the choice points on it. Choice points further up belong
//! to other subtrees as well. Alternatives found there are handed back, and each is explored once, whichever
//! subtree shows it first. So a subtree is explored like a worker's task, but its choice points are
//! [shared](SharedPoints) through the campaign instead of through memory.

use super::backtracking::alternatives::TWICE;
use super::choice_points::backtrack_point::Alternatives;
use super::choice_points::position::{OpenNode, OpenPath, SavedAlternatives};
use super::graph::event::Name;
use super::{Halt, Plan, Walk, Why};
use crate::refinement::root::{Beyond, Root};
use crate::refinement::truncated::Gathered;
use crate::{Exploration, ExploreOptions, Observer};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;

/// A part of the walk that is still to be explored; by default all of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Subtree {
    /// The choice points on the way, outermost first. Where there are any, a plan leads on from the last one.
    nodes: Vec<SubtreeNode>,
    /// How many of them have alternatives that are explored elsewhere.
    shared: usize,
    /// How many ends of the execution that the last plan leads to are counted.
    counted: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SubtreeNode {
    /// The event's name, before the plan.
    event: Name,
    /// The plan that leads on.
    plan: Option<Arc<Plan>>,
    alternatives: SavedAlternatives,
}

/// The rest when a subtree was explored, to its end or in part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rest {
    /// The subtrees of it still to be explored.
    children: Vec<Subtree>,
    /// Choice points that the children share from now on.
    points: Vec<(Name, SharedPoint)>,
    /// The alternatives found at choice points that were shared before.
    news: Vec<NewAlternatives>,
}

/// The alternatives found at a choice point that was shared before.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NewAlternatives {
    /// Its number on the path.
    at: usize,
    point: SharedPoint,
    plans: Vec<Plan>,
}

/// The known alternatives of a choice point that several subtrees share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SharedPoint {
    seen: FxHashSet<Name>,
    contended: Option<u128>,
}

/// The choice points that several subtrees share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SharedPoints(FxHashMap<Name, SharedPoint>);

/// The result of a subtree.
pub(crate) struct Explored {
    pub result: Exploration,
    /// Sites found to be shared: nothing else counts then.
    pub discovered: FxHashSet<Site>,
    /// Whether something else was learned that changes what is to be explored.
    pub has_learned: bool,
    /// The reason that is beyond the walk.
    pub beyond: Option<Beyond>,
    pub gathered: Gathered,
    pub rest: Rest,
}

impl Plan {
    /// The name of its alternative among those of its choice point.
    fn seen_as(&self, contended: Option<u128>) -> Name {
        match (self.why, contended) {
            (Why::Source | Why::Theft, Some(place)) => self.name.with(place),
            _ => self.name,
        }
    }
}

impl Subtree {
    /// Whether it is the whole walk.
    pub fn is_whole(&self) -> bool {
        self.nodes.is_empty()
    }

    fn open(&self) -> OpenPath {
        let node = |node: &SubtreeNode| OpenNode {
            event: node.event,
            plan: node.plan.clone(),
            alternatives: Arc::new(Mutex::new(node.alternatives.open())),
        };
        OpenPath { nodes: self.nodes.iter().map(node).collect(), counted: self.counted }
    }

    /// The names of the path's choice points, whichever subtree they are seen from: the events on the way and
    /// the alternatives taken.
    fn keys(&self) -> Vec<Name> {
        let mut key = Name::INITIAL;
        let of_node = |node: &SubtreeNode| {
            key = key.after(node.event);
            let own = key;
            let taken =
                node.plan.as_ref().map_or(Name::INITIAL, |plan| plan.name.choosing(plan.why.number()));
            key = key.after(taken);
            own
        };
        self.nodes.iter().map(of_node).collect()
    }

    /// The subtree of an alternative of one of its choice points.
    fn alternative(&self, at: usize, plan: Plan) -> Self {
        let mut nodes = self.nodes[..=at].to_vec();
        nodes.iter_mut().for_each(|node| node.alternatives.pending.clear());
        nodes[at].plan = Some(Arc::new(plan));
        Self { nodes, shared: at + 1, counted: 0 }
    }

    /// Hands out the alternatives furthest up, which most follows, until there are as many subtrees as asked
    /// for or nothing is left to hand out.
    fn split(mut self, subtrees: usize) -> (Vec<Self>, Vec<(Name, SharedPoint)>) {
        let (mut children, mut points) = (Vec::new(), Vec::new());
        let keys = self.keys();
        while children.len() + 1 < subtrees {
            let has_pending = |at: &usize| !self.nodes[*at].alternatives.pending.is_empty();
            let Some(at) = (self.shared..self.nodes.len()).find(has_pending) else { break };
            let plans = std::mem::take(&mut self.nodes[at].alternatives.pending);
            children.extend(plans.into_iter().map(|plan| self.alternative(at, plan)));
            for (key, node) in keys.iter().zip(&self.nodes).take(at + 1).skip(self.shared) {
                points.push((*key, SharedPoint::of(&node.alternatives)));
            }
            self.shared = at + 1;
        }
        children.push(self);
        (children, points)
    }
}

impl Why {
    /// Distinguishes kinds of alternatives.
    fn number(self) -> u32 {
        match self {
            Self::Source => 0,
            Self::Theft => 1,
            Self::Rival => 2,
            Self::Choice => 3,
            Self::Stays(_) => 4,
        }
    }
}

impl SharedPoint {
    fn of(alternatives: &SavedAlternatives) -> Self {
        Self { seen: alternatives.seen.iter().copied().collect(), contended: alternatives.contended }
    }
}

impl SharedPoints {
    /// Adds the results of a subtree. Returns all that is to be explored for that, each alternative once.
    pub fn add(&mut self, subtree: &Subtree, rest: &Rest) -> Result<Vec<Subtree>, Beyond> {
        let mut open = rest.children.clone();
        for (key, point) in &rest.points {
            self.0.entry(*key).or_insert_with(|| point.clone());
        }
        let keys = subtree.keys();
        for found in &rest.news {
            let Some(key) = keys.get(found.at) else { continue };
            let point = self.0.entry(*key).or_default();
            if let Some(place) = found.point.contended
                && *point.contended.get_or_insert(place) != place
            {
                return Err(Beyond::Uncovered(TWICE));
            }
            let seen = found.point.seen.iter().copied();
            let new: FxHashSet<Name> = seen.filter(|name| point.seen.insert(*name)).collect();
            let contended = point.contended;
            let plans = found.plans.iter().filter(|plan| new.contains(&plan.seen_as(contended)));
            open.extend(plans.map(|plan| subtree.alternative(found.at, plan.clone())));
        }
        open.iter_mut().for_each(|subtree| self.refresh(subtree));
        Ok(open)
    }

    /// Forgets those that none of these subtrees shares: nothing is found there any more.
    pub fn retain<'s>(&mut self, open: impl Iterator<Item = &'s Subtree>) {
        let shared = |subtree: &'s Subtree| subtree.keys().into_iter().take(subtree.shared);
        let keys: FxHashSet<Name> = open.flat_map(shared).collect();
        self.0.retain(|key, _| keys.contains(key));
    }

    /// Passes to a subtree what is known of the choice points that it shares.
    fn refresh(&self, subtree: &mut Subtree) {
        let keys = subtree.keys();
        for (key, node) in keys.iter().zip(&mut subtree.nodes).take(subtree.shared) {
            let Some(point) = self.0.get(key) else { continue };
            let mut seen: Vec<Name> = point.seen.iter().copied().collect();
            seen.sort_unstable();
            (node.alternatives.seen, node.alternatives.contended) = (seen, point.contended);
        }
    }
}

/// Explores a subtree until nothing is left or the observer ends it. The rest is split into `subtrees`.
pub(crate) fn explore_subtree<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &FxHashSet<Site>,
    root: &Root<E>,
    (subtree, subtrees): (&Subtree, usize),
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Explored {
    executor.visible = Some(Arc::new(sites.clone()));
    executor.stops_at_fences = executor.machine.model.buffers_stores();
    let path = subtree.open();
    let mut walk = Walk::new(executor, options, observer, None);
    (walk.shared, walk.gathers) = (subtree.shared, true);
    let halt = walk.go_on(root, path.clone()).err();
    let part = walk.into_part(halt);
    executor.contested.clear();
    executor.stops_at_fences = false;
    let has_learned = executor.learned.apply_notes() || halt == Some(Halt::Learned);
    let known = subtree.nodes.iter().zip(&path.nodes).take(subtree.shared).enumerate();
    let news =
        known.filter_map(|(at, (before, after))| new_alternatives(at, before, &after.alternatives)).collect();
    let mut rest = Rest { news, ..Rest::default() };
    if let Some(open) = part.paths.first() {
        let left = Subtree::left(open, subtree.shared);
        (rest.children, rest.points) = left.split(subtrees);
    }
    Explored {
        result: part.result,
        discovered: part.discovered,
        has_learned,
        beyond: part.halt.and_then(Halt::beyond),
        gathered: part.gathered,
        rest,
    }
}

/// The alternatives found at a shared choice point, if there are any.
fn new_alternatives(at: usize, before: &SubtreeNode, after: &Mutex<Alternatives>) -> Option<NewAlternatives> {
    let mut after = Alternatives::locked(after);
    let plans = std::mem::take(&mut after.pending);
    let is_new = |name: &&Name| before.alternatives.seen.binary_search(name).is_err();
    let seen: FxHashSet<Name> = after.seen.iter().filter(is_new).copied().collect();
    let contended = after.contended;
    let is_news = !seen.is_empty() || contended != before.alternatives.contended;
    is_news.then_some(NewAlternatives { at, point: SharedPoint { seen, contended }, plans })
}

impl Subtree {
    /// The rest on a path on which `shared` choice points are shared.
    fn left(path: &OpenPath, shared: usize) -> Self {
        let node = |node: &OpenNode| SubtreeNode {
            event: node.event,
            plan: node.plan.clone(),
            alternatives: SavedAlternatives::of(&Alternatives::locked(&node.alternatives)),
        };
        Self { nodes: path.nodes.iter().map(node).collect(), shared, counted: path.counted }
    }
}

//! Dividing what is left of the walk with source sets.
//!
//! An alternative of a choice point can be explored apart: its sleep set there is known, as it is what was
//! tried before. An alternative that it finds at choice points further up is no more than a
//! [request](Request) then. Whether something is added for it depends on what came before in the order of the
//! walk. [`Stretches`](super::stretches::Stretches) puts requests into that order.

use super::Walk;
use super::point::{Point, Position, SavedPoint};
use crate::exit_checks;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_trace::{Agent, Footprint};

/// One of these is to be tried at a choice point that is explored elsewhere as well.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The choice point, by its number on the path.
    pub at: usize,
    pub initials: SmallVec<[Agent; 4]>,
}

/// A choice point of which alternatives are explored apart from now on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    /// Its number on the path.
    pub at: usize,
    /// The agents enabled there, and what their next steps touch.
    pub enabled: SmallVec<[Agent; 8]>,
    pub footprints: Vec<Footprint>,
}

/// The rest of a walk, in its order, and choice points that its parts share from now on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Left {
    pub positions: Vec<Position>,
    pub opened: Vec<Opened>,
}

impl SavedPoint {
    /// The other alternatives to be tried there, each as the point that leads to it, in the walk's order.
    fn waiting(&self, footprints: Option<&Opened>) -> Vec<Self> {
        match self {
            Self::Ways { left, since } => {
                (0..*left).rev().map(|left| Self::Ways { left, since: *since }).collect()
            }
            Self::Schedule { chosen, sleep, backtrack, since } => {
                let is_tried =
                    |agent: &Agent| agent == chosen || sleep.iter().any(|(asleep, _)| asleep == agent);
                let mut tried = *chosen;
                let mut sleep = sleep.clone();
                let waiting = backtrack.iter().filter(|agent| !is_tried(agent));
                let point = |agent: &Agent| {
                    sleep.extend(footprints.and_then(|opened| opened.asleep(tried)));
                    tried = *agent;
                    Self::Schedule {
                        chosen: *agent,
                        sleep: sleep.clone(),
                        backtrack: backtrack.clone(),
                        since: *since,
                    }
                };
                waiting.copied().collect::<Vec<_>>().iter().map(point).collect()
            }
        }
    }
}

impl Opened {
    /// An agent as it sleeps there once it was tried.
    pub fn asleep(&self, agent: Agent) -> Option<(Agent, Footprint)> {
        let at = self.enabled.iter().position(|enabled| *enabled == agent)?;
        Some((agent, self.footprints.get(at)?.clone()))
    }
}

/// The alternatives of a path that are explored elsewhere.
#[derive(Default)]
pub(super) struct Elsewhere {
    /// How many choices, outermost first, have such.
    pub shared: usize,
    /// The alternatives to be tried at these, in the order in which they were found.
    pub requests: Vec<Request>,
    /// The same to look them up.
    asked: FxHashSet<Request>,
}

impl Elsewhere {
    /// Asks the owner of the other alternatives of a choice point to try one of these there.
    pub fn ask(&mut self, request: Request) {
        if self.asked.insert(request.clone()) {
            self.requests.push(request);
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// The rest, divided into `parts` parts as far as that can be.
    pub(super) fn divided(&mut self, parts: usize) -> Left {
        let mut rest = self.position();
        let (mut found, mut opened) = (Vec::<Vec<Position>>::new(), Vec::new());
        let mut count = 1;
        // The footprint of a section is known only when it has ended.
        let last = if self.takes_sections_whole() { self.ways_at_first() } else { self.path.points.len() };
        for at in rest.shared..last {
            if count >= parts {
                break;
            }
            let point = self.opened(at);
            let waiting = rest.points[at].waiting(point.as_ref());
            opened.extend(point);
            if waiting.is_empty() {
                continue;
            }
            count += waiting.len();
            let position = |point: SavedPoint| Position {
                points: rest.points[..at].iter().cloned().chain([point]).collect(),
                is_explored: false,
                descent: at + 1,
                shared: at + 1,
                ..rest.clone()
            };
            found.push(waiting.into_iter().map(position).collect());
            rest.shared = at + 1;
        }
        opened.retain(|point| point.at < rest.shared);
        // The subtree of the present alternatives comes before the other open ones further up.
        let positions = std::iter::once(rest).chain(found.into_iter().rev().flatten()).collect();
        Left { positions, opened }
    }

    /// How many of the first choice points are ways of forks.
    fn ways_at_first(&self) -> usize {
        self.path.points.iter().take_while(|point| matches!(point, Point::Ways(_))).count()
    }

    /// The facts needed about a choice point whose alternatives are explored apart, if anything can be added
    /// there.
    fn opened(&mut self, at: usize) -> Option<Opened> {
        let Point::Schedule(point) = self.path.points.get(at)? else { return None };
        if self.options.bound.is_some() || point.enabled.len() < 2 {
            return None;
        }
        let (state, enabled) = (point.state.clone()?, point.enabled.clone());
        let footprint = |agent: &Agent| exit_checks::footprint(self.executor, &state, *agent, self.options);
        let footprints = enabled.iter().map(footprint).collect();
        Some(Opened { at, enabled, footprints })
    }
}

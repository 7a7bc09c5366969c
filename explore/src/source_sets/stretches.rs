//! Stretches of the walk with source sets, explored at the same time, in the order of the walk.
//!
//! The alternatives that one process tries at a choice point depend on what it tried there before. So
//! requests of stretches ([`Request`]) at choice points that they share are looked at in the order in which
//! one process would come to them. A request waits until all stretches before its own are explored. An added
//! stretch comes after all others of its choice point, and there what was tried before sleeps.

use super::division::{Left, Opened, Request};
use super::point::{Position, SavedPoint};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use symx_trace::Agent;

/// At a choice point, stretches have begun with other alternatives, or in another order, than one process
/// would have tried there. What they found cannot be added up to its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfOrder;

/// A number for a stretch, or for a choice point.
pub(crate) type Number = u64;

/// The stretches of one walk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stretches {
    /// Those whose requests were not looked at yet, in the order of the walk.
    order: VecDeque<Part>,
    choices: BTreeMap<Number, Choice>,
    next: Number,
}

/// The stretches of a walk that are still to be explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OpenStretches {
    /// The order of all of them.
    pub(super) order: Stretches,
    /// Those that no worker explores.
    pub(super) open: VecDeque<(Number, Position)>,
}

impl OpenStretches {
    /// The rest of a walk, as one stretch.
    pub fn of_rest(position: Position) -> Self {
        let (order, number) = Stretches::of_all();
        Self { order, open: VecDeque::from([(number, position)]) }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    number: Number,
    is_open: bool,
    /// The choice points above it that stretches share: their numbers on its path, and which they are. It
    /// also has which of the alternatives tried there leads to it.
    path: Vec<Step>,
    requests: Vec<Request>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Step {
    at: usize,
    choice: Number,
    tried: usize,
}

/// A choice point that stretches share.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Choice {
    opened: Opened,
    /// The way to it: the position of an alternative, whose last point is this one.
    position: Position,
    /// The agents to be tried, with those that need not be as they sleep.
    backtrack: SmallVec<[Agent; 8]>,
    /// The agents that were tried, in order, since stretches share it.
    tried: Vec<Agent>,
}

/// A stretch to be opened.
pub(crate) type New = (Number, Position);

impl Stretches {
    /// One stretch, which is all of the walk, and its number.
    pub fn of_all() -> (Self, Number) {
        let mut all = Self::default();
        let number = all.number();
        all.order.push_back(Part { number, is_open: true, path: Vec::new(), requests: Vec::new() });
        (all, number)
    }

    /// Adds the result of a stretch. Returns the stretches that are to be explored for it.
    pub fn add(
        &mut self,
        number: Number,
        left: Left,
        requests: Vec<Request>,
    ) -> Result<Vec<New>, OutOfOrder> {
        let mut new = Vec::new();
        if let Some(at) = self.order.iter().position(|part| part.number == number) {
            self.order[at].is_open = false;
            self.order[at].requests = requests;
            self.divide(at, left, &mut new);
        }
        while self.order.front().is_some_and(|part| !part.is_open) {
            let Some(part) = self.order.pop_front() else { break };
            for request in &part.requests {
                self.grant(&part.path, request, &mut new)?;
            }
            self.forget(&part);
        }
        Ok(new)
    }

    fn number(&mut self) -> Number {
        self.next += 1;
        self.next
    }

    /// Opens what is left of a stretch, after it.
    fn divide(&mut self, at: usize, left: Left, new: &mut Vec<New>) {
        let mut opened = Vec::new();
        let rest = left.positions.first();
        for point in left.opened {
            let Some((position, SavedPoint::Schedule { chosen, sleep, backtrack, .. })) =
                rest.and_then(|rest| Some((rest, rest.points.get(point.at)?)))
            else {
                continue;
            };
            let asleep = |agent: &&Agent| sleep.iter().any(|(asleep, _)| asleep == *agent);
            let waiting = backtrack.iter().filter(|agent| **agent != *chosen && !asleep(agent)).copied();
            let choice = Choice {
                position: Position {
                    points: position.points[..=point.at].to_vec(),
                    is_explored: false,
                    descent: point.at + 1,
                    shared: point.at + 1,
                    ..position.clone()
                },
                backtrack: backtrack.clone(),
                tried: std::iter::once(*chosen).chain(waiting).collect(),
                opened: point,
            };
            let number = self.number();
            opened.push((choice.opened.at, number));
            self.choices.insert(number, choice);
        }
        for (ordinal, position) in left.positions.into_iter().enumerate() {
            let mut path = self.order[at].path.clone();
            for (level, choice) in opened.iter().filter(|(level, _)| *level < position.shared) {
                let Some(SavedPoint::Schedule { chosen, .. }) = position.points.get(*level) else { continue };
                let tried = self.choices[choice].tried.iter().position(|agent| agent == chosen);
                path.push(Step { at: *level, choice: *choice, tried: tried.unwrap_or(0) });
            }
            let number = self.number();
            self.order.insert(at + 1 + ordinal, Part { number, is_open: true, path, requests: Vec::new() });
            new.push((number, position));
        }
    }

    /// Adds what is asked for at a choice point, unless it is tried there anyway.
    fn grant(&mut self, path: &[Step], request: &Request, new: &mut Vec<New>) -> Result<(), OutOfOrder> {
        let Some(step) = path.iter().find(|step| step.at == request.at) else { return Ok(()) };
        let Some(choice) = self.choices.get_mut(&step.choice) else { return Ok(()) };
        let added = choice.added(step.tried, request)?;
        for agent in added {
            let Some(choice) = self.choices.get_mut(&step.choice) else { continue };
            let Some(position) = choice.alternative(agent) else { continue };
            let tried = choice.tried.len() - 1;
            let above = path.iter().take_while(|other| other.at < step.at).copied();
            let path = above.chain([Step { tried, ..*step }]).collect();
            let number = self.number();
            let is_inside = |part: &Part| part.path.iter().any(|other| other.choice == step.choice);
            let behind = self.order.iter().rposition(is_inside).map_or(0, |last| last + 1);
            self.order.insert(behind, Part { number, is_open: true, path, requests: Vec::new() });
            new.push((number, position));
        }
        Ok(())
    }

    /// Forgets choice points to which no stretch leads any more.
    fn forget(&mut self, gone: &Part) {
        for step in &gone.path {
            let leads = |part: &Part| part.path.iter().any(|other| other.choice == step.choice);
            if !self.order.iter().any(leads) {
                self.choices.remove(&step.choice);
            }
        }
    }
}

impl Choice {
    /// The agents to be tried besides for a request out of what follows one that was tried.
    fn added(&mut self, tried: usize, request: &Request) -> Result<Vec<Agent>, OutOfOrder> {
        if request.initials.iter().any(|agent| self.backtrack.contains(agent)) {
            return Ok(Vec::new());
        }
        let enabled = &self.opened.enabled;
        if let Some(agent) = request.initials.iter().rev().find(|agent| enabled.contains(agent)) {
            self.backtrack.push(*agent);
            return Ok(if self.sleeps(*agent) { Vec::new() } else { vec![*agent] });
        }
        // One of those that could run must enable them: all are tried, in their order.
        self.backtrack.clone_from(enabled);
        let before = &self.tried[..=tried.min(self.tried.len() - 1)];
        let next = enabled.iter().filter(|agent| !self.sleeps(**agent) && !before.contains(agent));
        let mut next = next.copied();
        let begun = &self.tried[before.len()..];
        if begun.iter().any(|agent| next.next() != Some(*agent)) {
            return Err(OutOfOrder);
        }
        Ok(next.collect())
    }

    /// Whether an agent slept there before stretches shared it.
    fn sleeps(&self, agent: Agent) -> bool {
        match self.position.points.last() {
            Some(SavedPoint::Schedule { sleep, .. }) => sleep.iter().any(|(asleep, _)| *asleep == agent),
            _ => false,
        }
    }

    /// The stretch of one more agent, for which all that were tried before sleep.
    fn alternative(&mut self, agent: Agent) -> Option<Position> {
        let mut position = self.position.clone();
        let Some(SavedPoint::Schedule { chosen, sleep, backtrack, .. }) = position.points.last_mut() else {
            return None;
        };
        sleep.extend(self.tried.iter().filter_map(|tried| self.opened.asleep(*tried)));
        (*chosen, *backtrack) = (agent, self.backtrack.clone());
        self.tried.push(agent);
        Some(position)
    }
}

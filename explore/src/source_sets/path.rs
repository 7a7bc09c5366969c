//! The path from the root to where the walk stands, and which alternatives its races ask for.

use super::division::Request;
use super::point::{Point, Schedule, Section};
use crate::bounds::schedule_bound::ScheduleBound;
use crate::events::happens_before::{HappensBefore, Race};
use crate::refinement::root::Root;
use symx_interp::environment::Environment;
use symx_trace::footprint::dependent;
use symx_trace::{Agent, Decision, Footprint, ThreadId};

pub(super) struct Path<E: Environment> {
    /// Its choice points, outermost first.
    pub points: Vec<Point<E>>,
    /// Its events, and which of them happen before which.
    pub order: HappensBefore,
    /// Its decisions, those that lead to the root included.
    pub decisions: Vec<Decision>,
    /// The atomic section that the present step is in.
    pub section: Option<Section>,
    /// Forks on the way to the root.
    root_depth: u32,
}

impl<E: Environment> Path<E> {
    /// One that has not left the root yet.
    pub fn new(root: &Root<E>) -> Self {
        Self {
            points: Vec::new(),
            order: HappensBefore::default(),
            decisions: root.decisions.clone(),
            section: None,
            root_depth: root.depth,
        }
    }

    /// The innermost scheduling point.
    pub fn last(&self) -> Option<&Schedule<E>> {
        self.points.iter().rev().find_map(Point::schedule)
    }

    /// Forks on it.
    pub fn depth(&self) -> u32 {
        let innermost = self.points.iter().rev().find_map(|point| match point {
            Point::Ways(ways) => Some(ways.depth),
            Point::Schedule(_) => None,
        });
        innermost.unwrap_or(self.root_depth)
    }

    /// Whether an alternative is left at one of its points.
    pub fn has_alternatives(&self) -> bool {
        self.points.iter().any(|point| match point {
            Point::Schedule(schedule) => schedule.next().is_some(),
            Point::Ways(ways) => !ways.left.is_empty(),
        })
    }

    /// The part of a bound on schedules that is spent at its end, the last step included.
    pub fn spent(&self, bound: Option<ScheduleBound>) -> u32 {
        let Some(bound) = bound else { return 0 };
        self.last().map_or(0, |last| last.spent + bound.cost(&last.enabled, last.previous, last.chosen))
    }

    /// The sleep set and the running thread after the step of the innermost scheduling point. Within a bound
    /// nothing sleeps: what was explored elsewhere may have been cut there.
    pub fn after_step(&self, is_bounded: bool) -> (Vec<(Agent, Footprint)>, Option<ThreadId>) {
        let Some(last) = self.last() else { return (Vec::new(), Some(ThreadId::MAIN)) };
        let sleep = match is_bounded {
            false => last
                .sleep
                .iter()
                .filter(|(agent, footprint)| *agent != last.chosen && !dependent(footprint, &last.footprint))
                .cloned()
                .collect(),
            true => Vec::new(),
        };
        let previous = match last.chosen {
            Agent::Thread(thread) => Some(thread),
            Agent::Buffer { .. } => last.previous,
        };
        (sleep, previous)
    }

    /// Makes sure that one of a race's initials is tried where its earlier event was scheduled. The
    /// alternatives of the first `shared` points are explored elsewhere: there it is asked for.
    pub fn reverse(&mut self, race: &Race, shared: usize) -> Option<Request> {
        let Point::Schedule(point) = &mut self.points[race.node] else {
            unreachable!("events are scheduled at scheduling points")
        };
        if race.initials.iter().any(|agent| point.backtrack.contains(agent)) {
            return None;
        }
        if race.node < shared {
            return Some(Request { at: race.node, initials: race.initials.clone() });
        }
        match race.initials.iter().rev().find(|agent| point.enabled.contains(agent)) {
            Some(agent) => point.backtrack.push(*agent),
            // None of them could run there: one of those that could must enable them.
            None => point.backtrack = point.enabled.clone(),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::estimate::Since;
    use smallvec::{SmallVec, smallvec};
    use symx_posix_model::Posix;
    use symx_trace::{Access, Mode};

    fn agent(word: &str) -> Agent {
        Agent::Thread(ThreadId(word[1..].parse().expect("T and a number")))
    }

    fn footprint(does: &str, object: &str) -> Footprint {
        let address = 64 * u64::from(object.as_bytes()[0]);
        smallvec![match does {
            "reads" => Access::read(address, 4),
            "writes" => Access::write(address, 4),
            "locks" => Access::object(address, Mode::Acquire),
            _ => Access::object(address, Mode::Release),
        }]
    }

    /// The path of these events, a line each: `T1 writes x of T1 T2`, the enabled agents last. Behind it, the
    /// requests to points that others explore.
    fn walked(events: &str, shared: usize) -> (String, String) {
        let mut path = Path::<Posix> {
            points: Vec::new(),
            order: HappensBefore::default(),
            decisions: Vec::new(),
            section: None,
            root_depth: 0,
        };
        let mut requests = String::new();
        for (node, line) in events.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [chosen, does, object, "of", ref enabled @ ..] = words[..] else { panic!("{line}") };
            let (chosen, footprint) = (agent(chosen), footprint(does, object));
            path.points.push(Point::Schedule(Box::new(Schedule {
                state: None,
                enabled: enabled.iter().map(|word| agent(word)).collect(),
                sleep: Vec::new(),
                backtrack: smallvec![chosen],
                chosen,
                footprint: footprint.clone(),
                sections: Footprint::new(),
                previous: None,
                spent: 0,
                since: Since::now(0),
                time_stamps: 0,
                events: path.order.len(),
                decisions: 0,
            })));
            for race in path.order.push(chosen, footprint, node) {
                if let Some(request) = path.reverse(&race, shared) {
                    requests += &format!("{}: {}", request.at, names(&request.initials));
                }
            }
        }
        let tried = path.points.iter().map(|point| {
            let Point::Schedule(schedule) = point else { panic!("there are no forks") };
            names(&schedule.backtrack)
        });
        (tried.collect::<Vec<_>>().join(", "), requests)
    }

    fn names(agents: &[Agent]) -> String {
        let names: SmallVec<[String; 4]> =
            agents.iter().map(|agent| format!("T{}", agent.thread().0)).collect();
        names.join(" ")
    }

    /// What is tried at each of the events.
    fn tried(events: &str) -> String {
        walked(events, 0).0
    }

    #[test]
    fn a_race_is_reversed_where_its_first_event_was_scheduled() {
        let events = "T1 writes x of T1 T2\nT1 writes y of T1 T2\nT2 reads x of T2";
        assert_eq!(tried(events), "T1 T2, T1, T2");
        assert_eq!(tried(&events.replace("reads x", "reads z")), "T1, T1, T2", "they commute");
    }

    #[test]
    fn a_lock_is_reversed_where_it_was_acquired_before() {
        assert_eq!(tried("T1 locks m of T1 T2\nT1 unlocks m of T1\nT2 locks m of T2"), "T1 T2, T1, T2");
    }

    #[test]
    fn events_in_an_order_are_no_race() {
        // The second write of T2 is ordered by its read.
        assert_eq!(tried("T1 writes x of T1 T2\nT2 reads x of T2\nT2 writes x of T2"), "T1 T2, T2, T2");
    }

    #[test]
    fn where_no_initial_is_enabled_all_that_are_have_to_be_tried() {
        assert_eq!(tried("T1 writes x of T1 T3\nT3 writes y of T3 T2\nT2 reads x of T2"), "T1 T3, T3, T2");
    }

    #[test]
    fn alternatives_of_shared_points_are_asked_for() {
        let events = "T1 writes x of T1 T2\nT1 writes y of T1 T2\nT2 reads x of T2";
        assert_eq!(walked(events, 1), ("T1, T1, T2".into(), "0: T2".into()));
    }
}

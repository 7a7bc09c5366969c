//! Starving schedules: in each execution one agent takes a step only when no other can.
//!
//! Every agent is starved in turn. Uniform choices hardly ever hold one back for long, and priorities leave
//! the others in order; here the others run in any order.

use super::LONGEST_WAIT;
use smallvec::SmallVec;
use symx_trace::{Agent, ThreadId};

/// Which agent is starved. It outlives an execution, unlike other ways of picking: each agent has its turn.
#[derive(Debug)]
pub(super) struct Starving {
    /// All agents that executions have had, in order of their first steps.
    known: Vec<Agent>,
    /// Executions begun.
    begun: usize,
    /// The agent starved in this one.
    starved: Agent,
    /// Steps of others since it could go on.
    waited: u64,
}

impl Default for Starving {
    fn default() -> Self {
        let main = Agent::Thread(ThreadId::MAIN);
        Self { known: vec![main], begun: 0, starved: main, waited: 0 }
    }
}

impl Starving {
    /// Another execution begins: it is the next agent's turn.
    pub fn begin(&mut self) -> &mut Self {
        self.starved = self.known[self.begun % self.known.len()];
        self.begun += 1;
        self.waited = 0;
        self
    }

    /// The next of the enabled agents.
    pub fn pick(&mut self, random: &mut fastrand::Rng, enabled: &[Agent]) -> Agent {
        for agent in enabled {
            if !self.known.contains(agent) {
                self.known.push(*agent);
            }
        }
        let others: SmallVec<[Agent; 8]> =
            enabled.iter().copied().filter(|agent| *agent != self.starved).collect();
        let is_held_back = others.len() < enabled.len();
        if others.is_empty() || is_held_back && self.waited == LONGEST_WAIT {
            self.waited = 0;
            return self.starved;
        }
        self.waited += u64::from(is_held_back);
        others[random.usize(..others.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(number: u32) -> Agent {
        Agent::Thread(ThreadId(number))
    }

    #[test]
    fn each_agent_is_last_in_turn() {
        let mut random = fastrand::Rng::with_seed(0);
        let mut starving = Starving::default();
        for last in [0, 1, 2, 0] {
            let mut enabled = vec![thread(0), thread(1), thread(2)];
            starving.begin();
            while enabled.len() > 1 {
                let next = starving.pick(&mut random, &enabled);
                enabled.retain(|agent| *agent != next);
            }
            assert_eq!(enabled, [thread(last)]);
        }
    }

    #[test]
    fn who_is_starved_goes_on_where_no_other_can() {
        let mut random = fastrand::Rng::with_seed(0);
        let mut starving = Starving::default();
        assert_eq!(starving.begin().pick(&mut random, &[thread(0)]), thread(0));
    }

    #[test]
    fn nobody_starves_for_ever() {
        let mut random = fastrand::Rng::with_seed(0);
        let mut starving = Starving::default();
        starving.begin();
        let picked = |_| starving.pick(&mut random, &[thread(0), thread(1)]);
        let first = (0..=LONGEST_WAIT).map(picked).position(|agent| agent == thread(0));
        assert_eq!(first, Some(LONGEST_WAIT as usize));
    }
}

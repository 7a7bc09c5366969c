//! Partial order sampling (Yuan, Yang and Gu, CAV 2018).
//!
//! The next step of each agent has a random priority, and the highest goes first. Afterwards its agent draws
//! another one for the step that follows. So do agents whose next step depends on it. The order of
//! independent steps thus has no say, and of each pair of dependent ones either is as likely to come first,
//! however many independent steps lie before them.

use super::LONGEST_WAIT;
use rustc_hash::FxHashMap;
use symx_trace::Agent;

/// Priorities of the next steps in one execution.
#[derive(Debug, Default)]
pub(super) struct PartialOrder {
    of: FxHashMap<Agent, u64>,
    /// Steps taken.
    taken: u64,
}

impl PartialOrder {
    /// The next of the enabled agents.
    pub fn pick(&mut self, random: &mut fastrand::Rng, enabled: &[Agent]) -> Agent {
        let mut of = |agent: &Agent| *self.of.entry(*agent).or_insert_with(|| random.u64(..));
        enabled.iter().copied().max_by_key(|agent| of(agent)).expect("an agent is enabled")
    }

    /// Notes that an agent takes its step, on which the next ones of `dependent` agents depend.
    pub fn takes(&mut self, agent: Agent, dependent: impl Iterator<Item = Agent>) {
        self.taken += 1;
        // An agent whose step depends on none of the others' would keep a low priority.
        if self.taken.is_multiple_of(LONGEST_WAIT) {
            self.of.clear();
        }
        self.of.remove(&agent);
        dependent.for_each(|other| {
            self.of.remove(&other);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::ThreadId;

    /// In how many of 1,000 executions the last of thread 0's steps comes before the only one of thread 1.
    /// None of those before depends on it.
    fn last_before_only(random: &mut fastrand::Rng, steps: u32) -> u32 {
        let [long, short] = [0, 1].map(|number| Agent::Thread(ThreadId(number)));
        let mut count = 0;
        for _ in 0..1000 {
            let mut order = PartialOrder::default();
            let mut taken = 0;
            while order.pick(random, &[long, short]) == long && taken < steps {
                taken += 1;
                order.takes(long, std::iter::empty());
            }
            count += u32::from(taken == steps);
        }
        count
    }

    #[test]
    fn a_dependent_step_draws_again() {
        let [one, other] = [0, 1].map(|number| Agent::Thread(ThreadId(number)));
        let mut random = fastrand::Rng::with_seed(0);
        let mut order = PartialOrder::default();
        let first = order.pick(&mut random, &[one, other]);
        let second = if first == one { other } else { one };
        let kept = order.of[&second];
        order.takes(first, std::iter::empty());
        assert_eq!(order.of.get(&second), Some(&kept));
        order.takes(first, std::iter::once(second));
        assert!(order.of.is_empty());
    }

    #[test]
    fn no_priority_is_low_for_ever() {
        let [spinning, awaited] = [0, 1].map(|number| Agent::Thread(ThreadId(number)));
        for seed in 0..100 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut order = PartialOrder::default();
            order.of.insert(awaited, 0);
            let spins = |_: &u64| {
                let is_it = order.pick(&mut random, &[spinning, awaited]) == spinning;
                order.takes(spinning, std::iter::empty());
                is_it
            };
            assert!((0..).take_while(spins).count() < 1 << 14, "{seed}");
        }
    }

    #[test]
    fn a_long_way_is_no_rare_way() {
        let mut random = fastrand::Rng::with_seed(0);
        // Uniform choices let all of twenty steps come before another one in one of a million executions.
        let count = last_before_only(&mut random, 20);
        assert!((25..75).contains(&count), "{count} of 1000, not one in 21");
    }
}

//! When a walk looks at the clock, at memory and at whether it is to end.
//!
//! A look costs more than a short step does, and a step may be of a million instructions; so both count.

/// Steps after which a look is due, unless it is to come earlier.
pub(crate) const STEPS_BETWEEN: u32 = 256;

/// Instructions after which a look is due, however few steps they were: some hundredths of a second.
const INSTRUCTIONS_BETWEEN: u64 = 1 << 22;

/// Says after which step the next look is due.
pub(crate) struct Looks {
    /// Steps after which one is due.
    between: u32,
    /// Steps since the last look.
    steps: u32,
    /// Instructions that had been executed when it was made.
    looked_at: u64,
}

impl Default for Looks {
    fn default() -> Self {
        Self::every(STEPS_BETWEEN)
    }
}

impl Looks {
    /// A look is due after this many steps.
    pub(crate) fn every(between: u32) -> Self {
        Self { between, steps: 0, looked_at: 0 }
    }

    /// The first step ends in a look, too.
    pub(crate) fn at_once() -> Self {
        Self { steps: STEPS_BETWEEN, ..Self::default() }
    }

    /// Counts a step. Whether a look is due, `instructions` having been executed by now.
    #[inline]
    pub(crate) fn is_due(&mut self, instructions: u64) -> bool {
        self.steps += 1;
        if self.steps < self.between && instructions.saturating_sub(self.looked_at) < INSTRUCTIONS_BETWEEN {
            return false;
        }
        self.steps = 0;
        self.looked_at = instructions;
        true
    }

    /// The next step ends in a look: what comes then takes long.
    pub(crate) fn hasten(&mut self) {
        self.steps = self.between;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_short_steps_or_few_long_ones_make_a_look_due() {
        let mut looks = Looks::default();
        let due = |looks: &mut Looks, steps: u32| (0..steps).filter(|_| looks.is_due(1)).count();
        assert_eq!(due(&mut looks, STEPS_BETWEEN - 1), 0);
        assert_eq!(due(&mut looks, 2 * STEPS_BETWEEN), 2);
        assert!(looks.is_due(INSTRUCTIONS_BETWEEN + 1), "a long step");
        assert!(!looks.is_due(INSTRUCTIONS_BETWEEN + 2), "right after a look");
        looks.hasten();
        assert!(looks.is_due(INSTRUCTIONS_BETWEEN + 3));
        assert!(Looks::at_once().is_due(1));
        assert_eq!(due(&mut Looks::every(3), 7), 2);
    }
}

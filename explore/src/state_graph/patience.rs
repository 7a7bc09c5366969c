//! How long a walk by executions goes on before the graph of states is tried.

/// Executions after which it is asked for the first time whether threads come round.
const FIRST_LOOK: u64 = 1 << 11;

/// States that may be entered for each execution so far: that takes about as long as these did.
const STATES_PER_EXECUTION: u64 = 4;

/// The next look is after this many times as many executions: a walk that begins again has lost few of all.
const BETWEEN_LOOKS: u64 = 4;

/// Instructions that may be executed for each one so far: where states are far apart, they take longer than
/// executions do.
const INSTRUCTIONS_FOR_EACH: u64 = 2;

/// Explorations of more executions are not interrupted any more: their states would fill the memory.
const LAST_LOOK: u64 = 1 << 13;

/// When a walk is to look whether threads come round, next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Patience(u64);

impl Default for Patience {
    fn default() -> Self {
        Self(FIRST_LOOK)
    }
}

impl Patience {
    /// Whether no look is due any more after this many executions.
    pub fn has_ended(executed: u64) -> bool {
        executed > LAST_LOOK
    }

    /// Whether a look is due after this many executions.
    pub fn is_over(&mut self, executed: u64) -> bool {
        if executed < self.0 || self.0 > LAST_LOOK {
            return false;
        }
        self.0 *= BETWEEN_LOOKS;
        true
    }

    /// How much may be tried after a look. `instructions` were executed before.
    pub fn most(&self, instructions: u64) -> Most {
        let states = most_states(self.0 / BETWEEN_LOOKS);
        Most { states, instructions: instructions.saturating_mul(INSTRUCTIONS_FOR_EACH) }
    }
}

/// How much of the graph of states may be explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// States that are entered.
    pub states: usize,
    /// Instructions on the ways to them.
    pub instructions: u64,
}

/// How many states may be entered in place of a number of executions.
pub(crate) fn most_states(executions: u64) -> usize {
    executions.saturating_mul(STATES_PER_EXECUTION) as usize
}

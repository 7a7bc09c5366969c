//! The analysis proceeds in pieces, and may end between two of them.

use std::cell::Cell;
use symx_expr::{StopReason, StopToken};

/// Small steps (a place that comes into a set, an access as seen from a caller) between two looks at the
/// token: less than a millisecond, and a look takes no part of that worth mentioning.
const PIECE: u64 = 1 << 10;

/// The time and memory of the analysis: counts small steps and asks the token after each piece. An end that
/// has come stays, since steps that were not taken are missing in all that follows.
pub(crate) struct Budget {
    token: StopToken,
    left: Cell<u64>,
    ended: Cell<Option<StopReason>>,
}

impl Budget {
    /// Until the token says otherwise.
    pub fn until(token: &StopToken) -> Self {
        Self { token: token.clone(), left: Cell::new(0), ended: Cell::new(None) }
    }

    /// Before a small step: whether to end instead.
    pub fn is_over(&self) -> bool {
        if self.ended.get().is_some() {
            return true;
        }
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(PIECE);
                self.ended.set(self.token.reason());
            }
        }
        self.ended.get().is_some()
    }

    /// As [`is_over`](Self::is_over), for code that returns results.
    pub fn proceed(&self) -> Result<(), StopReason> {
        self.is_over();
        self.check()
    }

    /// The end, if it has come; no step is taken.
    pub fn check(&self) -> Result<(), StopReason> {
        self.ended.get().map_or(Ok(()), Err)
    }

    /// The step under way is as long as this many more.
    pub fn weigh(&self, steps: usize) {
        self.left.set(self.left.get().saturating_sub(steps as u64));
    }

    /// Asks for memory that is about to be taken at once.
    pub fn ask(&self, bytes: usize) -> Result<(), StopReason> {
        self.check()?;
        self.token.ask(bytes as u64).inspect_err(|reason| self.ended.set(Some(*reason)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn the_token_is_asked_once_a_piece_and_an_end_stays() {
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let token = StopToken::when(move || {
            (count.fetch_add(1, Ordering::Relaxed) == 2).then_some(StopReason::Interrupted)
        });
        let budget = Budget::until(&token);
        assert_eq!(budget.proceed(), Ok(()));
        assert_eq!((0..PIECE).filter(|_| budget.is_over()).count(), 0);
        assert_eq!((asked.load(Ordering::Relaxed), budget.is_over()), (1, false));
        budget.weigh(PIECE as usize);
        assert!(budget.is_over(), "a long step is several");
        assert_eq!((budget.is_over(), budget.check()), (true, Err(StopReason::Interrupted)));
        assert_eq!((budget.ask(1), asked.load(Ordering::Relaxed)), (Err(StopReason::Interrupted), 3));
    }
}

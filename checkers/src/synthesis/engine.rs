//! What every engine is: it is given a constraint system, and answers with a model, a core, or nothing.

use super::problem::EventId;
use super::system::Literal;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use symx_expr::Assignment;
use symx_trace::Move;

/// What an engine found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// An execution.
    Model(Model),
    /// There is none under these of the assumptions; none at all if the list is empty.
    Core(Vec<Literal>),
    /// It does not know, for this reason.
    Unknown(String),
}

/// An execution as an engine found it; [`linearise`](super::linearise()) makes a schedule of it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// All events in an order in which they could take effect.
    pub order: Vec<EventId>,
    /// Which signal or broadcast wakes which wait, named by its beginning.
    pub wakes: Vec<(EventId, EventId)>,
    /// What inputs are.
    pub inputs: Assignment,
    /// The steps themselves, where the engine takes steps.
    pub moves: Option<Vec<Move>>,
}

/// Stops an engine from elsewhere; it answers [`Answer::Unknown`] soon after.
#[derive(Clone, Default)]
pub struct Interrupt {
    is_stopped: Arc<AtomicBool>,
    /// Whether they are to stop although nobody has said so: time may be up.
    is_over: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Interrupt").field(&self.is_stopped).finish()
    }
}

impl Interrupt {
    /// Why an engine that was interrupted does not know.
    pub const REASON: &str = "interrupted";

    /// One that stops by itself as soon as this says so; it is asked all the time.
    pub fn when(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { is_over: Some(Arc::new(is_over)), ..Self::default() }
    }

    /// One that stops when this one does, or by itself.
    pub fn child(&self) -> Self {
        let parent = self.clone();
        Self::when(move || parent.is_stopped())
    }

    /// Stops the engines that have it.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether they are to stop.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed) || self.is_over.as_ref().is_some_and(|is_over| is_over())
    }
}

/// One way to solve a constraint system.
pub trait Engine {
    /// Its name, for tables.
    fn name(&self) -> &'static str;

    /// Adds a clause; later answers satisfy it. Literals with [choices](super::Atom::Choice)
    /// are an encoding's own.
    fn add(&mut self, clause: &[Literal]);

    /// Literals that are tried to be true before they are tried to be false, the first ones first.
    fn prefer(&mut self, _literals: &[Literal]) {}

    /// Looks for an execution under assumptions.
    fn solve(&mut self, assumptions: &[Literal]) -> Answer;

    /// What stops it.
    fn interrupt(&self) -> Interrupt;
}

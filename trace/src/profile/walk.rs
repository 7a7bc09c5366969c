//! The edges one activation took, one at a time.

use super::tree::{Activation, ActivationEnd, LoopRounds};
use super::unit::Rounds;
use symx_ir::path_numbering::{Edge, EdgeAction, NoSuchPath, PathEnd, PathNumbering};

/// The record of the next edge of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedEdge {
    /// This edge was taken.
    Taken(Edge),
    /// If the activation took another edge at all, it was this one.
    Possible(Edge),
    /// `setjmp` in this block returned once more; the next edge leaves this block again.
    JumpedBack {
        /// The block control came back to.
        block: u32,
    },
    /// The activation left its function from this block, which has no successors.
    Left {
        /// The block.
        block: u32,
    },
    /// The record says no more about the activation, and it took no edge beyond those recorded. If recording
    /// had stopped (`recorded_to_the_end` is false), anything may follow.
    EndOfRecord {
        /// Whether recording lasted as long as the activation.
        recorded_to_the_end: bool,
    },
}

/// A path number of the record that does not fit the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// The function has no such path.
    #[error("function {function}: {source}")]
    NoSuchPath {
        /// The function.
        function: u32,
        /// The number and how many there are.
        source: NoSuchPath,
    },
    /// A path does not start where the one before it ended.
    #[error(
        "function {function}: path {number} starts at block {start}, but the path before it led to block {expected}"
    )]
    Discontinuous {
        /// The function.
        function: u32,
        /// The path's number.
        number: u32,
        /// Where it starts.
        start: u32,
        /// Where it should.
        expected: u32,
    },
    /// A path took rounds of a loop that the function does not have or the path does not come to.
    #[error("function {function}: path {path} does not come to loop {number}")]
    NoSuchLoop {
        /// The function.
        function: u32,
        /// The path's number, or its sum.
        path: u32,
        /// The loop's.
        number: u32,
    },
}

/// Rounds of a loop on the current path that are still to be walked.
#[derive(Clone, Debug)]
struct ToWalk {
    /// How many edges of the path come before.
    behind: usize,
    edges: Vec<Edge>,
    position: usize,
    times: u32,
}

/// Walks the edges an activation took, path by path, without unfolding them all.
#[derive(Clone, Debug)]
pub struct ActivationWalk<'a> {
    numbering: &'a PathNumbering,
    activation: Activation<'a>,
    next_path: usize,
    /// The block the next path starts at. `None` after a jump back, which may lead to any block that calls
    /// `setjmp`, and where the record begins within the activation.
    at: Option<u32>,
    edges: Vec<Edge>,
    position: usize,
    certain: usize,
    /// The loops whose rounds the path takes, the next one last.
    loops: Vec<ToWalk>,
    next_rounds: usize,
    /// Whether the path, as it is walked now, has rounds of loops.
    has_rounds: bool,
    /// Whether the edge returned last is of a loop of which more rounds follow.
    is_within_loop: bool,
    /// How often the path follows itself before the next.
    again: u32,
    /// Whether a path that follows itself is walked once only.
    once_each: bool,
    /// The sum when the path before was logged. A thread killed right then has not set it anew yet.
    sum_before: Option<u32>,
    /// How many of the last edges may follow each other any number of times.
    rounds: usize,
    after: After,
}

/// The continuation after the edges of the current path.
#[derive(Clone, Copy, Debug)]
enum After {
    NextPath,
    Left(u32),
    JumpedBack,
    End(bool),
}

impl<'a> ActivationWalk<'a> {
    /// A walk along an activation of a function with this numbering.
    pub fn new(numbering: &'a PathNumbering, activation: Activation<'a>) -> Self {
        ActivationWalk {
            numbering,
            activation,
            next_path: 0,
            at: activation.is_whole.then_some(0),
            edges: Vec::new(),
            position: 0,
            certain: 0,
            loops: Vec::new(),
            next_rounds: 0,
            has_rounds: false,
            is_within_loop: false,
            again: 0,
            once_each: false,
            sum_before: None,
            rounds: 0,
            after: After::NextPath,
        }
    }

    /// As `new`, but of equal paths that follow each other only the first is walked. That is enough for a
    /// check, and may be far less than all.
    pub fn once_each(numbering: &'a PathNumbering, activation: Activation<'a>) -> Self {
        ActivationWalk { once_each: true, ..Self::new(numbering, activation) }
    }

    /// The next step. Where control jumped back, steps that are only possible come before `JumpedBack`: skip
    /// them when the jump happens. After `Left` and `EndOfRecord` it stays the same.
    pub fn next_edge(&mut self) -> Result<RecordedEdge, WalkError> {
        self.is_within_loop = false;
        loop {
            if let Some(edge) = self.edge_of_round() {
                return Ok(RecordedEdge::Taken(edge));
            }
            if let Some(&edge) = self.edges.get(self.position) {
                self.position += 1;
                return Ok(match self.position <= self.certain {
                    true => RecordedEdge::Taken(edge),
                    false => RecordedEdge::Possible(edge),
                });
            }
            match self.after {
                After::NextPath if self.again > 0 => {
                    self.again -= 1;
                    self.position = 0;
                    self.has_rounds = false;
                }
                After::NextPath => {
                    self.load()?;
                }
                After::Left(block) => return Ok(RecordedEdge::Left { block }),
                After::End(recorded_to_the_end) => {
                    return Ok(RecordedEdge::EndOfRecord { recorded_to_the_end });
                }
                After::JumpedBack => {
                    self.at = None;
                    if let Some(block) = self.load()? {
                        return Ok(RecordedEdge::JumpedBack { block });
                    }
                }
            }
        }
    }

    /// Skips what repeats the edges returned last, which end with the last one: how many edges, and how often
    /// they are taken again. Not where an edge was only possible.
    pub fn skip_rounds(&mut self) -> Option<(usize, u32)> {
        if self.is_within_loop {
            let next = self.loops.last().filter(|next| next.position == 0)?;
            let skipped = (next.edges.len(), next.times);
            self.loops.pop();
            return Some(skipped);
        }
        let is_whole = self.position == self.edges.len() && self.loops.is_empty() && !self.has_rounds;
        if !is_whole || self.again == 0 || !matches!(self.after, After::NextPath) {
            return None;
        }
        Some((self.edges.len(), std::mem::take(&mut self.again)))
    }

    fn edge_of_round(&mut self) -> Option<Edge> {
        let next = self.loops.last_mut().filter(|next| next.behind == self.position)?;
        let edge = next.edges[next.position];
        next.position += 1;
        if next.position == next.edges.len() {
            (next.position, next.times) = (0, next.times - 1);
        }
        self.is_within_loop = next.times > 0;
        if next.times == 0 {
            self.loops.pop();
        }
        Some(edge)
    }

    /// Where the record ends in a loop whose rounds it does not contain: the edges of a round, those returned
    /// last. The activation took them any number of times, and then any part of them. Empty elsewhere, and
    /// before `EndOfRecord`.
    pub fn rounds(&self) -> &[Edge] {
        let is_over = matches!(self.after, After::End(_)) && self.position == self.edges.len();
        &self.edges[self.edges.len() - if is_over { self.rounds } else { 0 }..]
    }

    /// Unfolds the next path; returns the block it starts at, if the record has one.
    fn load(&mut self) -> Result<Option<u32>, WalkError> {
        let function = self.activation.function;
        let no_such_path = |source| WalkError::NoSuchPath { function, source };
        self.position = 0;
        self.rounds = 0;
        if let Some(path) = self.activation.paths.get(self.next_path).filter(|path| !path.broke_off) {
            let decoded = self.numbering.decode(path.number).map_err(no_such_path)?;
            self.next_path += 1;
            self.expect_start(path.number, decoded.start)?;
            self.certain = decoded.edges.len();
            let last = decoded.edges.last().map(|&edge| self.numbering.edge_action(edge));
            if let Some(EdgeAction::Cut { add, .. }) = last {
                self.sum_before = Some(path.number - add);
            }
            self.edges = decoded.edges;
            self.after = After::NextPath;
            self.load_loops(path.number)?;
            if path.times > 1 {
                // Only what leads back to where it began follows itself; then its last edge is
                // there to be walked.
                self.at = match decoded.end {
                    PathEnd::Cut { target } => Some(target),
                    PathEnd::Exit { block } => Some(block),
                };
                self.expect_start(path.number, decoded.start)?;
                self.again = if self.once_each { 0 } else { path.times - 1 };
            }
            (self.at, self.after) = match decoded.end {
                PathEnd::Cut { target } => (Some(target), After::NextPath),
                PathEnd::Exit { block } => (Some(block), After::Left(block)),
            };
            return Ok(Some(decoded.start));
        }
        let (sum, after) = match (self.activation.paths.get(self.next_path), self.activation.end) {
            (Some(broken), _) => (broken.number, After::JumpedBack),
            (None, ActivationEnd::Abandoned { sum } | ActivationEnd::Open { sum: Some(sum) }) => {
                (sum, After::End(true))
            }
            (None, ActivationEnd::Reached { sum }) => return self.load_reached(sum).map(Some),
            (None, ActivationEnd::Open { sum: None } | ActivationEnd::Returned) => {
                self.edges.clear();
                self.loops.clear();
                self.after = After::End(false);
                return Ok(None);
            }
        };
        if let Some(rounds) = Rounds::of_word(sum) {
            return self.load_rounds(rounds, after);
        }
        let has_gone_round = !self.rounds_of(self.next_path).is_empty();
        let is_old = matches!(after, After::End(_)) && self.sum_before == Some(sum) && !has_gone_round;
        let mut decoded = self.numbering.decode_partial(sum).map_err(no_such_path)?;
        if is_old {
            // Either the sum of the path before or, around a loop, that of this one: nothing is certain.
            if let Some(value) =
                self.at.filter(|&at| at != decoded.start).and_then(|at| self.numbering.resume_value(at))
            {
                decoded = self.numbering.decode_partial(value).map_err(no_such_path)?;
            }
            decoded.certain = 0;
        }
        self.next_path += 1;
        self.expect_start(sum, decoded.start)?;
        if matches!(after, After::JumpedBack) {
            self.sum_before = Some(sum);
        }
        self.certain = decoded.certain;
        self.edges = decoded.edges;
        self.after = after;
        self.load_loops(sum)?;
        Ok(Some(decoded.start))
    }

    /// The recorded rounds of one of the paths, which comes after those loaded.
    fn rounds_of(&self, path: usize) -> &'a [LoopRounds] {
        let rest = self.activation.rounds.get(self.next_rounds..).unwrap_or_default();
        &rest[..rest.partition_point(|rounds| rounds.path as usize <= path)]
    }

    /// Unfolds the rounds of the path loaded last. One that did not end may come to a loop at its end.
    fn load_loops(&mut self, path: u32) -> Result<(), WalkError> {
        let function = self.activation.function;
        let told = self.rounds_of(self.next_path - 1);
        self.next_rounds += told.len();
        self.has_rounds = !told.is_empty();
        self.loops.clear();
        for &LoopRounds { number, times, .. } in told {
            let none = WalkError::NoSuchLoop { function, path, number };
            let (round, head) = self.round(number).ok_or(none)?;
            let behind = match self.edges.iter().position(|edge| edge.block == head) {
                Some(behind) => behind,
                None if matches!(self.after, After::NextPath | After::Left(_)) => return Err(none),
                None => self.edges.len(),
            };
            self.certain = self.certain.max(behind);
            let times = if self.once_each { 1 } else { times };
            self.loops.push(ToWalk { behind, edges: round, position: 0, times });
        }
        self.loops.sort_by_key(|next| std::cmp::Reverse(next.behind));
        Ok(())
    }

    /// A round of a loop, and the block it begins with.
    fn round(&self, number: u32) -> Option<(Vec<Edge>, u32)> {
        let (_, way) = self.numbering.ways_round().get(number as usize)?;
        let round = self.numbering.decode(way.path).ok()?;
        Some((round.edges, round.start))
    }

    /// Unfolds what leads to a loop that the activation had not said it left, and a round of it.
    fn load_rounds(&mut self, rounds: Rounds, after: After) -> Result<Option<u32>, WalkError> {
        let function = self.activation.function;
        let Rounds { number, sum } = rounds;
        let none = WalkError::NoSuchLoop { function, path: sum, number };
        let (mut round, head) = self.round(number).ok_or(none)?;
        let mut before =
            self.numbering.decode(sum).map_err(|source| WalkError::NoSuchPath { function, source })?;
        self.expect_start(sum, before.start)?;
        before.edges.truncate(before.edges.iter().position(|edge| edge.block == head).ok_or(none)?);
        // Where the rounds are recorded already (the thread was killed right then), only the part of one is
        // left in which it left the loop.
        let is_told = self.rounds_of(self.next_path).iter().any(|told| told.number == number);
        self.next_path += 1;
        self.certain = before.edges.len();
        self.edges = before.edges;
        self.after = after;
        self.load_loops(sum)?;
        self.rounds = if is_told { 0 } else { round.len() };
        if is_told {
            round.pop();
        }
        self.edges.extend(round);
        Ok(Some(before.start))
    }

    /// Unfolds what the activation did last, which may go beyond the end of a path; returns the block it
    /// starts at.
    fn load_reached(&mut self, sum: u32) -> Result<u32, WalkError> {
        let function = self.activation.function;
        let no_such_path = |source| WalkError::NoSuchPath { function, source };
        let whole = self.numbering.decode(sum).map_err(no_such_path)?;
        let partial = self.numbering.decode_partial(sum).map_err(no_such_path)?;
        self.expect_start(sum, whole.start)?;
        self.next_path += 1;
        self.certain = partial.certain;
        self.edges = whole.edges;
        self.after = After::End(true);
        self.load_loops(sum)?;
        if let PathEnd::Cut { target } = whole.end
            && let Some(value) = self.numbering.resume_value(target)
        {
            self.edges.extend(self.numbering.decode_partial(value).map_err(no_such_path)?.edges);
        }
        Ok(whole.start)
    }

    fn expect_start(&self, number: u32, start: u32) -> Result<(), WalkError> {
        match self.at {
            Some(expected) if expected != start => {
                let function = self.activation.function;
                Err(WalkError::Discontinuous { function, number, start, expected })
            }
            _ => Ok(()),
        }
    }
}

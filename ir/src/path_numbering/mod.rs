//! Ball–Larus path numbering of one function's control-flow graph.
//!
//! Every acyclic path through a function gets a number, so a native run can log one number a path instead of
//! one bit a branch. See Ball and Larus, MICRO'96, and CLAP, section 5, 'Thread Local Path Collection'. The
//! recorder inserts the additions that this module asks for; the guide decodes the numbers again. Both build
//! the numbering from the same successor lists, so it is never stored.
//!
//! Three choices differ from the textbook:
//!
//! - Increments are the plain, non-negative values of the edges, not those moved to a spanning tree. So the
//!   sum at *any* moment names one complete path of which the executed part is a prefix. (After the last
//!   non-zero value only edges of value 0 were taken.) This makes a run that was killed decodable.
//! - Edges other than back edges are cut as well. Those into a loop with more than one way round are cut. So
//!   the sum of a path in the loop does not depend on where the loop was entered from. More are cut if a
//!   function would have more paths than a limit, so that a number nearly always fits a profile unit's 14
//!   bits. Of these, edges outside of loops are preferred.
//! - A block to which control may return without an edge (it calls `setjmp`) can be a start of paths without
//!   cutting the edges into it.
//!
//! Blocks are numbered in module order, successors in the order of the terminator's operands. (A conditional
//! branch: true, false; a switch: default, then the cases in order; an invoke: normal, unwind.) An edge is a
//! block and a successor index, so parallel edges are different edges.

mod cut;
mod way_round;

pub use way_round::WayRound;

use cut::{Cut, Graph, Starts};

/// The greatest number of paths a function is given unless even cutting every edge leaves more.
///
/// Recorder and guide must use the same limit.
pub const PATH_LIMIT: u32 = 8192;

/// How many paths a function can have: the greatest numbers leave three bits of a word free where sums are
/// kept.
const MOST_PATHS: u64 = 1 << 29;

/// Whether an external function may return a second time, by its name: a block that calls it is a resume
/// block of its function's numbering. (`vfork` does too, but the recorder puts `fork` in its place.)
pub fn returns_twice(function: &str) -> bool {
    matches!(function, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp")
}

/// One control-flow edge: the block it leaves and which of that block's successors it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The block the edge leaves, by position in its function.
    pub block: u32,
    /// The index in the successor list of that block.
    pub successor: u32,
}

/// The update of a thread's path sum when it takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeAction {
    /// The path goes on: add to the sum (often 0).
    Continue {
        /// The number to add.
        add: u32,
    },
    /// The path ends here: log sum + `add`, then set the sum to `restart`.
    Cut {
        /// The number to add to the sum to get the number of the path that ends.
        add: u32,
        /// The sum the next path begins with.
        restart: u32,
    },
}

/// Where a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// In a block without successors.
    Exit {
        /// That block.
        block: u32,
    },
    /// On an edge that is cut; the next path starts at the edge's target. The edge is
    /// the last of `Path::edges`.
    Cut {
        /// The block the next path starts at.
        target: u32,
    },
}

/// A decoded path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The block the path starts at.
    pub start: u32,
    /// The edges taken, in order, with the cut edge that ended the path if one did.
    pub edges: Vec<Edge>,
    /// Where the path ends.
    pub end: PathEnd,
}

/// The path named by a sum that was read while the path was still being walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialPath {
    /// The block the path starts at.
    pub start: u32,
    /// The executed part is a prefix of these edges. A cut edge never is among them, for taking it is logged.
    pub edges: Vec<Edge>,
    /// How many of the edges were certainly taken; of the others any number were.
    pub certain: usize,
}

/// A number that names no path of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path {id} does not exist: the function has {paths} paths")]
pub struct NoSuchPath {
    /// The number.
    pub id: u32,
    /// How many paths the function has.
    pub paths: u32,
}

/// A function that cannot be numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberingError {
    /// A successor list names a block that does not exist.
    #[error("block {block} has successor {successor}, but there are only {blocks} blocks")]
    NoSuchBlock {
        /// The block whose successor list is wrong.
        block: u32,
        /// The block named there.
        successor: u32,
        /// How many blocks there are.
        blocks: usize,
    },
    /// Even with every edge cut there are more paths than a number can hold.
    #[error("the function has {paths} paths with every edge cut, more than {MOST_PATHS}")]
    TooManyPaths {
        /// How many.
        paths: u64,
    },
}

/// The numbering of one function's paths.
#[derive(Clone, Debug)]
pub struct PathNumbering {
    /// Edge `(block, successor)` is at `first_edge[block] + successor`.
    first_edge: Vec<usize>,
    actions: Vec<EdgeAction>,
    targets: Vec<u32>,
    /// Successor indices of each block by rising value, laid out like `actions`.
    by_value: Vec<u32>,
    /// Blocks at which paths start, with the first number of their paths; by rising number.
    starts: Vec<(u32, u32)>,
    paths: u32,
    cuts: bool,
    is_back: Vec<bool>,
    resumable: bool,
    /// By the edges that close them.
    ways_round: Vec<(Edge, WayRound)>,
}

impl PathNumbering {
    /// Numbers the paths of a function given the successors of each block; block 0 is the entry.
    ///
    /// Blocks that cannot be reached take part in no path.
    pub fn new(successors: &[Vec<u32>], limit: u32) -> Result<Self, NumberingError> {
        Self::with_resume_blocks(successors, &[], limit)
    }

    /// As `new`, with blocks at which a path may also start because control can return into them (they call a
    /// function that returns twice). `resume_value` is the sum such a path begins with.
    pub fn with_resume_blocks(
        successors: &[Vec<u32>],
        resume_blocks: &[u32],
        limit: u32,
    ) -> Result<Self, NumberingError> {
        let blocks = successors.len();
        for (block, list) in successors.iter().enumerate() {
            if let Some(&successor) = list.iter().find(|&&s| s as usize >= blocks) {
                return Err(NumberingError::NoSuchBlock { block: block as u32, successor, blocks });
            }
        }
        let graph = Graph::new(successors);
        let number = |starts: &Starts| {
            let cut = Cut::choose(&graph, starts, u64::from(limit.max(1)));
            if cut.total > MOST_PATHS {
                return Err(NumberingError::TooManyPaths { paths: cut.total });
            }
            Ok(Self::assign(&graph, cut, !resume_blocks.is_empty()))
        };
        // Which loops have one way round shows once the back edges are cut.
        let mut starts = Starts { resume: resume_blocks.to_vec(), all_cut: Vec::new() };
        let plain = number(&starts)?;
        starts.all_cut = vec![false; blocks];
        for (block, list) in (0..).zip(successors) {
            for (successor, &target) in (0..).zip(list) {
                let edge = Edge { block, successor };
                starts.all_cut[target as usize] |= plain.closes_loop(edge) && plain.way_round(edge).is_none();
            }
        }
        if starts.all_cut.contains(&true) { number(&starts) } else { Ok(plain) }
    }

    fn assign(graph: &Graph<'_>, cut: Cut, resumable: bool) -> Self {
        let mut starts = Vec::new();
        let mut next = 0;
        for (block, _) in cut.is_start.iter().enumerate().filter(|(_, is)| **is) {
            starts.push((block as u32, next));
            next += cut.paths_from[block] as u32;
        }
        let mut restart = vec![0; cut.is_start.len()];
        for &(block, value) in &starts {
            restart[block as usize] = value;
        }
        let edges = graph.targets.len();
        let depths = graph.loop_depths();
        let mut actions = vec![EdgeAction::Continue { add: 0 }; edges];
        let mut by_value: Vec<u32> = Vec::with_capacity(edges);
        for (block, &first) in graph.first_edge[..graph.first_edge.len() - 1].iter().enumerate() {
            let count = graph.successors[block].len();
            let mut order: Vec<u32> = (0..count as u32).collect();
            if graph.reachable[block] {
                // The edge that stays in the innermost loop is the likeliest and gets value 0, which costs
                // nothing. Of several, one that is not cut gets it, and of these the one with most paths
                // after it.
                order.sort_by_key(|&s| {
                    let edge = first + s as usize;
                    let target = graph.targets[edge] as usize;
                    let behind = if cut.is_cut[edge] { 1 } else { cut.paths_from[target] };
                    (std::cmp::Reverse(depths[target]), cut.is_cut[edge], std::cmp::Reverse(behind))
                });
                let mut add = 0;
                for &successor in &order {
                    let edge = first + successor as usize;
                    let target = graph.targets[edge] as usize;
                    if cut.is_cut[edge] {
                        actions[edge] = EdgeAction::Cut { add, restart: restart[target] };
                        add += 1;
                    } else {
                        actions[edge] = EdgeAction::Continue { add };
                        add += cut.paths_from[target] as u32;
                    }
                }
            }
            by_value.extend(order);
        }
        let mut numbering = PathNumbering {
            first_edge: graph.first_edge.clone(),
            actions,
            targets: graph.targets.clone(),
            by_value,
            starts,
            paths: cut.total as u32,
            cuts: cut.is_cut.iter().any(|&c| c),
            is_back: graph.is_back.clone(),
            resumable,
            ways_round: Vec::new(),
        };
        numbering.ways_round = numbering.find_ways_round();
        numbering
    }

    /// How many paths there are; their numbers are 0 up to this.
    pub fn paths(&self) -> u32 {
        self.paths
    }

    /// Whether there is nothing to record: a single path and no loop, and nothing control could return into.
    pub fn is_trivial(&self) -> bool {
        self.paths <= 1 && !self.cuts && !self.resumable
    }

    /// Whether calls of the function are recorded at all. `contains_calls` says whether it contains a call,
    /// an invoke or an inline assembly statement other than calls of LLVM's own `llvm.*` functions.
    ///
    /// A trivial function without calls has one thing to do and is left out of the record. The rule is the
    /// one place where recorder and guide agree on that.
    pub fn is_recorded(&self, contains_calls: bool) -> bool {
        contains_calls || !self.is_trivial()
    }

    /// The update of the sum on an edge.
    ///
    /// # Panics
    /// If the function has no such edge.
    pub fn edge_action(&self, edge: Edge) -> EdgeAction {
        self.actions[self.edge_index(edge)]
    }

    /// Whether the edge closes a loop: of the edges of any cycle, one does.
    ///
    /// # Panics
    /// If the function has no such edge.
    pub fn closes_loop(&self, edge: Edge) -> bool {
        self.is_back[self.edge_index(edge)]
    }

    /// The sum a path begins with when control returns into `block` from outside the graph; `None` if paths
    /// cannot start there.
    pub fn resume_value(&self, block: u32) -> Option<u32> {
        let at = self.starts.binary_search_by_key(&block, |&(start, _)| start).ok()?;
        Some(self.starts[at].1)
    }

    /// The path with a number.
    pub fn decode(&self, id: u32) -> Result<Path, NoSuchPath> {
        let mut edges = Vec::new();
        let (start, end, _) = self.walk(id, |edge| edges.push(edge))?;
        Ok(Path { start, edges, end })
    }

    /// The path named by the sum of an activation that has not left its current path yet.
    pub fn decode_partial(&self, sum: u32) -> Result<PartialPath, NoSuchPath> {
        let mut edges = Vec::new();
        let (start, end, certain) = self.walk(sum, |edge| edges.push(edge))?;
        if matches!(end, PathEnd::Cut { .. }) {
            edges.pop();
        }
        Ok(PartialPath { start, certain: certain.min(edges.len()), edges })
    }

    fn edge_index(&self, edge: Edge) -> usize {
        let first = self.first_edge[edge.block as usize];
        let index = first + edge.successor as usize;
        assert!(index < self.first_edge[edge.block as usize + 1], "no such edge: {edge:?}");
        index
    }

    /// Walks the path, and returns its start, its end, and how many edges reach the last non-zero value.
    fn walk(&self, id: u32, mut visit: impl FnMut(Edge)) -> Result<(u32, PathEnd, usize), NoSuchPath> {
        let none = NoSuchPath { id, paths: self.paths };
        if id >= self.paths {
            return Err(none);
        }
        let at = self.starts.partition_point(|&(_, first)| first <= id) - 1;
        let (start, first) = self.starts[at];
        let (mut block, mut rest) = (start, id - first);
        let (mut length, mut certain) = (0, 0);
        loop {
            let range = self.first_edge[block as usize]..self.first_edge[block as usize + 1];
            if range.is_empty() {
                return if rest == 0 { Ok((start, PathEnd::Exit { block }, certain)) } else { Err(none) };
            }
            let first = range.start;
            let order = &self.by_value[range];
            let add_of = |s: u32| match self.actions[first + s as usize] {
                EdgeAction::Continue { add } | EdgeAction::Cut { add, .. } => add,
            };
            let successor = order[order.partition_point(|&s| add_of(s) <= rest) - 1];
            rest -= add_of(successor);
            length += 1;
            if add_of(successor) != 0 {
                certain = length;
            }
            visit(Edge { block, successor });
            let target = self.targets[first + successor as usize];
            if let EdgeAction::Cut { .. } = self.actions[first + successor as usize] {
                return if rest == 0 { Ok((start, PathEnd::Cut { target }, certain)) } else { Err(none) };
            }
            block = target;
        }
    }
}

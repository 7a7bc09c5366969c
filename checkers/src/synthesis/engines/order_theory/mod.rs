//! A SAT solver with a theory of orders: CaDiCaL, which learns through its propagator interface (IPASIR-UP)
//! which literals put events in a cyclic order. Values are circuits.

mod circuits;
mod graph;
mod propagator;

use crate::synthesis::Unknown;
use crate::synthesis::engines::{Answer, Engine};
use crate::synthesis::execution::model::Model;
use crate::synthesis::limits::CLAUSES_BETWEEN;
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{Atom, Literal, System};
use cadical_sys::{CaDiCal, Status, Terminator};
use circuits::Circuits;
use graph::Graph;
use propagator::Propagator;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use symx_expr::{Assignment, BitVector, Node, StopToken, Term, Terms};

/// The engine.
pub struct OrderTheory<'p> {
    problem: &'p Problem,
    solver: CaDiCal,
    propagator: Rc<RefCell<Propagator>>,
    circuits: Circuits,
    variables: HashMap<Atom, i32>,
    /// By event, its place in an order that agrees with what is certain. Unknown orders are false where they
    /// agree with it, as false is what is tried first.
    first_places: Vec<u32>,
    /// Whether the system is contradictory without a choice.
    is_contradictory: bool,
    /// Whether the system is not whole.
    is_truncated: bool,
    /// Whether there are floats, which it knows nothing of.
    has_floats: bool,
    /// Conflicts that one question may take.
    most_conflicts: Option<u32>,
    stop: StopToken,
}

/// The callback by which the solver asks whether to end.
struct Ends(StopToken);

impl Terminator for Ends {
    fn terminated(&mut self) -> bool {
        self.0.is_over()
    }
}

impl<'p> OrderTheory<'p> {
    /// An engine for a system; a question that takes more conflicts stays open.
    pub fn new(problem: &'p Problem, system: &System, most_conflicts: Option<u32>) -> Self {
        Self::stopped_by(problem, system, most_conflicts, StopToken::default())
    }

    /// Questions from now on stay open that take more conflicts than this.
    pub fn limit(&mut self, most_conflicts: u32) {
        self.most_conflicts = Some(most_conflicts);
    }

    /// The same, which ends with other work.
    pub fn stopped_by(
        problem: &'p Problem,
        system: &System,
        most_conflicts: Option<u32>,
        stop: StopToken,
    ) -> Self {
        let mut graph = Graph::new(problem.event_count());
        let is_cyclic = system.edges.iter().any(|(earlier, later)| graph.add(earlier.0, later.0, 0).is_err());
        let first_places = graph.places().to_vec();
        let propagator = Rc::new(RefCell::new(Propagator::new(graph, problem.event_count())));
        let mut solver = CaDiCal::new();
        // Search is what takes time; preprocessing took nine tenths of it.
        solver.configure("plain");
        // Variables of its own would clash with ours.
        solver.set("factor", 0);
        solver.set("phase", 0);
        solver.connect_external_propagator(propagator.clone());
        solver.connect_terminator(Ends(stop.clone()));
        let mut engine = Self {
            problem,
            solver,
            propagator,
            circuits: Circuits::new(),
            variables: HashMap::new(),
            first_places,
            is_contradictory: is_cyclic || system.is_contradictory(),
            is_truncated: system.is_truncated,
            has_floats: false,
            most_conflicts,
            stop,
        };
        let clauses = if system.is_truncated { &[] } else { &system.clauses[..] };
        for (number, clause) in (0..).zip(clauses) {
            if number % CLAUSES_BETWEEN == 0 && engine.stop.is_over() {
                engine.is_truncated = true;
                break;
            }
            engine.add(clause);
        }
        engine
    }

    fn literal(&mut self, literal: Literal) -> i32 {
        let variable = match (literal.atom, self.variables.get(&literal.atom)) {
            (_, Some(variable)) => *variable,
            (Atom::Holds(condition), None) => {
                let terms = &self.problem.terms;
                self.has_floats |= has_floats(terms, &[condition]);
                let bit = if self.has_floats { 1 } else { self.circuits.bits(terms, condition)[0] };
                self.variables.insert(literal.atom, bit);
                bit
            }
            (atom, None) => {
                let variable = self.circuits.variable();
                let mut literal = variable;
                if let Atom::Before(one, other) = atom {
                    if self.first_places[one.index()] < self.first_places[other.index()] {
                        literal = -variable;
                        self.propagator.borrow_mut().observe(variable, other.0, one.0);
                    } else {
                        self.propagator.borrow_mut().observe(variable, one.0, other.0);
                    }
                    self.solver.add_observed_var(variable);
                } else if let Atom::ReadsFrom { .. } = atom {
                    self.propagator.borrow_mut().decide_early(variable);
                    self.solver.add_observed_var(variable);
                }
                self.variables.insert(atom, literal);
                literal
            }
        };
        if literal.positive { variable } else { -variable }
    }

    fn hand_over(&mut self) {
        for literal in std::mem::take(&mut self.circuits.clauses) {
            self.solver.add(literal);
        }
    }

    /// Whether a literal is true in the solution; the solver returns the literal or its negation.
    fn is_true(&mut self, literal: i32) -> bool {
        self.solver.val(literal) == literal
    }

    fn value(&mut self, bits: &[i32]) -> BitVector {
        let mut limbs = vec![0_u64; bits.len().div_ceil(64)];
        for (place, bit) in bits.iter().enumerate() {
            limbs[place / 64] |= u64::from(self.is_true(*bit)) << (place % 64);
        }
        BitVector::from_limbs(bits.len() as u32, &limbs)
    }

    fn model(&mut self) -> Model {
        let places = self.propagator.borrow().solution().to_vec();
        let mut order: Vec<EventId> = self.problem.events().collect();
        order.sort_by_key(|event| places[event.index()]);
        let candidates: Vec<(EventId, EventId, i32)> = self
            .variables
            .iter()
            .filter_map(|(atom, variable)| match *atom {
                Atom::Wakes { signal, wait } => Some((signal, wait, *variable)),
                _ => None,
            })
            .collect();
        let mut wakes = Vec::new();
        for (signal, wait, variable) in candidates {
            if self.is_true(variable) {
                wakes.push((signal, wait));
            }
        }
        let inputs: Vec<Term> = self.problem.inputs().chain(self.problem.free_symbols()).collect();
        let mut values = Assignment::new();
        for symbol in inputs {
            if let Some(bits) = self.circuits.known(symbol).map(<[i32]>::to_vec) {
                values.set(symbol, self.value(&bits));
            }
        }
        Model { order, wakes, inputs: values, moves: None }
    }
}

impl Engine for OrderTheory<'_> {
    fn name(&self) -> &'static str {
        "order theory"
    }

    fn add(&mut self, clause: &[Literal]) {
        self.is_contradictory |= clause.is_empty();
        let literals: Vec<i32> = clause.iter().map(|literal| self.literal(*literal)).collect();
        self.circuits.clause(&literals);
    }

    fn prefer(&mut self, literals: &[Literal]) {
        let mut first = Vec::new();
        for literal in literals {
            let variable = self.literal(*literal);
            self.solver.phase(variable);
            if matches!(literal.atom, Atom::ReadsFrom { .. }) && literal.positive {
                first.push(variable);
            }
        }
        self.propagator.borrow_mut().decide_first(&first);
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Answer {
        if self.is_contradictory {
            return Answer::Core(Vec::new());
        }
        if self.is_truncated {
            return Answer::Unknown(self.stop.reason().map_or(Unknown::ClauseLimit, Unknown::Stopped));
        }
        let assumed: Vec<i32> = assumptions.iter().map(|literal| self.literal(*literal)).collect();
        if self.has_floats {
            return Answer::Unknown(Unknown::FloatingPoint);
        }
        self.hand_over();
        assumed.iter().for_each(|literal| self.solver.assume(*literal));
        if let Some(most) = self.most_conflicts {
            self.solver.limit("conflicts", i32::try_from(most).unwrap_or(i32::MAX));
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Answer::Model(self.model()),
            Status::UNSATISFIABLE => {
                let pairs = assumptions.iter().zip(&assumed);
                let mut core = Vec::new();
                for (literal, variable) in pairs {
                    if self.solver.failed(*variable) {
                        core.push(*literal);
                    }
                }
                Answer::Core(core)
            }
            Status::UNKNOWN => {
                Answer::Unknown(self.stop.reason().map_or(Unknown::ConflictLimit, Unknown::Stopped))
            }
        }
    }

    fn stop(&self) -> StopToken {
        self.stop.clone()
    }
}

/// Whether floats are part of some of the terms.
pub(crate) fn has_floats(terms: &Terms, of: &[Term]) -> bool {
    let mut seen: HashSet<Term> = of.iter().copied().collect();
    let mut open: Vec<Term> = of.to_vec();
    while let Some(term) = open.pop() {
        let node = terms.node(term);
        if matches!(node, Node::Float { .. }) {
            return true;
        }
        open.extend(node.operands().filter(|operand| seen.insert(*operand)));
    }
    false
}

/// Version of the SAT solver that is linked.
pub fn cadical_version() -> String {
    CaDiCal::version()
}

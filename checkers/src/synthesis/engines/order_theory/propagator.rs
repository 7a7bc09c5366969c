//! The theory: literals that put two events in order are edges of a graph that must stay acyclic.

use super::graph::Graph;
use crate::synthesis::limits::MOST_PROPAGATED;
use cadical_sys::ExternalPropagator;

/// The edges that literals denote.
#[derive(Debug)]
pub(super) struct Propagator {
    graph: Graph,
    /// By variable, the two events; the first comes first where it is true.
    events: Vec<Option<(u32, u32)>>,
    /// By event, the variables that are about it, with the other event.
    about: Vec<Vec<(u32, i32)>>,
    /// Literals assigned.
    trail: Vec<i32>,
    /// How many of them are edges already.
    done: usize,
    /// By level, the lengths of the trail and of the graph.
    levels: Vec<(usize, usize)>,
    /// By variable, its value: 1, -1 or 0.
    values: Vec<i8>,
    /// A clause to hand over, from its end.
    clause: Vec<i32>,
    has_clause: bool,
    /// Literals that follow from the edges.
    implied: Vec<i32>,
    /// By variable, the clause that it followed from last.
    reasons: Vec<Vec<i32>>,
    /// How much of a reason has been handed over.
    handed_over: usize,
    /// The order of the last solution.
    solution: Vec<u32>,
    /// Variables to decide on before all others, to true, in this order.
    decisions: Vec<i32>,
    /// Those before this one are assigned.
    decided: usize,
}

impl Propagator {
    pub(super) fn new(graph: Graph, events: usize) -> Self {
        Self {
            graph,
            events: Vec::new(),
            about: vec![Vec::new(); events],
            trail: Vec::new(),
            done: 0,
            levels: Vec::new(),
            values: Vec::new(),
            clause: Vec::new(),
            has_clause: false,
            implied: Vec::new(),
            reasons: Vec::new(),
            handed_over: 0,
            solution: Vec::new(),
            decisions: Vec::new(),
            decided: 0,
        }
    }

    /// The variable denotes an order of two events.
    pub(super) fn observe(&mut self, variable: i32, first: u32, second: u32) {
        self.know(variable);
        self.events[variable as usize] = Some((first, second));
        self.about[first as usize].push((second, variable));
        self.about[second as usize].push((first, -variable));
    }

    fn know(&mut self, variable: i32) {
        let index = variable as usize;
        if self.events.len() <= index {
            self.events.resize(index + 1, None);
            self.values.resize(index + 1, 0);
            self.reasons.resize(index + 1, Vec::new());
        }
    }

    /// The variable is decided on, after those for which this was said before, ahead of all others.
    pub(super) fn decide_early(&mut self, variable: i32) {
        self.know(variable);
        self.decisions.push(variable);
    }

    /// These, decided on early already, are decided on before all others.
    pub(super) fn decide_first(&mut self, variables: &[i32]) {
        let first: std::collections::HashSet<i32> = variables.iter().copied().collect();
        self.decisions.retain(|variable| !first.contains(variable));
        self.decisions.splice(0..0, variables.iter().copied());
        self.decided = 0;
    }

    /// By event, its place in the order of the last solution.
    pub(super) fn solution(&self) -> &[u32] {
        &self.solution
    }

    fn edge(&self, literal: i32) -> Option<(u32, u32)> {
        let (first, second) = (*self.events.get(literal.unsigned_abs() as usize)?)?;
        Some(if literal > 0 { (first, second) } else { (second, first) })
    }

    fn value(&self, literal: i32) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal > 0 { value } else { -value }
    }

    /// Turns assigned literals into edges, up to the first that closes a cycle.
    fn catch_up(&mut self) {
        while !self.has_clause
            && let Some(&literal) = self.trail.get(self.done)
        {
            let Some((from, to)) = self.edge(literal) else {
                self.done += 1;
                continue;
            };
            match self.graph.add(from, to, literal) {
                Ok(()) => {
                    self.done += 1;
                    self.follow(from, to);
                }
                // The literal is tried again: it may outlive this clause.
                Err(reasons) => {
                    self.clause = reasons.into_iter().chain([literal]).map(|reason| -reason).collect();
                    self.has_clause = true;
                }
            }
        }
    }

    /// Variables that the new edge decides at once: those about its own events.
    fn follow(&mut self, from: u32, to: u32) {
        let mut implied = std::mem::take(&mut self.implied);
        let places = self.graph.places();
        // An event before `from` comes before `to`; one after `to` comes after `from`.
        for (event, other_is_earlier) in [(from, false), (to, true)] {
            for &(other, variable) in self.about[event as usize].iter().take(MOST_PROPAGATED) {
                let open = self.values[variable.unsigned_abs() as usize] == 0;
                let could_follow = match other_is_earlier {
                    true => places[other as usize] < places[from as usize],
                    false => places[other as usize] > places[to as usize],
                };
                if open && could_follow {
                    // `variable` says that `event` comes before `other`.
                    implied.push(if other_is_earlier { -variable } else { variable });
                }
            }
        }
        self.implied = implied;
    }
}

impl ExternalPropagator for Propagator {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, literals: &[i32]) {
        for &literal in literals {
            if let Some(value) = self.values.get_mut(literal.unsigned_abs() as usize) {
                *value = if literal > 0 { 1 } else { -1 };
            }
            self.trail.push(literal);
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.catch_up();
        self.levels.push((self.trail.len(), self.graph.len()));
    }

    fn notify_backtrack(&mut self, level: usize) {
        let Some(&(trail, edges)) = self.levels.get(level) else { return };
        self.levels.truncate(level);
        for literal in self.trail.drain(trail..) {
            if let Some(value) = self.values.get_mut(literal.unsigned_abs() as usize) {
                *value = 0;
            }
        }
        self.done = self.done.min(trail);
        self.graph.shrink(edges);
        self.has_clause = false;
        self.clause.clear();
        self.implied.clear();
        self.decided = 0;
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        self.catch_up();
        if self.has_clause {
            return false;
        }
        self.solution = self.graph.places().to_vec();
        true
    }

    fn cb_decide(&mut self) -> i32 {
        while let Some(&variable) = self.decisions.get(self.decided) {
            if self.values[variable as usize] == 0 {
                return variable;
            }
            self.decided += 1;
        }
        0
    }

    fn cb_propagate(&mut self) -> i32 {
        self.catch_up();
        while !self.has_clause
            && let Some(literal) = self.implied.pop()
        {
            if self.value(literal) != 0 {
                continue;
            }
            let Some((from, to)) = self.edge(literal) else { continue };
            // Later edges must not take part in the reason, so it is kept.
            if let Some(path) = self.graph.path(from, to) {
                let reason = path.into_iter().map(|reason| -reason).chain([literal]).collect();
                self.reasons[literal.unsigned_abs() as usize] = reason;
                return literal;
            }
        }
        0
    }

    fn cb_add_reason_clause_lit(&mut self, literal: i32) -> i32 {
        let reason = &self.reasons[literal.unsigned_abs() as usize];
        let next = reason.get(self.handed_over).copied().unwrap_or(0);
        self.handed_over = if next == 0 { 0 } else { self.handed_over + 1 };
        next
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        self.catch_up();
        *is_forgettable = true;
        self.has_clause
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        match self.clause.pop() {
            Some(literal) => literal,
            None => {
                self.has_clause = false;
                0
            }
        }
    }
}

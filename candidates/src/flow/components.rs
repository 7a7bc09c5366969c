//! The call graph, and the functions that call each other.

use crate::budget::Budget;
use crate::externals::{effect, text_of};
use crate::points_to::{CodePlace, PointsTo};
use rustc_hash::{FxHashMap, FxHashSet};
use symx_expr::StopReason;
use symx_ir::{CallTarget, FunctionId, Inst, Program};

/// By function, what it may call.
pub(super) type Calls = FxHashMap<FunctionId, Vec<FunctionId>>;

/// Functions of which each may call all others, or one alone.
pub(super) struct Component {
    pub functions: Vec<FunctionId>,
    pub is_recursive: bool,
}

pub(super) fn calls(
    program: &Program,
    facts: &mut PointsTo<'_>,
    budget: &Budget,
) -> Result<Calls, StopReason> {
    let mut graph = Calls::default();
    for (function, id) in program.functions.iter().zip(0..) {
        let id = FunctionId(id);
        let mut called: Vec<FunctionId> = Vec::new();
        let mut before = 0;
        for (inst, pc) in function.code.iter().zip(0..) {
            let Inst::Call { site } = *inst else { continue };
            budget.weigh(called.len().saturating_sub(before));
            before = called.len();
            budget.proceed()?;
            let at: CodePlace = (id, pc);
            let target = &function.calls[site as usize].target;
            if text_of(program, target).is_some() {
                continue;
            }
            // A function's summary by a library's body is used for its model.
            if let CallTarget::External(external) = target {
                let external = &program.externals[external.0 as usize];
                if effect(&external.name, external.fallback.is_some()).is_none() {
                    called.extend(external.fallback);
                    let known = facts.callees.entry(at).or_default();
                    known.extend(external.fallback.filter(|body| !known.contains(body)));
                }
            }
            if let CallTarget::Function(callee) = target {
                called.push(*callee);
            }
            called.extend(facts.callees.get(&at).into_iter().flatten());
        }
        called.sort_unstable();
        called.dedup();
        graph.insert(id, called);
    }
    Ok(graph)
}

/// The functions that some call, and what those call, and so on.
pub(super) fn reachable(
    graph: &Calls,
    roots: &[FunctionId],
    budget: &Budget,
) -> Result<FxHashSet<FunctionId>, StopReason> {
    let mut found = FxHashSet::default();
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        budget.proceed()?;
        if found.insert(id) {
            open.extend(graph.get(&id).into_iter().flatten().filter(|callee| !found.contains(callee)));
        }
    }
    Ok(found)
}

/// The components of the functions in `all`, what is called before what calls it (Tarjan).
pub(super) fn components(
    graph: &Calls,
    all: &FxHashSet<FunctionId>,
    budget: &Budget,
) -> Result<Vec<Component>, StopReason> {
    let mut sorted: Vec<FunctionId> = all.iter().copied().collect();
    sorted.sort_unstable();
    let mut search = Search::of(graph);
    for id in sorted {
        if !search.numbers.contains_key(&id) {
            search.from(id, budget)?;
        }
    }
    Ok(search.found)
}

struct Search<'g> {
    graph: &'g Calls,
    numbers: FxHashMap<FunctionId, u32>,
    lowest: FxHashMap<FunctionId, u32>,
    stack: Vec<FunctionId>,
    on_stack: FxHashSet<FunctionId>,
    found: Vec<Component>,
}

impl<'g> Search<'g> {
    fn of(graph: &'g Calls) -> Self {
        Self {
            graph,
            numbers: FxHashMap::default(),
            lowest: FxHashMap::default(),
            stack: Vec::new(),
            on_stack: FxHashSet::default(),
            found: Vec::new(),
        }
    }

    fn enter(&mut self, id: FunctionId) {
        let number = self.numbers.len() as u32;
        self.numbers.insert(id, number);
        self.lowest.insert(id, number);
        self.stack.push(id);
        self.on_stack.insert(id);
    }

    fn lower(&mut self, id: FunctionId, to: u32) {
        self.lowest.entry(id).and_modify(|lowest| *lowest = (*lowest).min(to));
    }

    fn from(&mut self, id: FunctionId, budget: &Budget) -> Result<(), StopReason> {
        let graph = self.graph;
        let called = |id: FunctionId| graph.get(&id).map_or(&[][..], |called| &called[..]);
        self.enter(id);
        let mut path = vec![(id, 0)];
        while let Some((id, next)) = path.last_mut() {
            budget.proceed()?;
            let id = *id;
            if let Some(&callee) = called(id).get(*next) {
                *next += 1;
                if !self.numbers.contains_key(&callee) {
                    self.enter(callee);
                    path.push((callee, 0));
                } else if self.on_stack.contains(&callee) {
                    self.lower(id, self.numbers[&callee]);
                }
                continue;
            }
            path.pop();
            let lowest = self.lowest[&id];
            if let Some((caller, _)) = path.last() {
                self.lower(*caller, lowest);
            }
            if lowest == self.numbers[&id] {
                let at = self.stack.iter().rposition(|known| *known == id).unwrap_or(0);
                let functions = self.stack.split_off(at);
                for member in &functions {
                    self.on_stack.remove(member);
                }
                let is_recursive = functions.len() > 1 || called(id).contains(&id);
                self.found.push(Component { functions, is_recursive });
            }
        }
        Ok(())
    }
}

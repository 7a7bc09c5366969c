//! The effects of threads, function by function: summaries from the functions that call nothing up to those
//! that threads start with. Functions that call each other get one summary of what any of them may do.

mod accesses;
pub(crate) mod addresses;
pub(crate) mod alive;
mod called;
mod components;
mod joins;
mod lift;
mod rounds;
mod state;
pub(crate) mod summary;
mod walk;

pub(crate) use joins::EVER;

use crate::budget::Budget;
use crate::externals::{Effect, gives_memory};
use crate::objects::{Object, PlaceId};
use crate::points_to::{CodePlace, PointsTo, external_effect};
use addresses::{Addresses, AllReturned};
use alive::{ANY, Alive, Site};
use components::{calls, components, reachable};
use joins::{Joins, joins};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use summary::{Access, Accesses, Address, Exit, LockName, Release, Released, Summary};
use symx_expr::StopReason;
use symx_ir::{CallTarget, FunctionId, Inst, Program};

/// The summaries so far, and what they are made from.
pub(crate) struct Flow<'p, 'a> {
    pub facts: &'a mut PointsTo<'p>,
    pub budget: &'a Budget,
    returned: AllReturned,
    summaries: FxHashMap<FunctionId, Rc<Summary>>,
    pub sites: FxHashMap<CodePlace, Site>,
    pub joins: Joins,
    /// The functions that are being summarised together, and the sites of the threads that they create.
    component: FxHashSet<FunctionId>,
    component_sites: Vec<Site>,
}

impl<'p, 'a> Flow<'p, 'a> {
    /// Summaries of all that is reached from the functions of the first thread and from those of others.
    pub fn of(
        program: &'p Program,
        facts: &'a mut PointsTo<'p>,
        [first, others]: [&[FunctionId]; 2],
        budget: &'a Budget,
    ) -> Result<Self, StopReason> {
        let graph = calls(program, facts, budget)?;
        let all = reachable(&graph, &[first, others].concat(), budget)?;
        let components = components(&graph, &all, budget)?;
        let sites = sites(program, facts, budget)?;
        let by_first = reachable(&graph, first, budget)?;
        let by_others = reachable(&graph, others, budget)?;
        let recursive: FxHashSet<FunctionId> = (components.iter())
            .filter(|component| component.is_recursive)
            .flat_map(|component| component.functions.iter().copied())
            .collect();
        let is_once =
            |id: FunctionId| by_first.contains(&id) && !by_others.contains(&id) && !recursive.contains(&id);
        let joins = joins(program, facts, &sites, &is_once, budget)?;
        let mut flow = Flow {
            facts,
            budget,
            returned: AllReturned::default(),
            summaries: FxHashMap::default(),
            sites,
            joins,
            component: FxHashSet::default(),
            component_sites: Vec::new(),
        };
        for component in components {
            flow.summarise(program, &component.functions, component.is_recursive)?;
        }
        Ok(flow)
    }

    /// The summary of a function. One that is being summarised may do anything, except access memory:
    /// accesses are added to all of the component in the end.
    pub fn summary(&self, id: FunctionId) -> Option<Rc<Summary>> {
        if self.component.contains(&id) {
            let alive = Alive::all(self.component_sites.iter().copied(), ANY);
            let exit = Some(Exit { held: Vec::new(), alive: alive.clone() });
            return Some(Rc::new(Summary { exit, released: any(), alive, ..Summary::default() }));
        }
        self.summaries.get(&id).cloned()
    }

    fn summarise(
        &mut self,
        program: &Program,
        functions: &[FunctionId],
        is_recursive: bool,
    ) -> Result<(), StopReason> {
        if !is_recursive {
            for id in functions {
                self.budget.weigh(program.function(*id).code.len());
                self.budget.proceed()?;
                let addresses = Addresses::of(*id, program.function(*id));
                if let Some(returned) = addresses.returned(self.facts, &self.returned) {
                    self.returned.insert(*id, returned);
                }
                let summary = self.walk(&addresses)?;
                self.summaries.insert(*id, Rc::new(summary));
            }
            return Ok(());
        }
        self.component = functions.iter().copied().collect();
        self.component_sites.clear();
        let mut summaries = Vec::new();
        // The first iteration shows which threads they create.
        for _ in 0..2 {
            summaries = functions
                .iter()
                .map(|id| self.walk(&Addresses::of(*id, program.function(*id))))
                .collect::<Result<Vec<Summary>, StopReason>>()?;
            let sites: FxHashSet<Site> = summaries.iter().flat_map(|summary| summary.alive.sites()).collect();
            self.component_sites = sites.into_iter().collect();
        }
        let before = Alive::all(self.component_sites.iter().copied(), ANY);
        let mut pool = Accesses::default();
        let mut starts = Vec::new();
        for (summary, id) in summaries.iter().zip(functions) {
            for access in &summary.accesses {
                self.budget.proceed()?;
                self.detached(*id, access, &before).into_iter().for_each(|access| pool.add(access));
            }
            let after =
                |start: &summary::Start| summary::Start { alive: before.then(&start.alive), ..start.clone() };
            starts.extend(summary.starts.iter().map(after));
        }
        let pool = pool.into_list();
        for (mut summary, id) in summaries.into_iter().zip(functions) {
            let mut accesses = Accesses::default();
            for access in summary.accesses.drain(..).chain(pool.iter().cloned()) {
                self.budget.proceed()?;
                accesses.add(access);
            }
            summary.accesses = accesses.into_list();
            self.budget.weigh(starts.len());
            summary.starts.extend(starts.iter().cloned());
            summary.starts.sort();
            summary.starts.dedup();
            self.summaries.insert(*id, Rc::new(summary));
        }
        self.component.clear();
        Ok(())
    }

    /// An access, whatever the function's caller.
    fn detached(&mut self, id: FunctionId, access: &Access, before: &Alive) -> Option<Access> {
        let mut access = access.clone();
        access.locks.retain(|lock| !matches!(lock.name, LockName::Key(_)));
        access.released = any();
        access.alive = before.then(&access.alive);
        access.address = Address::Places(self.places(id, &access.address).into());
        Some(access)
    }

    /// The places an address may be, whatever the function's caller.
    pub fn places(&mut self, id: FunctionId, address: &Address) -> Vec<PlaceId> {
        match address {
            Address::Places(places) => places.to_vec(),
            Address::Parameter(parameter, shift) => {
                let program = self.facts.objects.program;
                let Some(parameter) = program.function(id).params.get(*parameter as usize) else {
                    return Vec::new();
                };
                let places = self.facts.register(id, parameter.slot).to_vec();
                self.accessible(&places, shift.shift())
            }
        }
    }

    /// Whether other threads may get to a place, and it is the program's rather than a library's.
    fn is_accessible(&self, place: PlaceId) -> bool {
        let program = self.facts.objects.program;
        let object = self.facts.objects.place(place).object;
        let is_own = |id: FunctionId| {
            let function = program.function(id);
            function.in_program
        };
        self.facts.is_shared(object)
            && match self.facts.objects.object(object) {
                Object::Global(id) | Object::ThreadLocal(id) => {
                    let global = program.global(id);
                    global.of_program && !global.constant
                }
                // Memory that a library allocates for its callers is theirs.
                Object::Heap(id, _) => is_own(id) || gives_memory(&program.function(id).name),
                Object::Stack(id, _) | Object::Copy(id, ..) => is_own(id),
                Object::Variadic(_) | Object::Function(_) | Object::External(_) => false,
            }
    }
}

fn any() -> Released {
    Rc::new([Release::Any].into())
}

/// The calls that create threads, numbered.
fn sites(
    program: &Program,
    facts: &PointsTo<'_>,
    budget: &Budget,
) -> Result<FxHashMap<CodePlace, Site>, StopReason> {
    let mut found: Vec<CodePlace> = Vec::new();
    for (function, id) in program.functions.iter().zip(0..) {
        let id = FunctionId(id);
        if !facts.is_reached(id) {
            continue;
        }
        for (inst, pc) in function.code.iter().zip(0..) {
            let Inst::Call { site } = *inst else { continue };
            budget.proceed()?;
            let mut targets = vec![function.calls[site as usize].target.clone()];
            targets.extend(
                facts.externals.get(&(id, pc)).into_iter().flatten().map(|id| CallTarget::External(*id)),
            );
            let creates = |target| matches!(external_effect(program, target), Some(Effect::Create { .. }));
            if targets.iter().any(creates) {
                found.push((id, pc));
            }
        }
    }
    Ok(found.into_iter().zip(0..).collect())
}

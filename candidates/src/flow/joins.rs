//! Which calls wait for which threads, where that is simple to show. The handle is kept in one variable that
//! nothing else writes, or in an array that one loop fills and another goes through alike.

use super::accesses::{At, of_external, of_instruction, of_uses};
use super::addresses::{Addresses, AllReturned, Root, Traced};
use super::alive::Site;
use super::rounds::{Rounds, rounds};
use crate::budget::Budget;
use crate::externals::{Effect, effect, text_of};
use crate::objects::{Object, ObjectId, Place};
use crate::offsets::{Offset, Shift};
use crate::points_to::{CodePlace, PointsTo};
use rustc_hash::{FxHashMap, FxHashSet};
use symx_expr::StopReason;
use symx_ir::{CallTarget, FunctionId, Inst, Operand, Program, Slot};

/// Marks a site, where it is asked whether it has ever created a thread, waited for or not.
pub(crate) const EVER: Site = 1 << 31;

/// Bytes of a thread's handle.
const HANDLE: u64 = 8;

/// Where threads are waited for.
#[derive(Default)]
pub(crate) struct Joins {
    at: FxHashMap<CodePlace, Site>,
    /// Sites whose threads count as created where the loop is entered that creates them.
    arrays: FxHashSet<Site>,
    entered: FxHashMap<(FunctionId, u32), Vec<Site>>,
    left: FxHashMap<(FunctionId, u32), Vec<Site>>,
}

impl Joins {
    pub fn is_array(&self, site: Site) -> bool {
        self.arrays.contains(&site)
    }

    pub fn joined_at(&self, at: CodePlace) -> Option<Site> {
        self.at.get(&at).copied()
    }

    /// The sites whose loops an edge leads into.
    pub fn entered(&self, function: FunctionId, edge: u32) -> Vec<Site> {
        self.entered.get(&(function, edge)).cloned().unwrap_or_default()
    }

    /// The sites all of whose threads were waited for where an edge is taken.
    pub fn left(&self, function: FunctionId, edge: u32) -> Vec<Site> {
        self.left.get(&(function, edge)).cloned().unwrap_or_default()
    }

    /// A handle in one variable: a join of the thread reads that variable.
    fn add_variable(&mut self, facts: &mut PointsTo<'_>, (place, site): (Place, Site), waits: &[Handled]) {
        for wait in waits {
            let there = facts.operand(wait.at.0, wait.address);
            if there.len() == 1 && facts.objects.place(there[0]) == place {
                self.at.insert(wait.at, site);
            }
        }
    }

    /// Handles in an array: a loop that waits goes through it as the loop that fills it.
    fn add_array(
        &mut self,
        (function, filled): (FunctionId, Element),
        site: Site,
        waits: &[(FunctionId, Element)],
    ) {
        if !filled.rounds.at_most_once {
            return;
        }
        let mut is_waited_for = false;
        for (waiter, read) in waits {
            let is_alike = read.array == filled.array
                && read.rounds.range == filled.rounds.range
                && (!filled.rounds.range.is_of_function() || *waiter == function);
            if is_alike && read.rounds.every_time {
                is_waited_for = true;
                self.left.entry((*waiter, read.rounds.exit)).or_default().push(site);
            }
        }
        if is_waited_for {
            self.arrays.insert(site);
            for edge in &filled.rounds.entries {
                self.entered.entry((function, *edge)).or_default().push(site);
            }
        }
    }
}

/// A call that creates threads, or waits for one.
struct Handled {
    at: CodePlace,
    /// Where the handle is.
    address: Operand,
}

/// Where a handle is in an array, as a loop goes through it.
struct Element {
    array: (ObjectId, i64),
    rounds: Rounds,
}

/// `is_once` says whether a function is run by the first thread alone and not within itself.
pub(super) fn joins(
    program: &Program,
    facts: &mut PointsTo<'_>,
    sites: &FxHashMap<CodePlace, Site>,
    is_once: &dyn Fn(FunctionId) -> bool,
    budget: &Budget,
) -> Result<Joins, StopReason> {
    let mut joins = Joins::default();
    let (creates, waits) = calls_with_handles(program, is_once, budget)?;
    let mut handles: FxHashSet<ObjectId> = FxHashSet::default();
    for create in &creates {
        let places = facts.operand(create.at.0, create.address);
        handles.extend(places.iter().map(|place| facts.objects.place(*place).object));
    }
    let writers = writers(program, facts, &handles, budget)?;
    let mut read: Option<Vec<(FunctionId, Element)>> = None;
    for create in &creates {
        // Each is compared with all that write to its handle, and with all waits.
        budget.weigh(waits.len());
        budget.proceed()?;
        let Some(&site) = sites.get(&create.at) else { continue };
        let places = facts.operand(create.at.0, create.address);
        let [place] = places[..] else { continue };
        let place = facts.objects.place(place);
        let is_own = match facts.objects.object(place.object) {
            Object::Global(_) => true,
            Object::Stack(function, _) => is_once(function) && !facts.is_shared(place.object),
            _ => false,
        };
        if !is_own || !is_only_writer(&writers, place, create.at) {
            continue;
        }
        if place.offset.stride == 0 {
            joins.add_variable(facts, (place, site), &waits);
        } else {
            let read = match &mut read {
                Some(read) => read,
                none => none.insert(elements(program, facts, &waits, budget)?),
            };
            for filled in elements(program, facts, std::slice::from_ref(create), budget)? {
                joins.add_array(filled, site, read);
            }
        }
    }
    Ok(joins)
}

/// The calls that create a thread and those that wait for one, in functions that `is_once` is true of.
fn calls_with_handles(
    program: &Program,
    is_once: &dyn Fn(FunctionId) -> bool,
    budget: &Budget,
) -> Result<(Vec<Handled>, Vec<Handled>), StopReason> {
    let (mut creates, mut waits) = (Vec::new(), Vec::new());
    for (function, id) in program.functions.iter().zip(0..) {
        let id = FunctionId(id);
        if !is_once(id) {
            continue;
        }
        budget.weigh(function.code.len());
        budget.proceed()?;
        let addresses = Addresses::of(id, function);
        for (inst, pc) in function.code.iter().zip(0..) {
            let Inst::Call { site } = *inst else { continue };
            let call = &function.calls[site as usize];
            let CallTarget::External(external) = call.target else { continue };
            let external = &program.externals[external.0 as usize];
            let Some(first) = call.arguments.first() else { continue };
            let at = (id, pc);
            match effect(&external.name, external.fallback.is_some()) {
                Some(Effect::Create { .. }) => creates.push(Handled { at, address: first.operand }),
                Some(Effect::Join { waits: true }) => {
                    let loaded = addresses.loaded_from(first.operand.index() as Slot);
                    if let (false, Some(address)) = (first.operand.is_constant(), loaded) {
                        waits.push(Handled { at, address });
                    }
                }
                _ => {}
            }
        }
    }
    Ok((creates, waits))
}

/// The elements of arrays of handles at these calls, of those that are such, with their functions.
fn elements(
    program: &Program,
    facts: &mut PointsTo<'_>,
    handled: &[Handled],
    budget: &Budget,
) -> Result<Vec<(FunctionId, Element)>, StopReason> {
    let mut elements = Vec::new();
    for call in handled {
        budget.weigh(program.function(call.at.0).code.len());
        budget.proceed()?;
        elements.extend(element(program, facts, call).map(|element| (call.at.0, element)));
    }
    Ok(elements)
}

/// The element of an array of handles that a loop comes to.
fn element(program: &Program, facts: &mut PointsTo<'_>, handled: &Handled) -> Option<Element> {
    let (id, pc) = handled.at;
    let addresses = Addresses::of(id, program.function(id));
    let none = AllReturned::default();
    let mut address = handled.address;
    let mut shift = Shift::NONE;
    // To the step with the index: there is one, of handles' size.
    let (base, index) = loop {
        if address.is_constant() {
            return None;
        }
        let definition = addresses.definition(address.index() as Slot)?;
        let Inst::PointerIndex { base, index, index_bits, scale, .. } =
            addresses.function.code[definition as usize]
        else {
            return None;
        };
        let step = crate::points_to::index_shift(addresses.function, index, index_bits, scale);
        if step.stride != 0 {
            if u64::from(step.stride) != HANDLE {
                return None;
            }
            break (base, index);
        }
        shift = step.then(shift);
        address = base;
    };
    let Traced { root: Root::Object(object), shift: way } = addresses.trace(facts, &none, base, false)?
    else {
        return None;
    };
    let rounds = rounds(&addresses, index, pc)?;
    Some(Element { array: (object, way.add + shift.add), rounds })
}

/// By object, which instruction writes where.
type Writers = FxHashMap<ObjectId, Vec<(Offset, u64, CodePlace)>>;

fn is_only_writer(writers: &Writers, place: Place, at: CodePlace) -> bool {
    let all = writers.get(&place.object).into_iter().flatten();
    let mut others = all.filter(|(_, _, writer)| *writer != at);
    !others.any(|(offset, size, _)| place.offset.overlaps(HANDLE, *offset, *size))
}

fn writers(
    program: &Program,
    facts: &mut PointsTo<'_>,
    objects: &FxHashSet<ObjectId>,
    budget: &Budget,
) -> Result<Writers, StopReason> {
    let mut writers = Writers::default();
    if objects.is_empty() {
        return Ok(writers);
    }
    for (function, id) in program.functions.iter().zip(0..) {
        let id = FunctionId(id);
        for (inst, pc) in function.code.iter().zip(0..) {
            budget.proceed()?;
            let mut made = of_instruction(function, inst);
            if let Inst::Call { site } = *inst {
                let call = &function.calls[site as usize];
                let mut externals = facts.externals.get(&(id, pc)).cloned().unwrap_or_default();
                match (text_of(program, &call.target), &call.target) {
                    (Some(uses), _) => made.extend(of_uses(call, uses)),
                    (None, CallTarget::External(external)) => externals.push(*external),
                    _ => {}
                }
                for external in externals {
                    made.extend(of_external(program, function, call, external, None));
                }
            }
            for made in made.iter().filter(|made| made.kind.writes && !made.kind.ends) {
                let At::Operand(operand) = made.at else { continue };
                for place in facts.operand(id, operand) {
                    budget.proceed()?;
                    let place = facts.objects.place(place);
                    if objects.contains(&place.object) {
                        let offset = place.offset.shifted(made.shift);
                        writers.entry(place.object).or_default().push((offset, made.size, (id, pc)));
                    }
                }
            }
        }
    }
    Ok(writers)
}

//! Which variables are visible where, and where they are at an instruction.
//!
//! Debug information says from which instruction on a variable is in which register. A statement of it holds
//! until the next one, along the control flow. Where two ways meet that do not agree, the variable is
//! nowhere.

use crate::debug::expressions;
use crate::debug::frames::{StackFrame, registers};
use crate::debug::types::{Form, Kind, Types};
use crate::debug::values::{Datum, Scene, Stored};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use symx_interp::threads::frame::Frame;
use symx_ir::address::Cell;
use symx_ir::debug_info::{
    Base, DebugInfo, FunctionVariables, PlaceOperation, TypeId, TypeKind, VariablePlace,
};
use symx_ir::program::{LinkedFunction, LinkedGlobal};
use symx_ir::{Code, FunctionId, Program};
use symx_trace::ThreadId;

/// How often places are carried round a function's loops at most: each round settles a variable or more.
const MOST_ROUNDS: usize = 256;

/// By variable, the changes that say where its parts are.
type Places = Vec<Vec<u32>>;

/// The variables of a program.
pub struct Variables {
    program: Arc<Program>,
    /// The debug information.
    pub info: DebugInfo,
    /// By function, the places at the beginning of each block, once looked up.
    at_blocks: RefCell<HashMap<FunctionId, Arc<Vec<Places>>>>,
    /// Globals of the program.
    globals: Vec<KnownGlobal>,
}

/// A global variable that debug information knows.
struct KnownGlobal {
    name: String,
    of: Option<TypeId>,
    /// Which one of the program's it is.
    index: usize,
    /// The scope that it is declared in, if within a function.
    scope: Option<u32>,
}

/// A variable that is visible in a frame.
pub struct Visible {
    /// Its name.
    pub name: String,
    /// Its value.
    pub datum: Datum,
    /// How many scopes of its function lie around it.
    depth: usize,
}

impl Variables {
    /// The variables of `program` as debug information has them.
    pub fn new(program: Arc<Program>, info: DebugInfo) -> Self {
        let own = program.globals.iter().enumerate().filter(|(_, global)| global.of_program);
        let by_symbol: HashMap<&str, usize> =
            own.map(|(index, global)| (global.name.as_str(), index)).collect();
        let globals = info.globals.iter().filter_map(|known| {
            let index = *by_symbol.get(known.symbol.as_str())?;
            Some(KnownGlobal { name: known.name.clone(), of: known.of, index, scope: known.scope })
        });
        let mut globals: Vec<_> = globals.collect();
        globals.sort_by(|one, other| one.name.cmp(&other.name));
        Self { program, info, at_blocks: RefCell::default(), globals }
    }

    /// The types.
    pub fn types(&self) -> Types<'_> {
        Types(&self.info)
    }

    /// The program's global variables.
    pub fn globals(&self, scene: &Scene<'_>) -> Vec<Visible> {
        let globals = self.globals.iter();
        globals
            .map(|known| Visible { name: known.name.clone(), datum: self.global(scene, known), depth: 0 })
            .collect()
    }

    fn global(&self, scene: &Scene<'_>, known: &KnownGlobal) -> Datum {
        let global = &self.program.globals[known.index];
        let kind = known.of.map_or(Kind::Bytes(global.size), Kind::Known);
        Datum { kind, stored: Stored::At(address_of(scene, global)) }
    }

    /// The variables that are visible in a frame, inner ones first where they have one name.
    pub fn locals(&self, scene: &Scene<'_>, frame: &StackFrame) -> Vec<Visible> {
        self.locals_of(scene, frame).unwrap_or_default()
    }

    fn locals_of(&self, scene: &Scene<'_>, frame: &StackFrame) -> Option<Vec<Visible>> {
        let id = frame.function?;
        let function = self.program.function(id);
        let known = self.known(function)?;
        let registers = registers(scene.state, scene.thread, frame.depth)?;
        // The scope that the frame is in, and the call through which that was inlined.
        let mut inlined_scope =
            self.info.inlined_scopes.get((*known.instructions.get(registers.pc as usize)?)? as usize)?;
        for _ in 0..frame.inlined {
            inlined_scope = self.info.inlined_scopes.get(inlined_scope.inlined_at? as usize)?;
        }
        let mut around = Vec::new();
        let mut scope = Some(inlined_scope.scope);
        while let Some(inner) = scope.filter(|scope| !around.contains(scope)) {
            around.push(inner);
            scope = self.info.scopes.get(inner as usize).copied().flatten();
        }
        let places = self.places(id, known, registers.pc);
        let mut found = Vec::new();
        for (index, variable) in known.variables.iter().enumerate() {
            let own = self.info.inlined_scopes.get(variable.inlined_scope as usize)?;
            let Some(outwards) = around.iter().position(|scope| *scope == own.scope) else { continue };
            if own.inlined_at != inlined_scope.inlined_at {
                continue;
            }
            let kind = variable.of.map_or(Kind::Bytes(0), Kind::Known);
            let changes = places.get(index).map_or(&[][..], Vec::as_slice);
            let changes: Vec<&VariablePlace> =
                changes.iter().map(|change| &known.changes[*change as usize].place).collect();
            let stored = self.stored(scene, registers, &kind, &changes);
            let name = variable.name.clone();
            found.push(Visible { name, datum: Datum { kind, stored }, depth: around.len() - outwards });
        }
        // Variables that outlive the function are declared in its scopes, too.
        for known in &self.globals {
            let outwards = known.scope.and_then(|own| around.iter().position(|scope| *scope == own));
            if let Some(outwards) = outwards {
                let (name, datum) = (known.name.clone(), self.global(scene, known));
                found.push(Visible { name, datum, depth: around.len() - outwards });
            }
        }
        // One variable may be listed at several nestings of one scope; the innermost of a name comes first.
        found.sort_by_key(|visible| std::cmp::Reverse(visible.depth));
        Some(found)
    }

    /// The known variables of a function, if it is still as it was when they were read.
    fn known(&self, function: &LinkedFunction) -> Option<&FunctionVariables> {
        let known = self.info.functions.get(function.module_index as usize);
        known.filter(|known| function.in_program && known.instructions.len() == function.code.len())
    }

    /// Where variables are before an instruction.
    fn places(&self, id: FunctionId, known: &FunctionVariables, pc: u32) -> Places {
        let function = self.program.function(id);
        let block = function.blocks.partition_point(|block| block.start <= pc).saturating_sub(1);
        let at_blocks = Arc::clone(
            self.at_blocks.borrow_mut().entry(id).or_insert_with(|| Arc::new(at_blocks(function, known))),
        );
        let mut places = at_blocks.get(block).cloned().unwrap_or_default();
        places.resize(known.variables.len(), Vec::new());
        let start = function.blocks.get(block).map_or(0, |block| block.start);
        carry(known, start..pc + 1, &mut places);
        places
    }

    /// Where a value is, from what debug information says of its parts.
    fn stored(&self, scene: &Scene<'_>, frame: &Frame, kind: &Kind, places: &[&VariablePlace]) -> Stored {
        if let [place] = places
            && place.part.is_none()
            && place.is_address
        {
            return self.computed(scene, frame, place).map_or(Stored::Held(Vec::new()), Stored::At);
        }
        let size = scene.types.size(kind) as usize;
        // No register holds more; a type of any size can be written down.
        if size > 1 << 12 {
            return Stored::Held(Vec::new());
        }
        let mut bytes = vec![None; size];
        let mut is_known = false;
        for place in places {
            let (first, count) = place.part.map_or((0, 8 * size as u64), |part| part);
            let Some(part) = self.bytes(scene, frame, place, count.div_ceil(8)) else { continue };
            is_known = true;
            for (at, byte) in part.into_iter().enumerate() {
                if let Some(there) = bytes.get_mut((first / 8) as usize + at) {
                    *there = byte;
                }
            }
        }
        Stored::Held(if is_known { bytes } else { Vec::new() })
    }

    fn bytes(
        &self,
        scene: &Scene<'_>,
        frame: &Frame,
        place: &VariablePlace,
        length: u64,
    ) -> Option<Vec<Option<u8>>> {
        if place.is_address {
            return scene.bytes(self.computed(scene, frame, place)?, length).ok();
        }
        if let (Base::Register(slot), []) = (&place.base, &place.operations[..]) {
            let words =
                (0..length.div_ceil(8)).map(|index| register(scene, frame, *slot as usize + index as usize));
            let bytes = words.flat_map(|word| match word {
                Some(word) => word.to_le_bytes().map(Some),
                None => [None; 8],
            });
            return Some(bytes.take(length as usize).collect());
        }
        let word = self.computed(scene, frame, place)?;
        Some(word.to_le_bytes().into_iter().map(Some).take(length as usize).collect())
    }

    /// The number that a place is computed to.
    fn computed(&self, scene: &Scene<'_>, frame: &Frame, place: &VariablePlace) -> Option<u64> {
        let mut word = match &place.base {
            Base::Gone => return None,
            Base::Register(slot) => register(scene, frame, *slot as usize)?,
            Base::Number(bits) => *bits,
            Base::Symbol(name, offset) => {
                let global = self.program.global_named(name)?;
                address_of(scene, global).wrapping_add(*offset as u64)
            }
        };
        for operation in &place.operations {
            word = match operation {
                PlaceOperation::Add(number) => word.wrapping_add(*number as u64),
                PlaceOperation::Dereference => {
                    let bytes = scene.bytes(word, 8).ok()?;
                    let bytes: Option<Vec<u8>> = bytes.into_iter().collect();
                    u64::from_le_bytes(bytes?.try_into().ok()?)
                }
            };
        }
        Some(word)
    }
}

/// The address of a global variable for a thread.
fn address_of(scene: &Scene<'_>, global: &LinkedGlobal) -> u64 {
    if !global.thread_local {
        return global.address;
    }
    let copy = Cell::of(global.address).and_then(|cell| copy_of(scene, scene.thread, cell));
    copy.unwrap_or(global.address)
}

fn copy_of(scene: &Scene<'_>, thread: ThreadId, template: Cell) -> Option<u64> {
    scene.state.thread(thread).thread_locals.get(&template.0).copied()
}

fn register(scene: &Scene<'_>, frame: &Frame, slot: usize) -> Option<u64> {
    let word = *frame.registers().get(slot)?;
    if frame.is_symbolic(slot) { scene.word(symx_expr::Term::from_number(word as u32)) } else { Some(word) }
}

/// Applies the statements within a range of instructions.
fn carry(known: &FunctionVariables, range: std::ops::Range<u32>, places: &mut Places) {
    let first = known.changes.partition_point(|change| change.pc < range.start);
    for (index, change) in known.changes.iter().enumerate().skip(first) {
        if change.pc >= range.end {
            break;
        }
        let parts = &mut places[change.variable as usize];
        match change.place.part {
            None => parts.clear(),
            Some((first, count)) => parts.retain(|other| {
                let other = known.changes[*other as usize].place.part;
                other.is_none_or(|(start, length)| start + length <= first || first + count <= start)
            }),
        }
        parts.push(index as u32);
    }
}

/// Where variables are at the beginning of each block.
fn at_blocks(function: &LinkedFunction, known: &FunctionVariables) -> Vec<Places> {
    let count = function.blocks.len();
    let mut entries: Vec<Option<Places>> = vec![None; count];
    if let Some(first) = entries.first_mut() {
        *first = Some(vec![Vec::new(); known.variables.len()]);
    }
    for _ in 0..MOST_ROUNDS {
        let mut is_settled = true;
        for block in 0..count {
            let Some(mut places) = entries[block].clone() else { continue };
            let end = function.blocks.get(block + 1).map_or(function.code.len() as u32, |next| next.start);
            carry(known, function.blocks[block].start..end, &mut places);
            for edge in &function.edges[function.blocks[block].edges()] {
                let Some(entry) = entries.get_mut(edge.block as usize) else { continue };
                match entry {
                    None => {
                        *entry = Some(places.clone());
                        is_settled = false;
                    }
                    Some(entry) => {
                        for (there, here) in entry.iter_mut().zip(&places) {
                            if !agree(known, there, here) && !there.is_empty() {
                                there.clear();
                                is_settled = false;
                            }
                        }
                    }
                }
            }
        }
        if is_settled {
            break;
        }
    }
    entries.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether two ways say the same of a variable.
fn agree(known: &FunctionVariables, one: &[u32], other: &[u32]) -> bool {
    let place = |change: &u32| &known.changes[*change as usize].place;
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| place(one) == place(other))
}

/// The meaning of names in a frame.
pub struct NamesInFrame<'s> {
    /// The variables.
    pub variables: &'s Variables,
    /// The state.
    pub scene: &'s Scene<'s>,
    /// The frame; globals alone are visible without one.
    pub frame: Option<&'s StackFrame>,
}

impl expressions::Names for NamesInFrame<'_> {
    fn find(&self, name: &str) -> Option<Datum> {
        let variables = self.variables;
        let mut locals = self.frame.map(|frame| variables.locals(self.scene, frame)).unwrap_or_default();
        if let Some(local) = locals.iter().position(|visible| visible.name == name) {
            return Some(locals.swap_remove(local).datum);
        }
        // In a member function, members come before what lies around the class.
        let object = locals.iter().find(|visible| visible.name == "this");
        if let Some(member) = object.and_then(|this| self.member_of_target(&this.datum, name)) {
            return Some(member);
        }
        let parts: Vec<&str> = name.split("::").filter(|part| !part.is_empty()).collect();
        let last = *parts.last()?;
        let is_it = |known: &&KnownGlobal| known.name == last && known.scope.is_none();
        let mut known: Vec<&KnownGlobal> = variables.globals.iter().filter(is_it).collect();
        known.dedup_by_key(|known| known.index);
        if known.len() > 1 {
            // The linker's names tell those of several namespaces and files apart: `a::b` is `1a1b` there.
            let scoped: String = parts.iter().map(|part| format!("{}{part}", part.len())).collect();
            known.retain(|known| {
                let symbol = &variables.program.globals[known.index].name;
                if parts.len() > 1 { symbol.contains(&scoped) } else { symbol == last }
            });
            // Of several, none is the one that is meant.
            return known
                .first()
                .filter(|_| known.len() == 1)
                .map(|known| variables.global(self.scene, known));
        }
        if let Some(known) = known.first() {
            return Some(variables.global(self.scene, known));
        }
        variables.enumerator(last).or_else(|| variables.function_named(last))
    }
}

impl NamesInFrame<'_> {
    /// The member of this name of what a pointer leads to.
    fn member_of_target(&self, pointer: &Datum, name: &str) -> Option<Datum> {
        let Form::Pointer { to: Some(kind), .. } = self.scene.types.form(&pointer.kind) else { return None };
        let address = self.scene.bits_of(pointer).ok()?;
        self.scene.member_named(&Datum { kind, stored: Stored::At(address) }, name)
    }
}

impl Variables {
    fn enumerator(&self, name: &str) -> Option<Datum> {
        self.info.types.iter().enumerate().find_map(|(index, known)| {
            let TypeKind::Enumeration { values, .. } = &known.kind else { return None };
            let (_, value) = values.iter().find(|(known, _)| known == name)?;
            Some(Datum::held(Kind::Known(TypeId(index as u32)), *value as u64))
        })
    }

    fn function_named(&self, name: &str) -> Option<Datum> {
        let functions = self.program.functions.iter().enumerate();
        let mut named =
            functions.filter(|(_, function)| function.source_name == name || function.name == name);
        let (index, _) = named.next()?;
        let address = self.program.function_address(FunctionId(index as u32));
        matches!(self.program.code_at(address), Some(Code::Function(_)))
            .then_some(Datum { kind: Kind::Function, stored: Stored::At(address) })
    }
}

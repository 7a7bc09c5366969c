//! Debug information on variables, collected while a module is translated.

mod places;
mod types;

use crate::globals::fragment;
use crate::llvm::{Metadata, MetadataKind, Parsed, Value, VariableRecord};
use crate::members::part;
use rustc_hash::{FxHashMap, FxHashSet};
use symx_ir::debug_info::{
    Base, DebugInfo, FunctionVariables, GlobalVariable, InlinedScope, LocalVariable, PlaceChange,
    VariablePlace,
};
use types::Types;

/// Collects variables.
pub struct Collector<'m> {
    parsed: &'m Parsed,
    info: DebugInfo,
    types: Types<'m>,
    scopes: FxHashMap<Metadata<'m>, u32>,
    inlined_scopes: FxHashMap<InlinedScope, u32>,
    expressions: FxHashMap<Metadata<'m>, Option<places::Expression>>,
    /// The function under way.
    function: FunctionVariables,
    /// Its variables, each in its inlined scope.
    variables: FxHashMap<(Metadata<'m>, u32), u32>,
    /// Those that are in memory as a whole from some record on: further assignments go there.
    at_home: FxHashSet<u32>,
}

/// How many calls one instruction was inlined through, or how deep scopes lie in each other, at most.
const DEEPEST: u32 = 1 << 10;

impl<'m> Collector<'m> {
    /// One that knows nothing yet.
    pub fn new(parsed: &'m Parsed) -> Self {
        Self {
            parsed,
            info: DebugInfo::default(),
            types: Types::new(parsed),
            scopes: FxHashMap::default(),
            inlined_scopes: FxHashMap::default(),
            expressions: FxHashMap::default(),
            function: FunctionVariables::default(),
            variables: FxHashMap::default(),
            at_home: FxHashSet::default(),
        }
    }

    /// Takes a global variable.
    pub fn global(&mut self, value: Value<'m>) {
        let Some(expression) = value.global_debug() else { return };
        let Some(declared) = expression.global_variable() else { return };
        // Text of the program has a type, but no name.
        let Some(mut name) = declared.name(self.parsed).filter(|name| !name.is_empty()) else { return };
        let mut of = declared.variable_type(self.parsed);
        let written = expression.global_expression().map(|part| part.print(self.parsed));
        if let Some((offset, length)) = written.and_then(|written| fragment(&written)) {
            // An optimiser made several variables of one.
            let Some(found) = of.and_then(|of| part(of, offset, length, self.parsed)) else { return };
            name.push_str(&found.path);
            of = Some(found.of);
        }
        let of = of.map(|of| self.types.number(of));
        let is_local = |scope: &Metadata<'m>| {
            is_block(*scope) || matches!(scope.kind(), MetadataKind::LLVMDISubprogramMetadataKind)
        };
        let scope = declared.variable_scope().filter(is_local).map(|scope| self.scope(scope, 0));
        self.info.globals.push(GlobalVariable { symbol: value.name(), name, of, scope });
    }

    /// Takes a record that stands before the instruction at `pc`. If it is known to assign to memory: the
    /// stack slot, and the expression that leads from there.
    pub fn note(&mut self, pc: u32, record: &VariableRecord<'m>, base: Base, home: Option<(Base, String)>) {
        let Some(number) = self.variable(record) else { return };
        let parsed = self.parsed;
        let expression = record.expression.and_then(|expression| {
            let read = || places::Expression::read(&expression.print(parsed));
            self.expressions.entry(expression).or_insert_with(read).clone()
        });
        let part = expression.as_ref().and_then(|expression| expression.part);
        let at_home = home.and_then(|(base, written)| {
            let there = places::Expression::read(&written)?;
            Some(VariablePlace { part, ..there.place(base, true) })
        });
        if at_home.is_some() && part.is_none() {
            self.at_home.insert(number);
        }
        let place = at_home.or_else(|| expression.map(|known| known.place(base, record.declares)));
        let place = place.unwrap_or_else(VariablePlace::gone);
        self.function.changes.push(PlaceChange { pc, variable: number, place });
    }

    /// Whether a record assigns to a variable that is in memory as a whole.
    pub fn is_at_home(&mut self, record: &VariableRecord<'m>) -> bool {
        record.assigns() && self.variable(record).is_some_and(|number| self.at_home.contains(&number))
    }

    /// The number of a record's variable in its function.
    fn variable(&mut self, record: &VariableRecord<'m>) -> Option<u32> {
        let (variable, location) = (record.variable?, record.location?);
        let scope = variable.variable_scope().or(location.scope())?;
        let scope = self.scope(scope, 0);
        let inlined_at = location.inlined_at().and_then(|outer| self.inlined_scope_of(outer, 0));
        let inlined_scope = self.inlined_scope(InlinedScope { scope, inlined_at });
        let number = self.variables.entry((variable, inlined_scope)).or_insert_with(|| {
            self.function.variables.push(LocalVariable {
                name: variable.name(self.parsed).unwrap_or_default(),
                of: variable.variable_type(self.parsed).map(|of| self.types.number(of)),
                inlined_scope,
                line: variable.variable_line(),
            });
            self.function.variables.len() as u32 - 1
        });
        Some(*number)
    }

    /// Ends a function, of whose instructions each comes from the LLVM instruction with this number.
    pub fn end_function(&mut self, function: Value<'m>, numbers: &[u32]) {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let inlined_scopes: Vec<Option<u32>> = instructions
            .map(|instruction| instruction.location().and_then(|location| self.inlined_scope_of(location, 0)))
            .collect();
        self.function.instructions =
            numbers.iter().map(|number| inlined_scopes.get(*number as usize).copied().flatten()).collect();
        self.info.functions.push(std::mem::take(&mut self.function));
        self.variables.clear();
        self.at_home.clear();
    }

    /// All that was collected.
    pub fn finish(mut self) -> DebugInfo {
        self.info.types = self.types.finish();
        self.info
    }

    fn inlined_scope(&mut self, inlined_scope: InlinedScope) -> u32 {
        *self.inlined_scopes.entry(inlined_scope).or_insert_with(|| {
            self.info.inlined_scopes.push(inlined_scope);
            self.info.inlined_scopes.len() as u32 - 1
        })
    }

    fn inlined_scope_of(&mut self, location: Metadata<'m>, depth: u32) -> Option<u32> {
        let scope = location.scope().map(|scope| self.scope(scope, 0))?;
        let outer = location.inlined_at().filter(|_| depth < DEEPEST);
        let inlined_at = outer.and_then(|outer| self.inlined_scope_of(outer, depth + 1));
        Some(self.inlined_scope(InlinedScope { scope, inlined_at }))
    }

    fn scope(&mut self, scope: Metadata<'m>, depth: u32) -> u32 {
        if let Some(known) = self.scopes.get(&scope) {
            return *known;
        }
        let number = self.info.scopes.len() as u32;
        self.info.scopes.push(None);
        self.scopes.insert(scope, number);
        let parent = if is_block(scope) && depth < DEEPEST { scope.parent_scope(self.parsed) } else { None };
        self.info.scopes[number as usize] = parent.map(|parent| self.scope(parent, depth + 1));
        number
    }
}

/// Whether a scope is a block of statements.
fn is_block(scope: Metadata<'_>) -> bool {
    matches!(
        scope.kind(),
        MetadataKind::LLVMDILexicalBlockMetadataKind | MetadataKind::LLVMDILexicalBlockFileMetadataKind
    )
}

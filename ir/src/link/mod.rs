//! Joins modules into a program: binds names, lays out globals, drops what nothing reaches.

mod bind;
pub mod looked_up;
mod spans;

use crate::address;
use crate::function::{CallTarget, ExternalId, FunctionId};
use crate::module::Module;
use crate::program::{GlobalId, Program};
use crate::symbol::{Constant, Definition, Linkage, Symbol, SymbolId};
use looked_up::LookedUp;
use rustc_hash::FxHashMap;

/// Why modules cannot be joined.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LinkError {
    /// A cycle of aliases.
    #[error("the alias `{0}` refers to itself")]
    AliasCycle(String),
    /// A global too large for the address space.
    #[error(
        "the global `{name}` of {size} bytes is larger than the largest object ({} bytes)",
        address::LARGE_LIMIT
    )]
    TooLarge {
        /// The global.
        name: String,
        /// Its size in bytes.
        size: u64,
    },
    /// A module whose encoding is damaged.
    #[error("what was decoded of `{0}` is garbled")]
    Garbled(String),
    /// More large globals than cells for them.
    #[error("too many global variables")]
    TooManyGlobals,
    /// An external variable without definition.
    #[error("too many variables are used but defined nowhere; the last one is `{0}`")]
    UndefinedVariables(String),
}

/// Whether the environment answers a function itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modelled {
    /// It does not.
    No,
    /// It does.
    Instead,
    /// It does where it can, and falls back to the library's definition where it cannot.
    WithFallback,
    /// Likewise, also in place of a definition in the program: the runtime of its language.
    InProgram,
}

/// Aliases of aliases that are followed before they are taken for a cycle.
const MOST_ALIASES: u32 = 64;

/// A symbol of one of the modules.
type Place = (usize, SymbolId);

/// Joins `modules` (the user's first; an earlier strong or weak definition wins over a later module's, as in
/// an archive) into one program. Inline functions are each module's own. Kept is what `roots` (names),
/// constructors and destructors reach.
///
/// `modelled(name)` says which functions the environment answers itself: a definition from a module other
/// than the first gives way to the model. A program's own definition wins, except over
/// [`Modelled::InProgram`].
pub fn link(
    modules: Vec<Module>,
    roots: &[&str],
    modelled: &dyn Fn(&str) -> Modelled,
) -> Result<Program, LinkError> {
    let mut linker = Linker::new(&modules, modelled);
    for (index, module) in modules.iter().enumerate() {
        for &(_, symbol) in module.constructors.iter().chain(&module.destructors) {
            linker.reach((index, symbol))?;
        }
    }
    for root in roots {
        if let Some(place) = linker.exported.get(*root).copied().or_else(|| own_function(&modules, root)) {
            linker.reach(place)?;
        }
    }
    linker.close()?;
    linker.reach_looked_up_names()?;
    linker.finish(modules.len())
}

/// The names that modules from number `first` on define for others.
fn exports(modules: &[Module], first: usize) -> FxHashMap<&str, Place> {
    let mut exported: FxHashMap<&str, Place> = FxHashMap::default();
    for (index, module) in modules.iter().enumerate().skip(first) {
        for (number, symbol) in module.symbols.iter().enumerate() {
            if symbol.linkage == Linkage::Internal || symbol.definition == Definition::None {
                continue;
            }
            let place = (index, SymbolId(number as u32));
            // A name defined in an earlier module shadows a later one, as an archive member would not be
            // drawn.
            exported.entry(&symbol.name).or_insert(place);
        }
    }
    exported
}

/// The function called `name` that only the first module sees.
fn own_function(modules: &[Module], name: &str) -> Option<Place> {
    let is_it = |symbol: &Symbol| symbol.name == name && matches!(symbol.definition, Definition::Function(_));
    let number = modules.first()?.symbols.iter().position(is_it)?;
    Some((0, SymbolId(number as u32)))
}

/// The target of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Function(FunctionId),
    External(ExternalId),
    Global(GlobalId, i64),
    /// The labels of a function.
    Labels(FunctionId),
    /// An undefined variable, by its number.
    UndefinedVariable(u32),
    /// A weak declaration without a definition: the null address.
    Absent,
}

struct Linker<'m> {
    modules: &'m [Module],
    modelled: &'m dyn Fn(&str) -> Modelled,
    /// Names visible between modules.
    exported: FxHashMap<&'m str, Place>,
    targets: FxHashMap<Place, Target>,
    externals: FxHashMap<&'m str, ExternalId>,
    external_names: Vec<&'m str>,
    fallbacks: FxHashMap<ExternalId, FunctionId>,
    undefined_variables: Vec<&'m str>,
    functions: Vec<(usize, u32)>,
    function_ids: FxHashMap<(usize, u32), FunctionId>,
    globals: Vec<(usize, u32)>,
    global_ids: FxHashMap<(usize, u32), GlobalId>,
    /// Targets looked up by name while the program runs; none if it looks up no names.
    looked_up: LookedUp<'m>,
    /// Reached functions and globals whose own references are not followed yet.
    pending: Vec<Pending>,
}

enum Pending {
    Function(usize, u32),
    Global(usize, u32),
}

impl<'m> Linker<'m> {
    fn new(modules: &'m [Module], modelled: &'m dyn Fn(&str) -> Modelled) -> Self {
        Self {
            modules,
            modelled,
            exported: exports(modules, 0),
            targets: FxHashMap::default(),
            externals: FxHashMap::default(),
            external_names: Vec::new(),
            fallbacks: FxHashMap::default(),
            undefined_variables: Vec::new(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
            globals: Vec::new(),
            global_ids: FxHashMap::default(),
            looked_up: LookedUp::default(),
            pending: Vec::new(),
        }
    }

    /// Resolves a symbol as seen from its module, and marks what it names as reached.
    fn reach(&mut self, place: Place) -> Result<Target, LinkError> {
        if let Some(&target) = self.targets.get(&place) {
            return Ok(target);
        }
        let target = self.resolve(place, 0)?;
        self.targets.insert(place, target);
        Ok(target)
    }

    fn resolve(&mut self, place: Place, depth: u32) -> Result<Target, LinkError> {
        let symbol = &self.modules[place.0].symbols[place.1.0 as usize];
        if depth > MOST_ALIASES {
            return Err(LinkError::AliasCycle(symbol.name.clone()));
        }
        let place = match self.exported.get(symbol.name.as_str()) {
            Some(&other) if symbol.linkage != Linkage::Internal && !self.has_own(symbol, other) => other,
            _ => place,
        };
        let is_runtime = || (self.modelled)(&symbol.name) == Modelled::InProgram;
        if symbol.is_function && (place.0 != 0 || is_runtime()) {
            return self.in_library(place, depth);
        }
        self.definition(place, depth)
    }

    /// Whether a module keeps its own code of a function though another defines it. So do libraries with
    /// inline functions: a native one has them inlined, and a recorded run has no paths there.
    fn has_own(&self, symbol: &Symbol, (module, other): Place) -> bool {
        let is_inline = self.modules[module].symbols[other.0 as usize].linkage == Linkage::Inline;
        is_inline && symbol.is_function && symbol.definition != Definition::None
    }

    /// The target of the definition at `place`, of a library: a model takes precedence.
    fn in_library(&mut self, place: Place, depth: u32) -> Result<Target, LinkError> {
        let defined = &self.modules[place.0].symbols[place.1.0 as usize];
        let modelled = (self.modelled)(&defined.name);
        if defined.linkage != Linkage::Internal || modelled == Modelled::InProgram {
            match modelled {
                Modelled::No => {}
                Modelled::Instead => return Ok(Target::External(self.external(&defined.name))),
                Modelled::WithFallback | Modelled::InProgram => {
                    let id = self.external(&defined.name);
                    if let Some(function) = self.own_code(place, depth)? {
                        self.fallbacks.insert(id, function);
                    }
                    return Ok(Target::External(id));
                }
            }
        }
        self.definition(place, depth)
    }

    /// The target of the definition at `place`, whether or not a model shadows it.
    fn definition(&mut self, place: Place, depth: u32) -> Result<Target, LinkError> {
        let defined = &self.modules[place.0].symbols[place.1.0 as usize];
        match defined.definition {
            Definition::Function(index) => Ok(Target::Function(self.function(place.0, index))),
            Definition::Global(index) => Ok(Target::Global(self.global(place.0, index), 0)),
            Definition::Labels(index) => Ok(Target::Labels(self.function(place.0, index))),
            Definition::Alias { target, offset } => Ok(match self.resolve((place.0, target), depth + 1)? {
                Target::Global(id, inner) => Target::Global(id, inner + offset),
                other => other,
            }),
            Definition::None
                if defined.linkage == Linkage::Weak && (self.modelled)(&defined.name) == Modelled::No =>
            {
                Ok(Target::Absent)
            }
            Definition::None if defined.is_function => Ok(Target::External(self.external(&defined.name))),
            Definition::None => self.undefined_variable(&defined.name).map(Target::UndefinedVariable),
        }
    }

    /// The code of the function defined at `place`, also through aliases whose names are modelled, too.
    fn own_code(&mut self, place: Place, depth: u32) -> Result<Option<FunctionId>, LinkError> {
        let defined = &self.modules[place.0].symbols[place.1.0 as usize];
        if depth > MOST_ALIASES {
            return Err(LinkError::AliasCycle(defined.name.clone()));
        }
        match defined.definition {
            Definition::Function(index) => Ok(Some(self.function(place.0, index))),
            Definition::Alias { target, .. } => self.own_code((place.0, target), depth + 1),
            _ => Ok(None),
        }
    }

    fn undefined_variable(&mut self, name: &'m str) -> Result<u32, LinkError> {
        let known = self.undefined_variables.iter().position(|known| *known == name);
        let number = known.unwrap_or(self.undefined_variables.len());
        if number == address::MOST_UNDEFINED_VARIABLES {
            return Err(LinkError::UndefinedVariables(name.to_owned()));
        }
        if known.is_none() {
            self.undefined_variables.push(name);
        }
        Ok(number as u32)
    }

    fn external(&mut self, name: &'m str) -> ExternalId {
        *self.externals.entry(name).or_insert_with(|| {
            self.external_names.push(name);
            ExternalId(self.external_names.len() as u32 - 1)
        })
    }

    fn function(&mut self, module: usize, index: u32) -> FunctionId {
        *self.function_ids.entry((module, index)).or_insert_with(|| {
            self.functions.push((module, index));
            self.pending.push(Pending::Function(module, index));
            FunctionId(self.functions.len() as u32 - 1)
        })
    }

    fn global(&mut self, module: usize, index: u32) -> GlobalId {
        *self.global_ids.entry((module, index)).or_insert_with(|| {
            self.globals.push((module, index));
            self.pending.push(Pending::Global(module, index));
            GlobalId(self.globals.len() as u32 - 1)
        })
    }

    /// The name of a symbol of the user's module, if it is not the name of the function it denotes.
    fn alias(&self, symbol: SymbolId) -> Option<&'m str> {
        let own = match self.targets[&(0, symbol)] {
            Target::Function(id) => {
                let (module, index) = self.functions[id.0 as usize];
                &self.modules[module].functions[index as usize].name
            }
            Target::External(id) => self.external_names[id.0 as usize],
            _ => return None,
        };
        let name = self.modules[0].symbols[symbol.0 as usize].name.as_str();
        (name != own).then_some(name)
    }

    /// Follows references until nothing new is reached.
    fn close(&mut self) -> Result<(), LinkError> {
        while let Some(next) = self.pending.pop() {
            match next {
                Pending::Function(module, index) => {
                    let garbled = |_| LinkError::Garbled(self.modules[module].path.clone());
                    let function = self.modules[module].functions[index as usize].get().map_err(garbled)?;
                    for constant in &function.constants {
                        self.reach_constant(module, constant)?;
                    }
                    for call in &function.calls {
                        if let CallTarget::Symbol(symbol) = call.target {
                            self.reach((module, symbol))?;
                        }
                    }
                }
                Pending::Global(module, index) => {
                    for (_, _, constant) in
                        &self.modules[module].globals[index as usize].initializer.relocations
                    {
                        self.reach_constant(module, constant)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn reach_constant(&mut self, module: usize, constant: &Constant) -> Result<(), LinkError> {
        match *constant {
            Constant::Bits(_) => {}
            Constant::Address(symbol, _) => {
                self.reach((module, symbol))?;
            }
            Constant::Difference(left, right, _) => {
                self.reach((module, left))?;
                self.reach((module, right))?;
            }
        }
        Ok(())
    }
}

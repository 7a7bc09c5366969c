//! Names that a program looks up while it runs (`dlsym`).
//!
//! The program's exports are kept, and definitions of libraries whose names are in the program's constants: a
//! program can hardly ask for another. Any other name of a library is noted as left out.

use super::{LinkError, Linker, Modelled, Place, Target, exports};
use crate::program::Names;
use rustc_hash::{FxHashMap, FxHashSet};

/// The function by which libc asks for the address of a name.
pub const LOOKUP: &str = "__symx_symbol";

/// Names with what they denote.
#[derive(Default)]
pub(super) struct LookedUp<'m> {
    /// The program's own.
    own: FxHashMap<&'m str, Target>,
    /// Those of libraries.
    library: FxHashMap<&'m str, Target>,
    /// Names of libraries that are left out.
    omitted: FxHashSet<&'m str>,
}

impl LookedUp<'_> {
    /// The same with addresses.
    pub(super) fn bind(&self, address_of: &dyn Fn(Target) -> u64) -> Names {
        let bound = |names: &FxHashMap<&str, Target>| {
            names.iter().map(|(name, &target)| ((*name).to_owned(), address_of(target))).collect()
        };
        Names {
            own: bound(&self.own),
            library: bound(&self.library),
            omitted: self.omitted.iter().map(|name| (*name).to_owned()).collect(),
        }
    }
}

impl<'m> Linker<'m> {
    /// Reaches what the program may look up, if it looks up names at all.
    pub(super) fn reach_looked_up_names(&mut self) -> Result<(), LinkError> {
        if !self.externals.contains_key(LOOKUP) {
            return Ok(());
        }
        let modules = self.modules;
        for (name, place) in exports(&modules[..1], 0) {
            let target = self.reach(place)?;
            if !self.differs_by_thread(target) {
                self.looked_up.own.insert(name, target);
            }
        }
        self.close()?;
        let defined = exports(modules, 1);
        let mut searched = 0;
        // The definition of a name can have constants with further names.
        while searched < self.globals.len() {
            let (module, index) = self.globals[searched];
            searched += 1;
            if module != 0 {
                continue;
            }
            for text in modules[module].globals[index as usize].initializer.bytes.split(|byte| *byte == 0) {
                if let Ok(name) = std::str::from_utf8(text)
                    && !name.is_empty()
                {
                    self.reach_library_name(name, &defined)?;
                }
            }
            self.close()?;
        }
        let found = &self.looked_up.library;
        let omitted = defined.keys().filter(|name| !found.contains_key(*name)).copied().collect();
        self.looked_up.omitted = omitted;
        Ok(())
    }

    fn reach_library_name(
        &mut self,
        name: &'m str,
        defined: &FxHashMap<&'m str, Place>,
    ) -> Result<(), LinkError> {
        let target = match defined.get(name) {
            Some(&place) if self.modules[place.0].symbols[place.1.0 as usize].is_function => {
                self.in_library(place, 0)?
            }
            Some(&place) => self.definition(place, 0)?,
            None if (self.modelled)(name) != Modelled::No => Target::External(self.external(name)),
            None => return Ok(()),
        };
        if !self.differs_by_thread(target) {
            self.looked_up.library.insert(name, target);
        }
        Ok(())
    }

    /// Whether it has an address of its own in each thread.
    fn differs_by_thread(&self, target: Target) -> bool {
        let Target::Global(id, _) = target else { return false };
        let (module, index) = self.globals[id.0 as usize];
        self.modules[module].globals[index as usize].thread_local
    }
}

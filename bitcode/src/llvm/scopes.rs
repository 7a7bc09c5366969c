//! Debug scopes that contain themselves, which no compiler writes: LLVM would loop endlessly.

use super::{Metadata, MetadataKind, Parsed};
use llvm_sys::support::LLVMParseCommandLineOptions;
use rustc_hash::FxHashSet;
use std::sync::Once;

static UPGRADE_IS_OFF: Once = Once::new();

/// Has LLVM leave debug information as it is when it parses: it would verify it there, before it could be
/// examined.
pub(super) fn keep_debug_information_as_it_is() {
    UPGRADE_IS_OFF.call_once(|| {
        let arguments = [c"symx".as_ptr(), c"--disable-auto-upgrade-debug-info".as_ptr()];
        // SAFETY: as many arguments as there are, each ending in a zero byte; LLVM's options are set once,
        // before it parses.
        unsafe { LLVMParseCommandLineOptions(2, arguments.as_ptr(), std::ptr::null()) };
    });
}

impl Parsed {
    /// Whether some instruction lies in a scope that lies in itself, or was inlined into itself.
    pub(super) fn has_circular_scopes(&self) -> bool {
        let (mut inlined, mut scopes) = (FxHashSet::default(), FxHashSet::default());
        let instructions = self
            .functions()
            .into_iter()
            .flat_map(|function| function.blocks())
            .flat_map(|block| block.instructions());
        let mut locations: Vec<Metadata<'_>> = Vec::new();
        for instruction in instructions {
            locations.extend(instruction.location());
            let declared = instruction.declared_variables();
            locations.extend(declared.into_iter().filter_map(|declaration| declaration.location));
        }
        locations.iter().any(|location| {
            let mut at = Some(*location);
            let is_circular = !ends(*location, &mut inlined, |location| location.inlined_at());
            is_circular
                || std::iter::from_fn(|| {
                    let here = at?;
                    at = here.inlined_at();
                    here.scope()
                })
                .any(|scope| !ends(scope, &mut scopes, |scope| self.around(scope)))
        })
    }

    /// The scope around a block's scope; nothing for other scopes, which LLVM does not go on from.
    fn around<'m>(&'m self, scope: Metadata<'m>) -> Option<Metadata<'m>> {
        match scope.kind() {
            MetadataKind::LLVMDILexicalBlockMetadataKind
            | MetadataKind::LLVMDILexicalBlockFileMetadataKind => scope.parent_scope(self),
            _ => None,
        }
    }
}

/// Whether the chain from `first` comes to an end. Scopes known to do so are noted.
fn ends<'m>(
    first: Metadata<'m>,
    known: &mut FxHashSet<Metadata<'m>>,
    next: impl Fn(Metadata<'m>) -> Option<Metadata<'m>>,
) -> bool {
    let mut here = FxHashSet::default();
    let mut at = Some(first);
    while let Some(node) = at.filter(|node| !known.contains(node)) {
        if !here.insert(node) {
            return false;
        }
        at = next(node);
    }
    known.extend(here);
    true
}

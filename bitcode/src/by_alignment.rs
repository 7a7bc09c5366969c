//! Functions whose way depends on the alignment of what they are given: recorded runs do not log them
//! (`recorder/src/instrument/by_alignment.rs` asks the same), so that none is held to a log.

use crate::llvm::{Block, Metadata, Parsed, Value};
use rustc_hash::FxHashMap;
use symx_ir::known_functions::rust_names::goes_by_alignment;

/// Subprograms met so far, each with whether it is such a function.
#[derive(Default)]
pub struct ByAlignment<'m>(FxHashMap<Metadata<'m>, bool>);

impl<'m> ByAlignment<'m> {
    /// Whether a function is one of them, or decides by one that was inlined into it.
    pub fn is_one(&mut self, function: Value<'m>, parsed: &'m Parsed) -> bool {
        goes_by_alignment(&function.name())
            || function.blocks().into_iter().any(|block| self.decides(block, parsed))
    }

    fn decides(&mut self, block: Block<'m>, parsed: &'m Parsed) -> bool {
        let terminator = block.terminator().filter(|terminator| terminator.successors().len() > 1);
        let Some(location) = terminator.and_then(Value::location) else { return false };
        location.subprograms(parsed).any(|function| {
            let is_one = || function.linkage_name(parsed).is_some_and(|name| goes_by_alignment(&name));
            *self.0.entry(function).or_insert_with(is_one)
        })
    }
}

//! Types of Rust's library, which others are made of.

use crate::llvm::{Metadata, MetadataKind, Parsed};

/// The crates of the library.
const CRATES: [&str; 3] = ["std", "core", "alloc"];

/// Fields by which a type of the library is made of another one, of its argument or of its system's part.
/// Programs do not write their names.
const PAYLOADS: [&str; 7] = ["data", "value", "v", "inner", "futex", "pointer", "ptr"];

/// How deep modules lie in each other, at most.
const DEEPEST: usize = 32;

/// Whether a type is one of Rust's library.
pub fn is_of_library<'m>(of: Metadata<'m>, parsed: &'m Parsed) -> bool {
    let is_namespace =
        |scope: &Metadata<'m>| matches!(scope.kind(), MetadataKind::LLVMDINamespaceMetadataKind);
    let parent = |scope: Metadata<'m>| scope.parent_scope(parsed).filter(is_namespace);
    let outermost = || std::iter::successors(parent(of), |scope| parent(*scope)).take(DEEPEST).last();
    let name = || outermost()?.namespace_name(parsed);
    // C++ has a namespace of one of these names, too.
    name().is_some_and(|name| CRATES.contains(&name.as_str())) && parsed.is_of_rust()
}

/// Whether a field of such a type, by its name, stands for the whole.
pub fn is_payload(name: &str) -> bool {
    PAYLOADS.contains(&name)
}

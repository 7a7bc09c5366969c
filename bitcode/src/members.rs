//! The parts of a type of the source by where they lie.

use crate::llvm::{Metadata, MetadataKind, Parsed, tag};
use crate::rust_types;

/// How deep parts are looked for: types that contain themselves are no compiler's.
const DEEPEST: u32 = 32;

/// A part of a variable.
pub struct Part<'m> {
    /// How the source names it, after the variable's name: `.queue.lock`.
    pub path: String,
    /// Its type.
    pub of: Metadata<'m>,
}

/// The innermost field that is just the `length` bytes at `offset`; the type itself if those are all of it.
/// `None` if that is not clear, as in a union, or if there is none.
pub fn part<'m>(of: Metadata<'m>, offset: u64, length: u64, parsed: &'m Parsed) -> Option<Part<'m>> {
    let mut part = Part { path: String::new(), of };
    let mut left = offset;
    for _ in 0..DEEPEST {
        let is_alias = is_derived(part.of) && part.of.type_size() == 0;
        if is_alias {
            part.of = part.of.base_type(parsed)?;
            continue;
        }
        let Some(member) = member_around(part.of, left, length, parsed) else { break };
        let name = member.type_name();
        let is_payload = rust_types::is_payload(&name) && rust_types::is_of_library(part.of, parsed);
        if !name.is_empty() && !is_payload && member.tag() == tag::MEMBER {
            part.path = format!("{}.{name}", part.path);
        }
        left -= member.type_offset();
        part.of = member.base_type(parsed)?;
    }
    (left == 0 && size(part.of, parsed) == Some(length)).then_some(part)
}

/// The member of a structure or class that has these bytes.
fn member_around<'m>(of: Metadata<'m>, offset: u64, length: u64, parsed: &'m Parsed) -> Option<Metadata<'m>> {
    let is_composite = matches!(of.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind);
    if !is_composite || !matches!(of.tag(), tag::STRUCTURE | tag::CLASS) {
        return None;
    }
    let end = offset.checked_add(length)?;
    let mut around = of.elements(parsed).into_iter().filter(|member| {
        let is_member = is_derived(*member) && matches!(member.tag(), tag::MEMBER | tag::INHERITANCE);
        let size = member.base_type(parsed).and_then(|of| size(of, parsed));
        is_member
            && offset >= member.type_offset()
            && size.is_some_and(|size| end <= member.type_offset().saturating_add(size))
    });
    // A static member is declared as if it began where the first one does.
    around.next().filter(|_| around.next().is_none())
}

/// The size of a type in bytes, under whatever name.
pub fn size<'m>(of: Metadata<'m>, parsed: &'m Parsed) -> Option<u64> {
    let mut at = of;
    for _ in 0..DEEPEST {
        match (at.type_size(), at.kind()) {
            (0, MetadataKind::LLVMDIDerivedTypeMetadataKind) => at = at.base_type(parsed)?,
            (size, _) => return (size > 0).then_some(size),
        }
    }
    None
}

fn is_derived(of: Metadata<'_>) -> bool {
    matches!(of.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind)
}

//! The types for which the libraries of C++ and Rust allocate memory: the templates or generic functions that
//! do so have them for arguments.

use super::Builder;
use crate::llvm::{Metadata, MetadataKind, Parsed, Value, tag};
use symx_ir::known_functions::cxx_names::as_written;
use symx_ir::known_functions::is_operator_new;
use symx_ir::known_functions::rust_names::{is_rust_allocator, type_as_written};

/// Classes of libstdc++ and libc++ whose member `allocate` makes room for objects of their first argument.
const ALLOCATORS: [&str; 3] = ["__new_allocator<", "new_allocator<", "allocator<"];

/// C's functions that Rust's allocator calls.
const C_ALLOCATORS: [&str; 4] = ["malloc", "calloc", "aligned_alloc", "posix_memalign"];

/// How many types of the library are looked through for one of the author's.
const MOST_INNER: u32 = 8;

/// Characters of a name at most: beyond that its arguments are left out.
const LONGEST_NAME: usize = 40;

impl<'m> Builder<'_, 'm> {
    /// Notes the type for which a call allocates, if it is one of the allocator in the library of its
    /// language.
    pub(super) fn note_allocator(&mut self, call: Value<'m>) {
        let callee = call.callee().name();
        let (parsed, location) = (self.source.parsed, call.location());
        let allocated = if is_operator_new(&callee) {
            let scope = location.and_then(Metadata::scope);
            scope.and_then(|scope| allocated_for(scope, parsed)).or_else(|| constructed_in(call, parsed))
        } else if is_rust_allocator(&callee)
            || C_ALLOCATORS.contains(&callee.as_str())
                && location.is_some_and(|location| is_within_rust_allocator(location, parsed))
        {
            location.and_then(|location| argument_around(location, parsed))
        } else {
            None
        };
        if let Some((name, of)) = allocated {
            let span = self.spans.of_instruction(call);
            self.objects.element(span, name, of, self.source);
        }
    }
}

/// Whether Rust's function for allocating memory was inlined around a location: in optimised whole programs
/// it is.
fn is_within_rust_allocator<'m>(location: Metadata<'m>, parsed: &'m Parsed) -> bool {
    let symbols = location.subprograms(parsed).filter_map(|function| function.linkage_name(parsed));
    symbols.into_iter().any(|symbol| is_rust_allocator(&symbol))
}

/// The type for which Rust's library allocates at a location: the argument of the innermost generic function
/// that was inlined there.
fn argument_around<'m>(location: Metadata<'m>, parsed: &'m Parsed) -> Option<(String, Option<Metadata<'m>>)> {
    let of = location.subprograms(parsed).find_map(|function| function.template_type(parsed))?;
    Some((short(&type_as_written(&of.type_name())), Some(of)))
}

/// The type for which the function around a scope allocates, and its name; no type where only the library
/// knows its parts.
fn allocated_for<'m>(scope: Metadata<'m>, parsed: &'m Parsed) -> Option<(String, Option<Metadata<'m>>)> {
    let at = scope.subprogram(parsed)?;
    let class = at.parent_scope(parsed);
    let class = class.filter(|scope| matches!(scope.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind));
    let of = match (class, class.map(Metadata::type_name).unwrap_or_default()) {
        (Some(class), name) if ALLOCATORS.iter().any(|known| name.starts_with(known)) => {
            class.template_type(parsed)?
        }
        // Its state is the library's own.
        (Some(_), name) if name == "thread" => return Some((name, None)),
        (None, _) if at.name(parsed)?.starts_with("make_unique<") => at.template_type(parsed)?,
        _ => return None,
    };
    Some((name_of(of, parsed)?, Some(of)))
}

/// The class of which a constructor makes an object where `operator new` has made room, and its name.
fn constructed_in<'m>(call: Value<'m>, parsed: &'m Parsed) -> Option<(String, Option<Metadata<'m>>)> {
    call.users().into_iter().filter(|user| user.is_call()).find_map(|user| {
        let is_for_it = user.arguments().first() == Some(&call);
        let constructor = user.callee().subprogram()?;
        let class = constructor.parent_scope(parsed)?;
        let is_class = matches!(class.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind);
        // A template's name has its arguments, that of its constructor none.
        let is_constructor =
            is_class && class.type_name().split('<').next() == Some(constructor.name(parsed)?.as_str());
        let name = name_of(class, parsed).filter(|_| is_constructor && is_for_it)?;
        Some((name, Some(class)))
    })
}

/// The name of a type; of one that only the library names, that of its first argument: `_List_node<Job>`
/// holds a `Job`. Where it has none, the library's name is better than none.
pub(super) fn name_of<'m>(of: Metadata<'m>, parsed: &'m Parsed) -> Option<String> {
    let (mut at, mut pointers) = (of, String::new());
    let mut of_library = None;
    for _ in 0..MOST_INNER {
        let name = at.type_name();
        let is_derived = matches!(at.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind);
        if name.is_empty() && is_derived {
            if at.tag() == tag::POINTER {
                pointers.push('*');
            }
            at = at.base_type(parsed)?;
        } else if name.is_empty() || name.starts_with('_') {
            of_library = Some(name).filter(|name| !name.is_empty()).or(of_library);
            match at.template_type(parsed) {
                Some(argument) => at = argument,
                None => break,
            }
        } else {
            return Some(short(&name) + &pointers);
        }
    }
    of_library.map(|name| short(&name) + &pointers)
}

/// A name as authors write it, and not too long.
fn short(name: &str) -> String {
    let name = as_written(name);
    match name.split_once('<') {
        Some((template, _)) if name.chars().count() > LONGEST_NAME => format!("{template}<...>"),
        _ => name.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    const STRING: &str = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

    #[test]
    fn names_are_short() {
        assert_eq!(short("Account"), "Account");
        assert_eq!(short(&format!("pair<const {STRING}, int>")), "pair<const std::string, int>");
        assert_eq!(short(&format!("map<int, std::vector<{}> >", "long_name".repeat(4))), "map<...>");
    }
}

//! Symbols and global variables.

use crate::LoadError;
use crate::constants::is_composite;
use crate::llvm::{LinkageKind, Metadata, MetadataKind, TypeKind, Value, ValueKind, tag};
use crate::rust_locks;
use crate::rust_types;
use crate::shape::scalar_bits;
use crate::source::Source;
use crate::unsupported::{Translated, Unsupported, unsupported};
use rustc_hash::FxHashMap;
use symx_ir::debug_info::Encoding;
use symx_ir::known_functions::cxx_names::as_written;
use symx_ir::known_functions::linker_names::demangled;
use symx_ir::known_functions::rust_conditions::operates_on_condition;
use symx_ir::known_functions::{is_vtable, made_by_compiler};
use symx_ir::{
    Constant, Definition, Field, Global, Initializer, Linkage, Module, SourceType, Symbol, SymbolId,
    short_file,
};

/// Variables that are only for LLVM.
fn is_for_llvm(global: Value<'_>) -> bool {
    let name = global.name();
    matches!(name.as_str(), "llvm.used" | "llvm.compiler.used" | "llvm.global_ctors" | "llvm.global_dtors")
        || global.section() == "llvm.metadata"
}

/// Whether this module holds the function's or variable's definition. Those of linkage `available_externally`
/// are copies of a definition elsewhere, and so declarations. But one that is always inlined is called.
pub fn is_defined(value: Value<'_>) -> bool {
    !value.is_declaration() && (!is_copy(value) || value.is_always_inlined())
}

fn is_copy(value: Value<'_>) -> bool {
    value.linkage() == LinkageKind::LLVMAvailableExternallyLinkage
}

fn linkage(value: Value<'_>) -> Linkage {
    match value.linkage() {
        LinkageKind::LLVMAvailableExternallyLinkage if is_defined(value) => Linkage::Internal,
        LinkageKind::LLVMInternalLinkage | LinkageKind::LLVMPrivateLinkage => Linkage::Internal,
        LinkageKind::LLVMLinkOnceODRLinkage => Linkage::Inline,
        LinkageKind::LLVMLinkOnceAnyLinkage
        | LinkageKind::LLVMWeakAnyLinkage
        | LinkageKind::LLVMWeakODRLinkage
        | LinkageKind::LLVMCommonLinkage
        | LinkageKind::LLVMExternalWeakLinkage => Linkage::Weak,
        _ => Linkage::Strong,
    }
}

/// Follows the name of a function under which no model is to stand in its place.
const UNMODELLED: &str = ".unmodelled";

/// Gives every global value its symbol; returns the variables defined here, with their symbols.
pub fn declare<'m>(source: &Source<'m>) -> Vec<(Value<'m>, SymbolId)> {
    let has_inlined_conditions = rust_locks::has_inlined_conditions(source.parsed);
    let mut unnamed = 0;
    let mut symbol = |value: Value<'m>, definition, is_function| {
        let mut name = value.name();
        if name.is_empty() {
            name = format!(".unnamed.{unnamed}");
            unnamed += 1;
        }
        if has_inlined_conditions && is_function && operates_on_condition(&name) {
            name += UNMODELLED;
        }
        source.declare(value, Symbol { name, linkage: linkage(value), definition, is_function })
    };
    let mut defined = 0;
    for function in source.parsed.functions() {
        if function.is_intrinsic() {
            continue;
        }
        let definition = match is_defined(function) {
            true => Definition::Function(defined),
            false => Definition::None,
        };
        defined += u32::from(is_defined(function));
        symbol(function, definition, true);
    }
    let mut variables = Vec::new();
    for global in source.parsed.globals() {
        if is_for_llvm(global) {
            continue;
        }
        if is_defined(global) {
            let id = symbol(global, Definition::Global(variables.len() as u32), false);
            variables.push((global, id));
        } else {
            symbol(global, Definition::None, false);
        }
    }
    for value in source.parsed.aliases().into_iter().chain(source.parsed.indirect_functions()) {
        let is_function = value.value_type().kind() == TypeKind::LLVMFunctionTypeKind;
        symbol(value, Definition::None, is_function);
    }
    variables
}

/// Translates the variables and resolves aliases.
pub fn translate<'m>(
    source: &Source<'m>,
    variables: &[(Value<'m>, SymbolId)],
    module: &mut Module,
) -> Result<(), LoadError> {
    for alias in source.parsed.aliases() {
        let target = alias.aliasee();
        let resolved = match target.is_thread_local() {
            true => source.symbol(target).map(|symbol| Constant::Address(symbol, 0)),
            false => source.address_constant(target, 64),
        };
        let resolved = resolved.and_then(|constant| Ok((source.symbol(alias)?, constant)));
        match resolved {
            Ok((id, Constant::Address(target, offset))) => {
                source.define(id, Definition::Alias { target, offset });
            }
            Ok(_) => return Err(LoadError::Alias { name: alias.name(), what: "a plain number".to_owned() }),
            Err(Unsupported(what)) => return Err(LoadError::Alias { name: alias.name(), what }),
        }
    }
    for &(global, _) in variables {
        module.globals.push(variable(source, global)?);
    }
    distinguish(variables, &mut module.globals);
    for global in source.parsed.globals() {
        let list = match global.name().as_str() {
            "llvm.global_ctors" => &mut module.constructors,
            "llvm.global_dtors" => &mut module.destructors,
            _ => continue,
        };
        *list = constructors(source, global)
            .map_err(|Unsupported(what)| LoadError::Initializer { name: global.name(), what })?;
    }
    Ok(())
}

fn variable<'m>(source: &Source<'m>, global: Value<'m>) -> Result<Global, LoadError> {
    let name = global.name();
    let (source_name, source_type) = declared(source, global);
    let align = match global.alignment() {
        0 => source.layout.global_alignment(global),
        given => given,
    };
    let mut initializer = Initializer::default();
    if let Some(value) = global.initializer() {
        write(source, value, 0, &mut initializer)
            .map_err(|Unsupported(what)| LoadError::Initializer { name: name.clone(), what })?;
    }
    Ok(Global {
        source_name: source_name.unwrap_or_else(|| shown(&name)),
        distinction: String::new(),
        source_type,
        name,
        size: source.layout.allocated_size(global.value_type()),
        align_log2: align.max(1).trailing_zeros() as u8,
        constant: global.is_constant_global(),
        thread_local: global.is_thread_local(),
        initializer,
    })
}

/// Says of variables of one name where each is declared: static variables of functions, files and nameless
/// namespaces. Those of one line are instances of a template; they have the linker's names.
fn distinguish(variables: &[(Value<'_>, SymbolId)], globals: &mut [Global]) {
    let mut of_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (number, global) in globals.iter().enumerate().filter(|(_, global)| !is_vtable(&global.name)) {
        of_name.entry(&global.source_name).or_default().push(number);
    }
    let mut distinctions = Vec::new();
    for twins in of_name.values().filter(|twins| twins.len() > 1) {
        let declared = |number: &usize| declared_at(variables[*number].0);
        let places: Vec<Option<String>> = twins.iter().map(declared).collect();
        for (number, place) in twins.iter().zip(&places) {
            let is_own = places.iter().filter(|other| *other == place).count() == 1;
            let linked =
                || Some(shown(&globals[*number].name)).filter(|name| *name != globals[*number].source_name);
            let told = place.clone().filter(|_| is_own).or_else(linked);
            distinctions.push((*number, told.unwrap_or_else(|| globals[*number].name.clone())));
        }
    }
    for (number, distinction) in distinctions {
        globals[number].distinction = distinction;
    }
}

/// A linker name, for people.
fn shown(name: &str) -> String {
    demangled(name).unwrap_or_else(|| name.to_owned())
}

/// Where a variable is declared: `a.c:3`.
fn declared_at(global: Value<'_>) -> Option<String> {
    let variable = global.global_debug()?.global_variable()?;
    let (_, file) = variable.variable_file()?.file_name();
    let line = variable.variable_line();
    (line > 0).then(|| format!("{}:{line}", short_file(&file)))
}

/// The name and the type that the source gives a variable. An optimiser makes several variables of one whose
/// parts are used one by one: each has the name of its part.
fn declared<'m>(source: &Source<'m>, global: Value<'m>) -> (Option<String>, Option<SourceType>) {
    let Some(expression) = global.global_debug() else {
        return (made_by_compiler(&global.name()).map(str::to_owned), None);
    };
    let Some(variable) = expression.global_variable() else { return (None, None) };
    let name = variable.name(source.parsed);
    if let Some(made) = made_by_compiler(&global.name()) {
        let class = variable.variable_class(source.parsed).map(Metadata::type_name);
        let of = class.filter(|class| !class.is_empty()).map(|class| format!(" of {}", as_written(&class)));
        return (Some(made.to_owned() + &of.unwrap_or_default()), None);
    }
    let whole = variable.variable_type(source.parsed).and_then(|of| type_parts(of, source));
    let Some((offset, length)) = fragment_of(expression, source) else { return (name, whole) };
    let name = name.map(|name| match &whole {
        Some(whole) => name + &whole.place(offset, length),
        None if offset == 0 => name,
        None => format!("{name}+{offset}"),
    });
    (name, whole.and_then(|whole| whole.part(offset, length).cloned()))
}

/// The part of its variable that a global variable expression is about: first byte and length. `None` if it
/// is about all of it.
pub fn fragment_of<'m>(expression: Metadata<'m>, source: &Source<'m>) -> Option<(u64, u64)> {
    fragment(&expression.global_expression()?.print(source.parsed))
}

/// The same, of an expression as LLVM writes it.
pub fn fragment(written: &str) -> Option<(u64, u64)> {
    let (_, behind) = written.split_once("DW_OP_LLVM_fragment, ")?;
    let mut bits = behind.split([',', ')']).map(|number| number.trim().parse::<u64>());
    let (Some(Ok(offset)), Some(Ok(length))) = (bits.next(), bits.next()) else { return None };
    Some((offset / 8, length / 8))
}

/// Classes whose bytes are an object of their first argument.
const ROOM: [&str; 2] = ["__aligned_membuf<", "__aligned_buffer<"];

/// Whether a type is room of libstdc++'s for an object that is made later.
fn is_room(of: Metadata<'_>) -> bool {
    ROOM.iter().any(|room| of.type_name().starts_with(room))
}

/// How deep types are looked into.
const DEEPEST: u32 = 12;

/// How many types are looked into for one variable: one that contains itself, which no compiler writes,
/// unfolds to any number.
const MOST_TYPES: u32 = 10_000;

/// The parts of a type, as far as they are examined; `None` if its size is not known.
pub fn type_parts<'m>(of: Metadata<'m>, source: &Source<'m>) -> Option<SourceType> {
    source_type(of, source, 0, &mut { MOST_TYPES })
}

/// The parts of a type; `None` if its size is not known.
fn source_type<'m>(of: Metadata<'m>, source: &Source<'m>, depth: u32, left: &mut u32) -> Option<SourceType> {
    let size = of.type_size();
    let parsed = source.parsed;
    let read_as = |encoding| (size > 0).then_some(SourceType::Plain { size, encoding });
    match of.kind() {
        MetadataKind::LLVMDIBasicTypeMetadataKind => read_as(source.encoding(of)),
        MetadataKind::LLVMDIDerivedTypeMetadataKind if size > 0 => read_as(match of.tag() {
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => Encoding::Address,
            _ => Encoding::Other,
        }),
        // Another name for a type, or a qualifier.
        MetadataKind::LLVMDIDerivedTypeMetadataKind if depth < DEEPEST => {
            source_type(of.base_type(parsed)?, source, depth + 1, left)
        }
        MetadataKind::LLVMDICompositeTypeMetadataKind
            if size > 0 && depth < DEEPEST && of.tag() == tag::ENUMERATION =>
        {
            let enumerators = source.enumerators(of);
            // What is looked at is bounded, and each of them is kept.
            *left = left.saturating_sub(enumerators.len() as u32);
            let base = of.base_type(parsed).and_then(|base| source_type(base, source, depth + 1, left));
            let encoding = match base {
                Some(SourceType::Plain { encoding, .. }) => encoding,
                _ => Encoding::Signed,
            };
            Some(SourceType::Enumeration { size, encoding, enumerators })
        }
        MetadataKind::LLVMDICompositeTypeMetadataKind
            if (size > 0 || of.tag() == tag::ARRAY) && depth < DEEPEST && *left > 0 =>
        {
            *left -= 1;
            if is_room(of) {
                return source_type(of.template_type(parsed)?, source, depth + 1, left);
            }
            let parts = of.elements(parsed);
            let dimensions: Vec<Option<u64>> = parts
                .iter()
                .filter(|part| matches!(part.kind(), MetadataKind::LLVMDISubrangeMetadataKind))
                .map(|part| part.count(parsed))
                .collect();
            if !dimensions.is_empty() {
                let mut element = source_type(of.base_type(parsed)?, source, depth + 1, left)?;
                for (dimension, count) in dimensions.into_iter().enumerate().rev() {
                    // An array without elements has no bytes to name.
                    let length = match (count, element.size()) {
                        (Some(0), _) | (_, 0) => return None,
                        (Some(count), size) => size.checked_mul(count)?,
                        // Where an element begins follows from all lengths but the outermost.
                        (None, _) => (dimension == 0).then_some(0)?,
                    };
                    element = element.times(length);
                }
                return Some(element);
            }
            let members = parts
                .iter()
                .filter(|part| matches!(part.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind));
            let is_of_library = rust_types::is_of_library(of, parsed);
            let mut field = |member: &Metadata<'m>| {
                let base = member.base_type(parsed)?;
                let of = source_type(base, source, depth + 1, left)?;
                let name = member.type_name();
                let is_payload = is_of_library && rust_types::is_payload(&name) || is_room(base);
                Some(Field { name, offset: member.type_offset(), of, is_payload })
            };
            let fields: Vec<Field> = members.filter_map(&mut field).collect();
            Some(SourceType::Record { fields, size })
        }
        _ => read_as(Encoding::Other),
    }
}

/// Writes the constant `value` at byte `offset`.
fn write<'m>(source: &Source<'m>, value: Value<'m>, offset: u64, out: &mut Initializer) -> Translated<()> {
    let of = value.type_of();
    match value.kind() {
        ValueKind::LLVMConstantAggregateZeroValueKind | ValueKind::LLVMConstantPointerNullValueKind => {
            return Ok(());
        }
        ValueKind::LLVMConstantDataArrayValueKind => {
            place(out, offset, value.raw_data());
            return Ok(());
        }
        _ if value.is_undefined() => return Ok(()),
        _ => {}
    }
    let is_vector = of.kind() == TypeKind::LLVMVectorTypeKind;
    if is_composite(of) && !is_vector {
        let is_struct = of.kind() == TypeKind::LLVMStructTypeKind;
        let stride = if is_struct { 0 } else { source.layout.allocated_size(of.element()) };
        for index in 0..of.length() as u32 {
            let Some(element) = value.element(index) else {
                return unsupported(format!("the constant {}", value.print()));
            };
            let distance =
                if is_struct { source.layout.field_offset(of, index) } else { u64::from(index) * stride };
            write(source, element, offset + distance, out)?;
        }
        return Ok(());
    }
    if !is_vector && scalar_bits(of)? <= 64 {
        let bits = scalar_bits(of)?;
        let is_plain =
            matches!(value.kind(), ValueKind::LLVMConstantIntValueKind | ValueKind::LLVMConstantFPValueKind);
        if !is_plain {
            let width = source.layout.store_size(of);
            return match (source.address_constant(value, bits)?, width) {
                (Constant::Bits(number), _) => {
                    place(out, offset, &number.to_le_bytes()[..width as usize]);
                    Ok(())
                }
                (constant, 4 | 8) => {
                    out.relocations.push((offset, width as u8, constant));
                    Ok(())
                }
                _ => unsupported(format!("the truncated address {}", value.print())),
            };
        }
    }
    let shape = source.shape(of)?;
    if shape.packed_bits.is_some() {
        return unsupported(format!("the packed vector {}", value.print()));
    }
    let mut words = Vec::new();
    source.constant(value, &mut words)?;
    for (piece, word) in shape.pieces.iter().zip(words) {
        let at = offset + u64::from(piece.offset);
        match word {
            Constant::Bits(bits) => {
                place(out, at, &bits.to_le_bytes()[..usize::from(piece.bits).div_ceil(8)]);
            }
            address => out.relocations.push((at, 8, address)),
        }
    }
    Ok(())
}

/// Writes bytes; zeros at the end need not be kept.
fn place(out: &mut Initializer, offset: u64, bytes: &[u8]) {
    let significant = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    if significant == 0 {
        return;
    }
    let (start, end) = (offset as usize, offset as usize + significant);
    if out.bytes.len() < end {
        out.bytes.resize(end, 0);
    }
    out.bytes[start..end].copy_from_slice(&bytes[..significant]);
}

/// The entries `{ priority, function, data }` of `llvm.global_ctors`.
fn constructors<'m>(source: &Source<'m>, global: Value<'m>) -> Translated<Vec<(u32, SymbolId)>> {
    let mut list = Vec::new();
    let Some(array) = global.initializer() else { return Ok(list) };
    for index in 0..array.type_of().length() as u32 {
        let entry = array.element(index).and_then(|entry| Some((entry.element(0)?, entry.element(1)?)));
        let Some((priority, function)) = entry else { continue };
        match source.address_constant(function, 64)? {
            Constant::Address(symbol, 0) => list.push((priority.low_bits() as u32, symbol)),
            Constant::Bits(0) => {}
            _ => return unsupported(format!("the constructor {}", function.print())),
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::fragment;

    #[test]
    fn fragments_are_read_in_bytes() {
        assert_eq!(fragment("!DIExpression(DW_OP_LLVM_fragment, 64, 32)"), Some((8, 4)));
        assert_eq!(
            (fragment("!DIExpression()"), fragment("!DIExpression(DW_OP_plus_uconst, 8)")),
            (None, None)
        );
    }
}

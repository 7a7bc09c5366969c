//! Types of the source.

use crate::encoding::encoding;
use crate::enumerators::enumerators;
use crate::llvm::{Metadata, MetadataKind, Parsed, tag};
use rustc_hash::FxHashMap;
use symx_ir::debug_info::{Member, RecordKeyword, Type, TypeId, TypeKind};
use symx_ir::known_functions::cxx_names::as_written;

/// LLVM's flags of members.
const VIRTUAL: i32 = 1 << 5;
const STATIC_MEMBER: i32 = 1 << 12;
const BIT_FIELD: i32 = 1 << 19;

/// The types met so far.
pub(super) struct Types<'m> {
    parsed: &'m Parsed,
    numbers: FxHashMap<Metadata<'m>, TypeId>,
    /// By number; those from `known.len()` on are still to be looked at.
    nodes: Vec<Metadata<'m>>,
    known: Vec<Type>,
}

impl<'m> Types<'m> {
    pub fn new(parsed: &'m Parsed) -> Self {
        Self { parsed, numbers: FxHashMap::default(), nodes: Vec::new(), known: Vec::new() }
    }

    /// The number of a type, which may be looked at later.
    pub fn number(&mut self, of: Metadata<'m>) -> TypeId {
        *self.numbers.entry(of).or_insert_with(|| {
            self.nodes.push(of);
            TypeId(self.nodes.len() as u32 - 1)
        })
    }

    /// All types, those included that others consist of.
    pub fn finish(mut self) -> Vec<Type> {
        while let Some(&node) = self.nodes.get(self.known.len()) {
            let known = self.look_at(node);
            self.known.push(known);
        }
        self.known
    }

    fn look_at(&mut self, node: Metadata<'m>) -> Type {
        let kind = match node.kind() {
            MetadataKind::LLVMDIBasicTypeMetadataKind => TypeKind::Number(encoding(node, self.parsed)),
            MetadataKind::LLVMDISubroutineTypeMetadataKind => TypeKind::Function,
            MetadataKind::LLVMDIDerivedTypeMetadataKind => self.derived(node),
            MetadataKind::LLVMDICompositeTypeMetadataKind => self.composite(node),
            _ => TypeKind::Other,
        };
        Type { name: as_written(&node.type_name()).into_owned(), size: node.type_size(), kind }
    }

    fn base(&mut self, node: Metadata<'m>) -> Option<TypeId> {
        node.base_type(self.parsed).map(|base| self.number(base))
    }

    fn derived(&mut self, node: Metadata<'m>) -> TypeKind {
        let of = self.base(node);
        let qualified = |qualifier: &str| TypeKind::Alias { qualifier: qualifier.into(), of };
        match node.tag() {
            tag::POINTER => TypeKind::Pointer { to: of, is_reference: false },
            tag::REFERENCE | tag::RVALUE_REFERENCE => TypeKind::Pointer { to: of, is_reference: true },
            tag::CONST => qualified("const"),
            tag::VOLATILE => qualified("volatile"),
            tag::ATOMIC => qualified("_Atomic"),
            tag::TYPEDEF => qualified(""),
            _ => match of {
                Some(_) => qualified(""),
                None => TypeKind::Other,
            },
        }
    }

    fn composite(&mut self, node: Metadata<'m>) -> TypeKind {
        let parts = node.elements(self.parsed);
        match node.tag() {
            tag::ARRAY => {
                let dimensions = parts
                    .iter()
                    .filter(|part| matches!(part.kind(), MetadataKind::LLVMDISubrangeMetadataKind));
                let counts = dimensions.map(|part| part.count(self.parsed)).collect();
                match self.base(node) {
                    Some(element) => TypeKind::Array { element, counts },
                    None => TypeKind::Other,
                }
            }
            tag::ENUMERATION => {
                TypeKind::Enumeration { values: enumerators(node, self.parsed), of: self.base(node) }
            }
            tag::STRUCTURE => self.record(RecordKeyword::Struct, &parts),
            tag::CLASS => self.record(RecordKeyword::Class, &parts),
            tag::UNION => self.record(RecordKeyword::Union, &parts),
            _ => TypeKind::Other,
        }
    }

    fn record(&mut self, keyword: RecordKeyword, parts: &[Metadata<'m>]) -> TypeKind {
        let mut members = Vec::new();
        for part in parts {
            if !matches!(part.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind) {
                continue;
            }
            let (is_base, flags) = (part.tag() == tag::INHERITANCE, part.type_flags());
            if !is_base && part.tag() != tag::MEMBER || flags & STATIC_MEMBER != 0 {
                continue;
            }
            // Each object says where its virtual base is: the offset here is of the entry in its table.
            if is_base && flags & VIRTUAL != 0 {
                continue;
            }
            let Some(of) = self.base(*part) else { continue };
            members.push(Member {
                name: part.type_name(),
                of,
                offset_bits: part.type_offset_bits(),
                bits: (flags & BIT_FIELD != 0).then(|| part.type_bits()),
                is_base,
            });
        }
        TypeKind::Record { keyword, members }
    }
}

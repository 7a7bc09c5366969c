//! Debug information.

use super::debug_records::debug_records;
use super::{Of, Parsed, owned_message, text};
use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

pub use llvm_sys::debuginfo::LLVMMetadataKind as MetadataKind;

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata<'m>(LLVMMetadataRef, Of<'m>);

impl<'m> Metadata<'m> {
    /// The node, unless the handle is null.
    pub(super) fn new(raw: LLVMMetadataRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw, PhantomData))
    }

    /// The kind of node.
    pub fn kind(self) -> MetadataKind {
        call!(LLVMGetMetadataKind(self.0))
    }

    /// Line of a location.
    pub fn line(self) -> u32 {
        call!(LLVMDILocationGetLine(self.0))
    }

    /// Column of a location.
    pub fn column(self) -> u32 {
        call!(LLVMDILocationGetColumn(self.0))
    }

    /// Scope of a location.
    pub fn scope(self) -> Option<Self> {
        Self::new(call!(LLVMDILocationGetScope(self.0)))
    }

    /// Where a location was inlined to.
    pub fn inlined_at(self) -> Option<Self> {
        Self::new(call!(LLVMDILocationGetInlinedAt(self.0)))
    }

    /// File of a scope.
    pub fn file(self) -> Option<Self> {
        Self::new(call!(LLVMDIScopeGetFile(self.0)))
    }

    /// Directory and name of a file.
    pub fn file_name(self) -> (String, String) {
        let mut length = 0;
        let directory = call!(LLVMDIFileGetDirectory(self.0, &mut length));
        let directory = String::from_utf8_lossy(text(directory, length as usize)).into_owned();
        let name = call!(LLVMDIFileGetFilename(self.0, &mut length));
        (directory, String::from_utf8_lossy(text(name, length as usize)).into_owned())
    }

    /// Line of a subprogram.
    pub fn subprogram_line(self) -> u32 {
        call!(LLVMDISubprogramGetLine(self.0))
    }

    /// The variable of a global variable expression.
    pub fn global_variable(self) -> Option<Self> {
        Self::new(call!(LLVMDIGlobalVariableExpressionGetVariable(self.0)))
    }

    /// The expression of a global variable expression: which part of the variable it is about.
    pub fn global_expression(self) -> Option<Self> {
        Self::new(call!(LLVMDIGlobalVariableExpressionGetExpression(self.0)))
    }

    /// Name of a subprogram, local or global variable.
    pub fn name(self, module: &'m Parsed) -> Option<String> {
        // LLVM's order of operands: DISubprogram and DIGlobalVariable/DILocalVariable keep the name in these.
        let index = match self.kind() {
            MetadataKind::LLVMDISubprogramMetadataKind => 2,
            MetadataKind::LLVMDILocalVariableMetadataKind
            | MetadataKind::LLVMDIGlobalVariableMetadataKind => 1,
            _ => return None,
        };
        string(self.operand(module, index)?)
    }

    /// The subprograms that a location lies in, innermost first: each was inlined into the next.
    pub fn subprograms(self, module: &'m Parsed) -> impl Iterator<Item = Self> {
        let locations = std::iter::successors(Some(self), |location| location.inlined_at());
        locations.filter_map(|location| location.scope()?.subprogram(module))
    }

    /// The subprogram that a scope is part of.
    pub fn subprogram(self, module: &'m Parsed) -> Option<Self> {
        let is_it = |scope: &Self| matches!(scope.kind(), MetadataKind::LLVMDISubprogramMetadataKind);
        std::iter::successors(Some(self), |scope| scope.parent_scope(module)).find(is_it)
    }

    /// The name of a namespace.
    pub fn namespace_name(self, module: &'m Parsed) -> Option<String> {
        let is_namespace = matches!(self.kind(), MetadataKind::LLVMDINamespaceMetadataKind);
        is_namespace.then(|| string(self.operand(module, 2)?)).flatten()
    }

    /// The compiler that made a compile unit, as it calls itself.
    pub fn producer(self, module: &'m Parsed) -> Option<String> {
        let is_unit = matches!(self.kind(), MetadataKind::LLVMDICompileUnitMetadataKind);
        is_unit.then(|| string(self.operand(module, 1)?)).flatten()
    }

    /// The symbol of a subprogram, if it is none that its name is.
    pub fn linkage_name(self, module: &'m Parsed) -> Option<String> {
        let is_subprogram = matches!(self.kind(), MetadataKind::LLVMDISubprogramMetadataKind);
        is_subprogram.then(|| string(self.operand(module, 3)?)).flatten()
    }

    /// The type that a subprogram returns; `None` of one that returns nothing.
    pub fn return_type(self, module: &'m Parsed) -> Option<Self> {
        let is_subroutine =
            |part: &Self| matches!(part.kind(), MetadataKind::LLVMDISubroutineTypeMetadataKind);
        let of = self.nodes(module, 3).find(is_subroutine)?;
        // What is returned comes first, and then the parameters.
        of.parts(module)
            .find(|part| matches!(part.kind(), MetadataKind::LLVMMDTupleMetadataKind))?
            .node(module, 0)
    }

    /// The type of a global variable.
    pub fn variable_type(self, module: &'m Parsed) -> Option<Self> {
        self.node(module, 3)
    }

    /// The class whose static member a global variable is.
    pub fn variable_class(self, module: &'m Parsed) -> Option<Self> {
        let class = self.node(module, 6)?.parent_scope(module)?;
        matches!(class.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind).then_some(class)
    }

    /// The type that a derived type derives from, or that of a member or of an array's elements.
    pub fn base_type(self, module: &'m Parsed) -> Option<Self> {
        self.parts(module).find(|part| {
            matches!(
                part.kind(),
                MetadataKind::LLVMDIBasicTypeMetadataKind
                    | MetadataKind::LLVMDIDerivedTypeMetadataKind
                    | MetadataKind::LLVMDICompositeTypeMetadataKind
                    | MetadataKind::LLVMDISubroutineTypeMetadataKind
            )
        })
    }

    /// The first argument of a template that a class or function is made from, if it is a type.
    pub fn template_type(self, module: &'m Parsed) -> Option<Self> {
        let lists =
            self.parts(module).filter(|part| matches!(part.kind(), MetadataKind::LLVMMDTupleMetadataKind));
        let mut firsts = lists.filter_map(|list| list.nodes(module, 0).next());
        let is_type =
            |node: &Self| matches!(node.kind(), MetadataKind::LLVMDITemplateTypeParameterMetadataKind);
        firsts.find(is_type)?.node(module, 1)
    }

    /// Members of a structure, dimensions of an array.
    pub fn elements(self, module: &'m Parsed) -> Vec<Self> {
        let mut parts = self.parts(module);
        let list = parts.find(|part| matches!(part.kind(), MetadataKind::LLVMMDTupleMetadataKind));
        list.map_or_else(Vec::new, |list| list.nodes(module, 0).collect())
    }

    /// The nodes that a type refers to after its file, scope and name; in which place depends on LLVM's
    /// version.
    fn parts(self, module: &'m Parsed) -> impl Iterator<Item = Self> {
        self.nodes(module, 3)
    }

    fn nodes(self, module: &'m Parsed, from: usize) -> impl Iterator<Item = Self> {
        let operands = self.operands(module).into_iter().skip(from).filter(|operand| !operand.is_null());
        operands.filter_map(|operand| Self::new(call!(LLVMValueAsMetadata(operand))))
    }

    /// How many elements a dimension of an array has, if the source says so with a constant.
    pub fn count(self, module: &'m Parsed) -> Option<u64> {
        let count = self.operand(module, 0)?;
        let is_number = !call!(LLVMIsAConstantInt(count)).is_null();
        // clang writes -1 for a length that it leaves open.
        is_number.then(|| call!(LLVMConstIntGetZExtValue(count))).filter(|count| *count != u64::MAX)
    }

    /// Size of a type, in bytes; 0 if it is that of another one, or not known.
    pub fn type_size(self) -> u64 {
        call!(LLVMDITypeGetSizeInBits(self.0)).div_ceil(8)
    }

    /// Where a member begins, in bytes.
    pub fn type_offset(self) -> u64 {
        call!(LLVMDITypeGetOffsetInBits(self.0)) / 8
    }

    /// Name of a member.
    pub fn type_name(self) -> String {
        let mut length = 0;
        let name = call!(LLVMDITypeGetName(self.0, &mut length));
        match name.is_null() {
            true => String::new(),
            false => String::from_utf8_lossy(text(name, length)).into_owned(),
        }
    }

    /// DWARF's name of this kind of node (`DW_TAG_...`).
    pub fn tag(self) -> u16 {
        call!(LLVMGetDINodeTag(self.0))
    }

    /// Flags of a type.
    pub fn type_flags(self) -> i32 {
        call!(LLVMDITypeGetFlags(self.0))
    }

    /// Size of a type or member, in bits.
    pub fn type_bits(self) -> u64 {
        call!(LLVMDITypeGetSizeInBits(self.0))
    }

    /// Where a member begins, in bits.
    pub fn type_offset_bits(self) -> u64 {
        call!(LLVMDITypeGetOffsetInBits(self.0))
    }

    /// The line of a variable's declaration.
    pub fn variable_line(self) -> u32 {
        call!(LLVMDIVariableGetLine(self.0))
    }

    /// The file of a variable's declaration.
    pub fn variable_file(self) -> Option<Self> {
        Self::new(call!(LLVMDIVariableGetFile(self.0)))
    }

    /// The scope of a variable.
    pub fn variable_scope(self) -> Option<Self> {
        Self::new(call!(LLVMDIVariableGetScope(self.0)))
    }

    /// As LLVM writes it, the only way to see expressions, encodings and enumerators through its C interface.
    pub fn print(self, module: &'m Parsed) -> String {
        owned_message(call!(LLVMPrintValueToString(module.as_value(self.0))))
    }

    /// The scope around a lexical block.
    pub fn parent_scope(self, module: &'m Parsed) -> Option<Self> {
        let operand = self.operand(module, 1)?;
        Self::new(call!(LLVMValueAsMetadata(operand)))
    }

    fn node(self, module: &'m Parsed, index: usize) -> Option<Self> {
        Self::new(call!(LLVMValueAsMetadata(self.operand(module, index)?)))
    }

    fn operands(self, module: &'m Parsed) -> Vec<LLVMValueRef> {
        let value = module.as_value(self.0);
        let mut operands = vec![std::ptr::null_mut(); call!(LLVMGetMDNodeNumOperands(value)) as usize];
        call!(LLVMGetMDNodeOperands(value, operands.as_mut_ptr()));
        operands
    }

    fn operand(self, module: &'m Parsed, index: usize) -> Option<LLVMValueRef> {
        let operands = self.operands(module);
        operands.get(index).copied().filter(|operand| !operand.is_null())
    }
}

/// A debug record: where a variable is from here on.
pub(super) struct RawRecord {
    /// Whether it is at the value, which is an address, all the time.
    pub declares: bool,
    /// Where the record assigns a value to memory, the record: what it says of the memory it is printed for.
    pub assigns: Option<LLVMDbgRecordRef>,
    pub value: LLVMValueRef,
    pub variable: LLVMMetadataRef,
    pub expression: LLVMMetadataRef,
    pub location: LLVMMetadataRef,
}

/// The records of variables before `instruction`.
pub(super) fn variable_records(instruction: LLVMValueRef) -> impl Iterator<Item = RawRecord> {
    let of_variables =
        debug_records(instruction).filter(|(_, kind)| !matches!(kind, LLVMDbgRecordKind::LLVMDbgRecordLabel));
    of_variables.map(|(record, kind)| RawRecord {
        declares: matches!(kind, LLVMDbgRecordKind::LLVMDbgRecordDeclare),
        assigns: matches!(kind, LLVMDbgRecordKind::LLVMDbgRecordAssign).then_some(record),
        value: call!(LLVMDbgVariableRecordGetValue(record, 0)),
        variable: call!(LLVMDbgVariableRecordGetVariable(record)),
        expression: call!(LLVMDbgVariableRecordGetExpression(record)),
        location: call!(LLVMDbgRecordGetDebugLoc(record)),
    })
}

/// A record as LLVM writes it.
pub(super) fn print_record(record: LLVMDbgRecordRef) -> String {
    owned_message(call!(LLVMPrintDbgRecordToString(record)))
}

/// The content of a debug record: this stack slot holds that variable, which is declared there.
pub(super) struct RawDeclaration {
    pub slot: LLVMValueRef,
    pub variable: LLVMMetadataRef,
    pub location: LLVMMetadataRef,
}

/// The variables that stack slots hold, by debug records before `instruction`. At -O0 the records declare
/// them; with optimisation they say that the variable is at the slot's address.
pub(super) fn declared_variables(instruction: LLVMValueRef) -> impl Iterator<Item = RawDeclaration> {
    let declaring = debug_records(instruction).filter(|(record, kind)| match kind {
        LLVMDbgRecordKind::LLVMDbgRecordDeclare => true,
        LLVMDbgRecordKind::LLVMDbgRecordValue => leads_to_variable(*record),
        _ => false,
    });
    declaring.filter_map(|(record, _)| {
        let slot = call!(LLVMDbgVariableRecordGetValue(record, 0));
        (!slot.is_null()).then(|| RawDeclaration {
            slot,
            variable: call!(LLVMDbgVariableRecordGetVariable(record)),
            location: call!(LLVMDbgRecordGetDebugLoc(record)),
        })
    })
}

/// Whether a record about a value says that the variable is in the stack slot that the value
/// is the address of.
fn leads_to_variable(record: LLVMDbgRecordRef) -> bool {
    let value = call!(LLVMDbgVariableRecordGetValue(record, 0));
    if value.is_null() || call!(LLVMIsAAllocaInst(value)).is_null() {
        return false;
    }
    let context = call!(LLVMGetTypeContext(LLVMTypeOf(value)));
    let expression = call!(LLVMMetadataAsValue(context, LLVMDbgVariableRecordGetExpression(record)));
    owned_message(call!(LLVMPrintValueToString(expression))).ends_with("!DIExpression(DW_OP_deref)")
}

/// The string, if this is metadata that is one.
pub(super) fn string(value: LLVMValueRef) -> Option<String> {
    if call!(LLVMIsAMDString(value)).is_null() {
        return None;
    }
    let mut length = 0;
    let start = call!(LLVMGetMDString(value, &mut length));
    Some(String::from_utf8_lossy(text(start, length as usize)).into_owned())
}

//! Values: constants, functions, instructions.

use super::metadata::{
    RawDeclaration, RawRecord, declared_variables, print_record, string, variable_records,
};
use super::{DataLayout, Metadata, Of, Type, owned_message, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMPreferredAlignmentOfGlobal;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMRealPredicate, LLVMTailCallKind,
};
use std::ffi::CStr;
use std::marker::PhantomData;

pub use llvm_sys::{LLVMLinkage, LLVMOpcode as Opcode, LLVMValueKind as ValueKind};

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value<'m>(LLVMValueRef, Of<'m>);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block<'m>(LLVMBasicBlockRef, Of<'m>);

/// A stack slot, the source variable it holds, and where that is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'m> {
    /// The slot.
    pub slot: Value<'m>,
    /// The variable.
    pub variable: Option<Metadata<'m>>,
    /// A location.
    pub location: Option<Metadata<'m>>,
}

/// Where a variable is from a debug record on.
#[derive(Clone, Copy, Debug)]
pub struct VariableRecord<'m> {
    /// Whether it is at the value, which is an address, all the time.
    pub declares: bool,
    /// The value that its place is computed from.
    pub value: Option<Value<'m>>,
    /// The variable.
    pub variable: Option<Metadata<'m>>,
    /// How.
    pub expression: Option<Metadata<'m>>,
    /// A location.
    pub location: Option<Metadata<'m>>,
    assigns: Option<LLVMDbgRecordRef>,
}

impl VariableRecord<'_> {
    /// Whether it says that a value is assigned to memory.
    pub fn assigns(&self) -> bool {
        self.assigns.is_some()
    }

    /// As LLVM writes it, if it assigns: its C interface reports no such memory otherwise. It looks at the
    /// whole module for that.
    pub fn print_assignment(&self) -> Option<String> {
        self.assigns.map(print_record)
    }
}

impl<'m> DataLayout<'m> {
    /// Alignment in bytes of a global variable that asks for none.
    pub fn global_alignment(self, of: Value<'m>) -> u32 {
        call!(LLVMPreferredAlignmentOfGlobal(self.0, of.0))
    }
}

impl<'m> Value<'m> {
    pub(super) fn new(raw: LLVMValueRef) -> Self {
        Self(raw, PhantomData)
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.0
    }

    fn optional(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Self::new(raw))
    }

    /// The kind of value.
    pub fn kind(self) -> ValueKind {
        call!(LLVMGetValueKind(self.0))
    }

    /// Its type; a pointer for globals and functions.
    pub fn type_of(self) -> Type<'m> {
        Type::new(call!(LLVMTypeOf(self.0)))
    }

    /// Its name, without `@` or `%`; may be empty.
    pub fn name(self) -> String {
        let mut length = 0;
        let start = call!(LLVMGetValueName2(self.0, &mut length));
        String::from_utf8_lossy(text(start, length)).into_owned()
    }

    /// As LLVM writes it.
    pub fn print(self) -> String {
        owned_message(call!(LLVMPrintValueToString(self.0)))
    }

    /// Count of operands.
    pub fn operand_count(self) -> u32 {
        call!(LLVMGetNumOperands(self.0)) as u32
    }

    /// Operand `index`.
    pub fn operand(self, index: u32) -> Value<'m> {
        Value::new(call!(LLVMGetOperand(self.0, index)))
    }

    /// The one user, if exactly one use exists.
    pub fn only_user(self) -> Option<Value<'m>> {
        let first = call!(LLVMGetFirstUse(self.0));
        if first.is_null() || !call!(LLVMGetNextUse(first)).is_null() {
            return None;
        }
        Some(Value::new(call!(LLVMGetUser(first))))
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        !call!(LLVMGetFirstUse(self.0)).is_null()
    }

    /// Its users, one a use.
    pub fn users(self) -> Vec<Value<'m>> {
        let mut found = Vec::new();
        let mut at = call!(LLVMGetFirstUse(self.0));
        while !at.is_null() {
            found.push(Value::new(call!(LLVMGetUser(at))));
            at = call!(LLVMGetNextUse(at));
        }
        found
    }

    /// Whether an address, or one computed from it, is stored or returned. Passing it to a
    /// function does not count.
    pub fn escapes(self) -> bool {
        let (mut seen, mut open) = (vec![self], vec![self]);
        while let Some(address) = open.pop() {
            for user in address.users() {
                match user.opcode() {
                    Opcode::LLVMStore if user.operand(0) == address => return true,
                    Opcode::LLVMRet | Opcode::LLVMInsertValue | Opcode::LLVMInsertElement => return true,
                    Opcode::LLVMGetElementPtr
                    | Opcode::LLVMPHI
                    | Opcode::LLVMSelect
                    | Opcode::LLVMPtrToInt
                        if !seen.contains(&user) =>
                    {
                        seen.push(user);
                        open.push(user);
                    }
                    _ => {}
                }
            }
        }
        false
    }

    // Constants.

    /// Low 64 bits of an integer constant.
    pub fn low_bits(self) -> u64 {
        call!(LLVMConstIntGetZExtValue(self.0))
    }

    /// Whether it is undefined or poison.
    pub fn is_undefined(self) -> bool {
        call!(LLVMIsUndef(self.0)) != 0
    }

    /// Element `index` of a constant aggregate or vector.
    pub fn element(self, index: u32) -> Option<Value<'m>> {
        Self::optional(call!(LLVMGetAggregateElement(self.0, index)))
    }

    /// The bytes of a constant data array or vector, little-endian.
    pub fn raw_data(self) -> &'m [u8] {
        let mut length: usize = 0;
        // The binding declares the out-pointer as a plain number.
        let start = call!(LLVMGetRawDataValues(self.0, &raw mut length as usize));
        text(start, length)
    }

    /// A floating-point constant's bits, as an integer constant of type `to`.
    pub fn reinterpret(self, to: Type<'m>) -> Value<'m> {
        Value::new(call!(LLVMConstBitCast(self.0, to.0)))
    }

    /// Operation of a constant expression.
    pub fn constant_opcode(self) -> Opcode {
        call!(LLVMGetConstOpcode(self.0))
    }

    /// Element type that a `getelementptr` steps over.
    pub fn stepped_type(self) -> Type<'m> {
        Type::new(call!(LLVMGetGEPSourceElementType(self.0)))
    }

    // Globals and functions.

    /// Linkage of a global.
    pub fn linkage(self) -> LLVMLinkage {
        call!(LLVMGetLinkage(self.0))
    }

    /// Whether a global has no definition here.
    pub fn is_declaration(self) -> bool {
        call!(LLVMIsDeclaration(self.0)) != 0
    }

    /// Type of a global's contents, or of a function.
    pub fn value_type(self) -> Type<'m> {
        Type::new(call!(LLVMGlobalGetValueType(self.0)))
    }

    /// Initialiser of a global variable.
    pub fn initializer(self) -> Option<Value<'m>> {
        Self::optional(call!(LLVMGetInitializer(self.0)))
    }

    /// Whether a global variable must not be written.
    pub fn is_constant_global(self) -> bool {
        call!(LLVMIsGlobalConstant(self.0)) != 0
    }

    /// Whether a global variable is thread-local.
    pub fn is_thread_local(self) -> bool {
        self.kind() == ValueKind::LLVMGlobalVariableValueKind && call!(LLVMIsThreadLocal(self.0)) != 0
    }

    /// Alignment in bytes of a global, alloca or memory access; 0 if none is given.
    pub fn alignment(self) -> u32 {
        call!(LLVMGetAlignment(self.0))
    }

    /// Section of a global; may be empty.
    pub fn section(self) -> String {
        let start = call!(LLVMGetSection(self.0));
        if start.is_null() {
            return String::new();
        }
        call!(CStr::from_ptr(start)).to_string_lossy().into_owned()
    }

    /// The target of an alias.
    pub fn aliasee(self) -> Value<'m> {
        Value::new(call!(LLVMAliasGetAliasee(self.0)))
    }

    /// Whether a function is an intrinsic.
    pub fn is_intrinsic(self) -> bool {
        self.kind() == ValueKind::LLVMFunctionValueKind && call!(LLVMGetIntrinsicID(self.0)) != 0
    }

    /// Debug information of a function.
    pub fn subprogram(self) -> Option<Metadata<'m>> {
        Metadata::new(call!(llvm_sys::debuginfo::LLVMGetSubprogram(self.0)))
    }

    /// Debug information of a global variable.
    pub fn global_debug(self) -> Option<Metadata<'m>> {
        let mut count = 0;
        let entries = call!(LLVMGlobalCopyAllMetadata(self.0, &mut count));
        // Kind 0 is `!dbg` in every context.
        let found = (0..count as u32)
            .find(|&index| call!(LLVMValueMetadataEntriesGetKind(entries, index)) == 0)
            .and_then(|index| Metadata::new(call!(LLVMValueMetadataEntriesGetMetadata(entries, index))));
        call!(LLVMDisposeValueMetadataEntries(entries));
        found
    }

    /// Parameters of a function.
    pub fn parameters(self) -> Vec<Value<'m>> {
        (0..call!(LLVMCountParams(self.0)))
            .map(|index| Value::new(call!(LLVMGetParam(self.0, index))))
            .collect()
    }

    /// Blocks of a function.
    pub fn blocks(self) -> Vec<Block<'m>> {
        let mut blocks = vec![std::ptr::null_mut(); call!(LLVMCountBasicBlocks(self.0)) as usize];
        call!(LLVMGetBasicBlocks(self.0, blocks.as_mut_ptr()));
        blocks.into_iter().map(|block| Block(block, PhantomData)).collect()
    }

    // Instructions.

    /// Operation of an instruction.
    pub fn opcode(self) -> Opcode {
        call!(LLVMGetInstructionOpcode(self.0))
    }

    /// Debug location.
    pub fn location(self) -> Option<Metadata<'m>> {
        Metadata::new(call!(llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(self.0)))
    }

    /// The declarations of stack slots in debug records before this instruction.
    pub fn declared_variables(self) -> Vec<Declaration<'m>> {
        let declaration = |raw: RawDeclaration| Declaration {
            slot: Value::new(raw.slot),
            variable: Metadata::new(raw.variable),
            location: Metadata::new(raw.location),
        };
        declared_variables(self.0).map(declaration).collect()
    }

    /// The debug records of variables before this instruction.
    pub fn variable_records(self) -> Vec<VariableRecord<'m>> {
        let record = |raw: RawRecord| VariableRecord {
            declares: raw.declares,
            value: (!raw.value.is_null()).then(|| Value::new(raw.value)),
            variable: Metadata::new(raw.variable),
            expression: Metadata::new(raw.expression),
            location: Metadata::new(raw.location),
            assigns: raw.assigns,
        };
        variable_records(self.0).map(record).collect()
    }

    /// `nuw`, of arithmetic that can have it.
    pub fn no_unsigned_wrap(self) -> bool {
        call!(LLVMGetNUW(self.0)) != 0
    }

    /// `nsw`, of arithmetic that can have it.
    pub fn no_signed_wrap(self) -> bool {
        call!(LLVMGetNSW(self.0)) != 0
    }

    /// `exact`, of division and right shifts.
    pub fn is_exact(self) -> bool {
        call!(LLVMGetExact(self.0)) != 0
    }

    /// Predicate of `icmp`.
    pub fn integer_predicate(self) -> LLVMIntPredicate {
        call!(LLVMGetICmpPredicate(self.0))
    }

    /// Predicate of `fcmp`.
    pub fn float_predicate(self) -> LLVMRealPredicate {
        call!(LLVMGetFCmpPredicate(self.0))
    }

    /// `volatile`, of a memory access.
    pub fn is_volatile(self) -> bool {
        call!(LLVMGetVolatile(self.0)) != 0
    }

    /// Ordering of a load, store, `atomicrmw` or fence.
    pub fn ordering(self) -> LLVMAtomicOrdering {
        call!(LLVMGetOrdering(self.0))
    }

    /// Orderings of `cmpxchg` on success and on failure.
    pub fn exchange_orderings(self) -> (LLVMAtomicOrdering, LLVMAtomicOrdering) {
        (call!(LLVMGetCmpXchgSuccessOrdering(self.0)), call!(LLVMGetCmpXchgFailureOrdering(self.0)))
    }

    /// Whether an atomic access or fence is for signal handlers of its own thread only.
    pub fn is_single_thread(self) -> bool {
        call!(LLVMIsAtomicSingleThread(self.0)) != 0
    }

    /// Operation of `atomicrmw`.
    pub fn rmw_operation(self) -> LLVMAtomicRMWBinOp {
        call!(LLVMGetAtomicRMWBinOp(self.0))
    }

    /// Type of what an `alloca` allocates.
    pub fn allocated_type(self) -> Type<'m> {
        Type::new(call!(LLVMGetAllocatedType(self.0)))
    }

    /// Constant indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> &'m [u32] {
        let count = call!(LLVMGetNumIndices(self.0)) as usize;
        let start = call!(LLVMGetIndices(self.0));
        call!(std::slice::from_raw_parts(start, count))
    }

    /// Lanes that `shufflevector` picks; -1 for undefined ones.
    pub fn mask(self) -> Vec<i32> {
        (0..call!(LLVMGetNumMaskElements(self.0))).map(|lane| call!(LLVMGetMaskValue(self.0, lane))).collect()
    }

    /// Whether it is a phi.
    pub fn is_phi(self) -> bool {
        !call!(LLVMIsAPHINode(self.0)).is_null()
    }

    /// Incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        (0..call!(LLVMCountIncoming(self.0)))
            .map(|index| {
                let block = Block(call!(LLVMGetIncomingBlock(self.0, index)), PhantomData);
                (Value::new(call!(LLVMGetIncomingValue(self.0, index))), block)
            })
            .collect()
    }

    /// Successors of a terminator.
    pub fn successors(self) -> Vec<Block<'m>> {
        (0..call!(LLVMGetNumSuccessors(self.0)))
            .map(|index| Block(call!(LLVMGetSuccessor(self.0, index)), PhantomData))
            .collect()
    }

    /// Value of case `index` (from 0) of a `switch`.
    pub fn case_value(self, index: u32) -> Value<'m> {
        // LLVM counts the default destination as case 0.
        Value::new(call!(LLVMGetSwitchCaseValue(self.0, index + 1)))
    }

    // Landing pads.

    /// Whether a landing pad also lands what none of its clauses catches.
    pub fn is_cleanup(self) -> bool {
        call!(LLVMIsCleanup(self.0)) != 0
    }

    /// The clauses of a landing pad: type information to catch, or an array of it to filter by.
    pub fn clauses(self) -> Vec<Value<'m>> {
        (0..call!(LLVMGetNumClauses(self.0)))
            .map(|index| Value::new(call!(LLVMGetClause(self.0, index))))
            .collect()
    }

    // Calls.

    /// The string, if this is metadata that is one.
    pub fn metadata_text(self) -> Option<String> {
        string(self.0)
    }

    /// Function and block that a `blockaddress` names.
    pub fn label(self) -> (Value<'m>, Block<'m>) {
        let block = call!(LLVMGetBlockAddressBasicBlock(self.0));
        (Value::new(call!(LLVMGetBlockAddressFunction(self.0))), Block(block, PhantomData))
    }

    /// The callee of a call.
    pub fn callee(self) -> Value<'m> {
        Value::new(call!(LLVMGetCalledValue(self.0)))
    }

    /// Function type of a call.
    pub fn call_type(self) -> Type<'m> {
        Type::new(call!(LLVMGetCalledFunctionType(self.0)))
    }

    /// The function that returns which function an indirect one denotes.
    pub fn resolver(self) -> Value<'m> {
        Value::new(call!(LLVMGetGlobalIFuncResolver(self.0)))
    }

    /// Whether a call passes on its caller's variable arguments.
    pub fn forwards_variable_arguments(self) -> bool {
        self.opcode() == Opcode::LLVMCall
            && self.call_type().is_variadic()
            && call!(LLVMGetTailCallKind(self.0)) == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// Arguments of a call.
    pub fn arguments(self) -> Vec<Value<'m>> {
        (0..call!(LLVMGetNumArgOperands(self.0))).map(|index| self.operand(index)).collect()
    }

    /// Whether this is a call, an invoke or a `callbr`.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    /// Whether a compiler may not put this function's code in place of its calls.
    pub fn is_never_inlined(self) -> bool {
        self.has_attribute(c"noinline")
    }

    /// Whether every compiler puts this function's code in place of its direct calls.
    pub fn is_always_inlined(self) -> bool {
        self.has_attribute(c"alwaysinline")
    }

    /// Whether this function has an attribute that is no more than a name.
    fn has_attribute(self, name: &CStr) -> bool {
        let kind = call!(LLVMGetEnumAttributeKindForName(name.as_ptr(), name.to_bytes().len()));
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        !call!(LLVMGetEnumAttributeAtIndex(self.0, place, kind)).is_null()
    }

    fn argument_attribute(self, index: u32, name: &CStr) -> Option<LLVMAttributeRef> {
        let kind = call!(LLVMGetEnumAttributeKindForName(name.as_ptr(), name.to_bytes().len()));
        // Attribute index 1 is the first argument.
        let found = call!(LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind));
        (!found.is_null()).then_some(found)
    }

    /// The pointee that argument `index` of a call passes a copy of.
    pub fn by_value(self, index: u32) -> Option<Type<'m>> {
        let attribute = self.argument_attribute(index, c"byval")?;
        Some(Type::new(call!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// The type of what argument `index` of inline assembly points to.
    pub fn element_type(self, index: u32) -> Option<Type<'m>> {
        let attribute = self.argument_attribute(index, c"elementtype")?;
        Some(Type::new(call!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// Alignment in bytes that the call gives its argument `index`.
    pub fn argument_alignment(self, index: u32) -> Option<u64> {
        let attribute = self.argument_attribute(index, c"align")?;
        Some(call!(LLVMGetEnumAttributeValue(attribute)))
    }

    /// Whether inline assembly is written in Intel's syntax.
    pub fn is_intel_assembly(self) -> bool {
        call!(LLVMGetInlineAsmDialect(self.0)) == llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel
    }

    /// Text and constraints of inline assembly.
    pub fn assembly(self) -> (String, String) {
        let mut length = 0;
        let start = call!(LLVMGetInlineAsmAsmString(self.0, &mut length));
        let body = String::from_utf8_lossy(text(start, length)).into_owned();
        let start = call!(LLVMGetInlineAsmConstraintString(self.0, &mut length));
        (body, String::from_utf8_lossy(text(start, length)).into_owned())
    }
}

impl<'m> Block<'m> {
    /// Its last instruction, which says where to go on.
    pub fn terminator(self) -> Option<Value<'m>> {
        let terminator = call!(LLVMGetBasicBlockTerminator(self.0));
        (!terminator.is_null()).then(|| Value::new(terminator))
    }

    /// Its instructions in order; the last is the terminator.
    pub fn instructions(self) -> Vec<Value<'m>> {
        let mut found = Vec::new();
        let mut at = call!(LLVMGetFirstInstruction(self.0));
        while !at.is_null() {
            found.push(Value::new(at));
            at = call!(LLVMGetNextInstruction(at));
        }
        found
    }
}

//! Where a module operates on locks and condition variables of Rust's standard library.

use crate::llvm::{Block, Opcode, Parsed, Value, ValueKind};
use llvm_sys::LLVMAtomicOrdering;
use symx_ir::known_functions::rust_conditions::operates_on_condition;
use symx_ir::known_functions::rust_locks::{
    RustLock, RustLockOperation, WordAccess, inlined_operation, is_of_other_operation,
};
use symx_ir::known_functions::rust_names::{AtomicFunction, atomic_function, is_of_atomics, library_path};

/// The form of an access to a lock's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its result is the word.
    Load,
    /// It has one operand, and the word is its result.
    Update,
    /// It has two operands; the word and whether it was the first of them are its result.
    Exchange,
    /// Likewise; whether the word was another one comes first. A call, without optimisation.
    ExchangeCall,
}

impl Form {
    /// The form of an instruction, if it accesses a word at all.
    fn of(instruction: Value<'_>) -> Option<Self> {
        match instruction.opcode() {
            Opcode::LLVMLoad => {
                let is_atomic = instruction.ordering() != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
                is_atomic.then_some(Self::Load)
            }
            Opcode::LLVMAtomicRMW => Some(Self::Update),
            Opcode::LLVMAtomicCmpXchg => Some(Self::Exchange),
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                atomic_function(&instruction.callee().name()).map(|function| match function {
                    AtomicFunction::Load => Self::Load,
                    AtomicFunction::Update => Self::Update,
                    AtomicFunction::CompareExchange => Self::ExchangeCall,
                })
            }
            _ => None,
        }
    }

    /// Operands besides the address.
    pub fn operands(self) -> u32 {
        match self {
            Self::Load => 0,
            Self::Update => 1,
            Self::Exchange | Self::ExchangeCall => 2,
        }
    }

    fn access(self) -> WordAccess {
        match self {
            Self::Load => WordAccess::Load,
            _ => WordAccess::Update,
        }
    }
}

/// An access to the word of a lock.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The operation that it is a part of.
    pub operation: RustLockOperation,
    /// Its form.
    pub form: Form,
    /// symx's function in place of it.
    pub function: &'static str,
}

/// The kinds of locks of which a module has operations, all known as such.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KnownLocks {
    exclusive: bool,
    read_write: bool,
}

impl KnownLocks {
    /// Those of a module.
    pub fn of(parsed: &Parsed) -> Self {
        let are_known = |lock| are_known(lock, parsed);
        Self { exclusive: are_known(RustLock::Exclusive), read_write: are_known(RustLock::ReadWrite) }
    }

    fn contain(self, lock: RustLock) -> bool {
        match lock {
            RustLock::Exclusive => self.exclusive,
            RustLock::ReadWrite => self.read_write,
        }
    }

    /// The access to a lock's word that an instruction is.
    pub fn access<'m>(self, instruction: Value<'m>, parsed: &'m Parsed) -> Option<Access> {
        if self == Self::default() {
            return None;
        }
        access(instruction, parsed).filter(|access| self.contain(access.operation.lock()))
    }
}

/// The operation that an instruction was inlined from, as debug information says.
fn operation_at<'m>(instruction: Value<'m>, parsed: &'m Parsed) -> Option<RustLockOperation> {
    let functions = instruction.location()?.subprograms(parsed);
    let symbols: Vec<String> = functions.filter_map(|function| function.linkage_name(parsed)).collect();
    inlined_operation(symbols.iter().map(String::as_str))
}

fn access<'m>(instruction: Value<'m>, parsed: &'m Parsed) -> Option<Access> {
    let form = Form::of(instruction)?;
    let operation = operation_at(instruction, parsed)?;
    Some(Access { operation, form, function: operation.function(form.access())? })
}

/// Whether an instruction has the form of an update of a lock's word. One of an exclusive lock expects or
/// writes a lock that is free.
fn may_be_update(lock: RustLock, instruction: Value<'_>) -> bool {
    let is_update = matches!(instruction.opcode(), Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg);
    let is_free =
        |word: Value<'_>| word.kind() == ValueKind::LLVMConstantIntValueKind && word.low_bits() == 0;
    is_update && (lock == RustLock::ReadWrite || is_free(instruction.operand(1)))
}

/// Whether an atomic access lies where `core` has it, and in no operation on locks that symx does not know.
/// One that the optimiser made of several lies in the function that has these. They may have been operations
/// of different kinds: to lock, and to try.
fn is_in_its_place(access: Value<'_>, parsed: &Parsed) -> bool {
    let Some(location) = access.location() else { return false };
    let functions = || location.subprograms(parsed).map(|function| function.linkage_name(parsed));
    functions().next().flatten().is_some_and(|symbol| is_of_atomics(&symbol))
        && !functions().flatten().any(|symbol| is_of_other_operation(&symbol))
}

/// Whether the module operates on such locks, and debug information knows of each operation. Of each one's
/// second part, which is a call, it says what that belongs to, and so it does of an access to the same word.
/// Where all calls have one word, the optimiser may have left it out. An access that is out of place may
/// belong to any.
fn are_known(lock: RustLock, parsed: &Parsed) -> bool {
    let is_second_part = |function: &Value<'_>| {
        library_path(&function.name()).is_some_and(|path| lock.second_parts().contains(&path.as_str()))
    };
    let instructions = || {
        parsed.functions().into_iter().flat_map(|function| function.blocks()).flat_map(Block::instructions)
    };
    let is_known = |user: Value<'_>| {
        let of = user.is_call().then(|| operation_at(user, parsed)).flatten();
        let is_of = |of, other| access(other, parsed).is_some_and(|access| access.operation == of);
        of.is_some_and(|of| match user.arguments().first() {
            Some(word) => word.users().into_iter().any(|other| is_of(of, other)),
            None => instructions().any(|other| is_of(of, other)),
        })
    };
    let second_parts: Vec<Value<'_>> = parsed.functions().into_iter().filter(is_second_part).collect();
    !second_parts.is_empty()
        && second_parts.into_iter().all(|function| function.users().into_iter().all(is_known))
        && instructions()
            .filter(|access| may_be_update(lock, *access))
            .all(|access| is_in_its_place(access, parsed))
}

/// Whether parts of functions of condition variables were inlined into others: a model of these functions
/// would know half of what happens. Each one has an atomic update: of the counter, or of the lock.
pub fn has_inlined_conditions(parsed: &Parsed) -> bool {
    let operates = |function: Value<'_>| operates_on_condition(&function.name());
    let comes_from_one = |update: Value<'_>| {
        let symbols = update.location().into_iter().flat_map(|location| location.subprograms(parsed));
        symbols
            .filter_map(|function| function.linkage_name(parsed))
            .any(|symbol| operates_on_condition(&symbol))
    };
    let is_update = |instruction: &Value<'_>| {
        matches!(instruction.opcode(), Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg)
    };
    let functions = parsed.functions();
    functions.iter().copied().any(operates)
        && functions.into_iter().filter(|function| !operates(*function)).any(|function| {
            function.blocks().into_iter().flat_map(Block::instructions).filter(is_update).any(comes_from_one)
        })
}

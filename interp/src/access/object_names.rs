//! Names for people of the places that an execution touches.
//!
//! Objects of one place in the source are kept apart: by the thread that made them, and by their number among
//! those it made there. Both are the same in every execution in which the thread has done the same so far.

use crate::access::concretise::value_under;
use crate::access::input_words::words;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Object, SiteKind};
use crate::state::State;
use crate::stop::position::location;
use crate::threads::thread::Activation;
use crate::value::{Byte, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use symx_expr::{IndeterminateTerms, Term};
use symx_ir::debug_info::Encoding;
use symx_ir::program::Code;
use symx_ir::{SourceName, SourceType, short_file};
use symx_trace::input::number_for_people;
use symx_trace::{InputType, ThreadId};

/// Names of places.
#[derive(Default)]
pub struct Names {
    /// By address of an object on the heap, how many its thread had allocated before at the same place. Later
    /// ones have higher addresses.
    before: RefCell<FxHashMap<u64, u32>>,
}

impl Names {
    /// The name of an address: the variable, or where the object was allocated, and the place within it.
    pub fn name<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        address: u64,
        length: u64,
    ) -> SourceName {
        let Some(object) = state.memory.near(address) else {
            return SourceName::description(format!("{address:#x}"));
        };
        let offset = address.wrapping_sub(object.base);
        if let Some(pointed_to) = executor.pointed_to(object, offset, length) {
            return pointed_to.and(&self.origin(executor, state, object));
        }
        if let Some(place) = executor.place_in(object, offset, length)
            && let Some(variable) = self.variable(executor, state, object, &place)
        {
            return variable;
        }
        let whole = self.object(executor, state, object);
        if executor.element(object).is_some() {
            return whole.and(&executor.place_in_element(object, offset, length).unwrap_or_default());
        }
        // Pointers to virtual functions have no names.
        if executor.is_vtable(object) {
            return whole;
        }
        if offset == 0 && (length == 0 || length >= object.size) {
            return whole;
        }
        whole.and(&format!("+{offset}"))
    }

    /// Distinguishes an object on the heap from others to which a variable of the same name points. Gives its
    /// allocation site, its thread, and its number there, as far as needed.
    fn origin<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        object: &Object,
    ) -> String {
        let program = &executor.machine.program;
        let known = executor.first_variable(object.allocation());
        let is_unique = executor.is_given(object)
            || known.is_some_and(|(variable, _)| program.object_types.is_unique(variable));
        let place = (!is_unique).then(|| {
            let made = location(program, object.origin.span);
            let file = short_file(&made.file);
            format!("{file}:{}", made.line)
        });
        let owner = object.origin.thread;
        let thread = (owner != ThreadId::MAIN).then(|| {
            let name = state.threads.get(owner.index()).map_or("?".into(), |thread| thread.name.label());
            format!("by {name}")
        });
        let parts: Vec<String> = place.into_iter().chain(thread).collect();
        let origin = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" ")) };
        match self.made_before(executor, state, object) {
            0 => origin,
            before => format!("{origin}#{}", before + 1),
        }
    }

    /// The name of a place in a variable.
    fn variable<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        object: &Object,
        place: &str,
    ) -> Option<SourceName> {
        let variable = executor.variable(object, place)?;
        let function = executor.function_of_variable(object);
        let of = function.map_or_else(String::new, |function| format!(" of {function}"));
        let which = executor.distinction(object.site, object.origin.span);
        Some(variable.and(&(of + &which + &self.owner(state, object))))
    }

    /// The thread whose variable it is, unless that is clear, and which of the calls of its function there
    /// that have not returned.
    fn owner<E: Environment>(&self, state: &State<E>, object: &Object) -> String {
        let owner = object.origin.thread;
        let activation = match outer_calls(state, object) {
            0 => String::new(),
            outer => format!("#{}", outer + 1),
        };
        let is_own = match object.site.kind() {
            SiteKind::Stack(..) => owner != ThreadId::MAIN,
            SiteKind::ThreadLocal(_) => true,
            _ => false,
        };
        let name = state.threads.get(owner.index()).map_or("?".into(), |thread| thread.name.label());
        if is_own { format!(" ({name}){activation}") } else { activation }
    }

    fn object<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        object: &Object,
    ) -> SourceName {
        let plain = || executor.object_name(object).replace('`', "");
        let owner = object.origin.thread;
        let thread = || state.threads.get(owner.index()).map_or("?".into(), |thread| thread.name.label());
        match object.site.kind() {
            SiteKind::Heap(..) => {
                let made = location(&executor.machine.program, object.origin.span);
                let file = short_file(&made.file);
                let number = match self.made_before(executor, state, object) {
                    0 => String::new(),
                    before => format!("#{}", before + 1),
                };
                let of = executor.element(object).map(|(of, _)| SourceName::expression(of));
                let kind = of.unwrap_or_else(|| SourceName::description("heap"));
                match (made.line, owner) {
                    (0, _) => SourceName::description(plain() + &number),
                    (line, ThreadId::MAIN) => kind.and(&format!("({file}:{line}){number}")),
                    (line, _) => kind.and(&format!("({file}:{line} by {}){number}", thread())),
                }
            }
            _ => {
                let variable = self.variable(executor, state, object, "");
                variable.unwrap_or_else(|| SourceName::description(plain() + &self.owner(state, object)))
            }
        }
    }

    fn made_before<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        object: &Object,
    ) -> u32 {
        // A line may allocate in several places.
        let place = |object: &Object| {
            let span = executor.machine.program.span(object.origin.span);
            (matches!(object.site.kind(), SiteKind::Heap(..)), object.origin.thread, span.file, span.line)
        };
        *self.before.borrow_mut().entry(object.base).or_insert_with(|| {
            let (of, known_as) = (place(object), executor.known_as(object));
            let mut before = 0;
            state.memory.for_each(|other| {
                let is_before = other.base < object.base && place(other) == of;
                before += u32::from(is_before && executor.known_as(other) == known_as);
            });
            before
        })
    }

    /// The bytes at an address as people write them: numbers by their declared type, addresses by what is
    /// there, large numbers of no known type in hexadecimal.
    pub fn shown<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        address: u64,
        bytes: &[Byte],
    ) -> String {
        let (terms, length) = (&executor.machine.terms, bytes.len() as u64);
        if bytes.is_empty() || bytes.len() > 8 {
            return String::new();
        }
        let bits = match Byte::join(terms, bytes.iter().copied()) {
            Value::Symbolic(term) if IndeterminateTerms::new().occur_in(terms, term) => {
                return "undefined".into();
            }
            Value::Symbolic(term) => return self.of_inputs(executor, state, (address, length), term),
            Value::Concrete(bits) => bits,
        };
        self.number_shown(executor, state, (address, length), bits)
    }

    /// A value that depends on inputs: with the inputs that are given, and how it does, `8 (n + 1)`.
    fn of_inputs<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        place: (u64, u64),
        term: Term,
    ) -> String {
        let terms = &executor.machine.terms;
        let given = executor.machine.options.assignment.as_deref();
        let value = given.map(|inputs| value_under(terms, term, inputs));
        let value = value.map(|bits| self.number_shown(executor, state, place, bits));
        match (value, words(terms, &state.inputs, term)) {
            (Some(value), Some(words)) => format!("{value} ({words})"),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => "a value of the inputs".into(),
        }
    }

    /// At most eight bytes from an address on, as their declared type writes them.
    fn number_shown<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        (address, length): (u64, u64),
        bits: u64,
    ) -> String {
        let object = state.memory.near(address);
        let declared =
            object.and_then(|object| executor.number_in(object, address.wrapping_sub(object.base), length));
        let is_float = matches!(declared, Some(SourceType::Plain { encoding: Encoding::Float, .. }));
        if length == 8 && !is_float && state.memory.near(bits).is_some() {
            return format!("&{}", self.name(executor, state, bits, 0));
        }
        match declared {
            Some(SourceType::Plain { encoding: Encoding::Address, .. }) => {
                let program = &executor.machine.program;
                match program.code_at(bits) {
                    _ if bits == 0 => "null".into(),
                    Some(Code::Function(id)) => format!("&{}", program.function(id).source_name),
                    _ => untyped(bits, length),
                }
            }
            _ => {
                let number = declared.and_then(|declared| declared_number(declared, bits, length));
                number.unwrap_or_else(|| untyped(bits, length))
            }
        }
    }

    /// The value of at most eight bytes at an address as its declared type writes it, if that is a number's.
    pub(crate) fn number<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        (start, end): (u64, u64),
        bits: u64,
    ) -> Option<String> {
        let length = end.checked_sub(start).filter(|length| (1..=8).contains(length))?;
        let object = state.memory.near(start)?;
        let declared = executor.number_in(object, start.wrapping_sub(object.base), length)?;
        declared_number(declared, bits, length)
    }

    /// A thread's stores under way, oldest first.
    pub fn buffered<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        thread: ThreadId,
    ) -> Vec<String> {
        let stores = state.thread(thread).buffer.stores();
        stores
            .map(|store| {
                let what = self.name(executor, state, store.address, store.bytes.len() as u64);
                format!("{what} = {}", self.shown(executor, state, store.address, &store.bytes))
            })
            .collect()
    }
}

/// How many calls of the function whose variable an object is called it, one another. Where they have
/// returned they are not known.
fn outer_calls<E: Environment>(state: &State<E>, object: &Object) -> usize {
    let SiteKind::Stack(function, _) = object.site.kind() else { return 0 };
    let Some(thread) = state.threads.get(object.origin.thread.index()) else { return 0 };
    let calls = thread.stack.iter().filter_map(|activation| match activation {
        Activation::Program(frame) if frame.function.0 == function => Some(frame),
        _ => None,
    });
    calls.into_iter().position(|frame| frame.allocas.contains(&object.cell())).unwrap_or(0)
}

/// A number as its type writes it; `None` if the type is none of numbers.
fn declared_number(declared: &SourceType, bits: u64, length: u64) -> Option<String> {
    match declared {
        SourceType::Enumeration { encoding, enumerators, .. } => {
            let number = InputType { encoding: *encoding, size: length };
            let is_meant = |value: &i64| (*value as u64 ^ bits) << (64 - 8 * length) == 0;
            let name = enumerators.iter().find(|(_, value)| is_meant(value));
            Some(name.map_or_else(|| number_for_people(bits, number), |(name, _)| name.clone()))
        }
        SourceType::Plain { encoding: Encoding::Address | Encoding::Other, .. } => None,
        SourceType::Plain { encoding, size } => {
            Some(number_for_people(bits, InputType { encoding: *encoding, size: *size }))
        }
        _ => None,
    }
}

/// Small numbers with a sign, others in hexadecimal.
fn untyped(bits: u64, length: u64) -> String {
    let unused = 64 - 8 * length;
    let signed = (bits << unused) as i64 >> unused;
    if length <= 4 || signed.unsigned_abs() < 1 << 20 { signed.to_string() } else { format!("{bits:#x}") }
}

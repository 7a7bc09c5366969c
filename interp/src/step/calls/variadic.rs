//! Variable arguments, laid out as the x86-64 calling convention does, since clang spells `va_arg` out.
//!
//! The object that holds them begins with what the `va_list` says of registers. Then come the registers' save
//! area and the arguments on the stack. Registers with variable arguments are saved at the *end* of their
//! part of the area. So a read past the last argument is past the end of the object, and found.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Origin;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::threads::thread::Activation;
use crate::value::Value;
use symx_ir::address::Cell;
use symx_ir::function::{Argument, ArgumentClass, Passing};
use symx_ir::{CallSite, FunctionId, Operand};

/// Bytes before the save area: the offsets of the first saved registers of either kind, 4 bytes
/// each, and a gap.
const SAVE_AREA: u64 = 16;
/// Ends of the general and of the vector registers in the save area.
const GENERAL_END: u64 = 48;
const VECTOR_END: u64 = 176;
const GENERAL_REGISTERS: u64 = 6;
const VECTOR_REGISTERS: u64 = 8;

/// Words of variable arguments, by where they are passed, with their distances from the first of their kind.
#[derive(Default)]
struct Layout {
    general: Vec<(u64, Value)>,
    vector: Vec<(u64, Value)>,
    stack: Vec<(u64, Value)>,
    /// Arguments that are copied to the stack as a whole: distance, where from, and size.
    copies: Vec<(u64, u64, u64)>,
    /// Registers used by fixed and variable arguments.
    general_used: u64,
    vector_used: u64,
    /// Of these, by variable ones.
    general_saved: u64,
    vector_saved: u64,
    stack_size: u64,
}

impl Layout {
    /// Places an argument passed by value, whose slots' values are `values`.
    fn place(&mut self, argument: &Argument, values: &[Value], is_fixed: bool) {
        let width = lane_bytes(argument);
        let size = (width * values.len() as u64).next_multiple_of(8);
        let at = |start: u64| move |(slot, value): (usize, &Value)| (start + slot as u64 * width, *value);
        let placed = values.iter().enumerate();
        match argument.class {
            ArgumentClass::Integer if self.general_used + values.len() as u64 <= GENERAL_REGISTERS => {
                let count = values.len() as u64;
                self.general_used += count;
                if !is_fixed {
                    self.general.extend(placed.map(at(8 * self.general_saved)));
                    self.general_saved += count;
                }
            }
            ArgumentClass::Vector if self.vector_used < VECTOR_REGISTERS => {
                self.vector_used += 1;
                if !is_fixed {
                    self.vector.extend(placed.map(at(16 * self.vector_saved)));
                    self.vector_saved += 1;
                }
            }
            class if !is_fixed => {
                let align = match class {
                    ArgumentClass::Stack(align) => u64::from(align),
                    _ if size > 8 => 16,
                    _ => 8,
                };
                let start = self.stack_size.next_multiple_of(align);
                self.stack.extend(placed.map(at(start)));
                self.stack_size = start + size;
            }
            _ => {}
        }
    }
}

/// Bytes from one slot of an argument to the next: the elements of a vector lie side by side.
fn lane_bytes(argument: &Argument) -> u64 {
    let is_packed = argument.slots > 1 && argument.bits <= 64 * (argument.slots - 1);
    if is_packed { u64::from(argument.bits / argument.slots / 8) } else { 8 }
}

impl<E: Environment> Executor<'_, E> {
    /// Makes the object that holds the variable arguments of a call; returns its address. The first `fixed`
    /// arguments have parameters. A call through a declaration without parameters does not know how many do.
    pub(in crate::step) fn variable_arguments(
        &mut self,
        state: &mut State<E>,
        site: &CallSite,
        fixed: usize,
        values: &[Value],
        origin: Origin,
    ) -> Result<u64, Stop> {
        let mut layout = Layout::default();
        for (index, (argument, slots)) in site.slots().enumerate() {
            let is_fixed = index < fixed;
            match argument.passing {
                Passing::Value => layout.place(argument, &values[slots], is_fixed),
                Passing::Copy { .. } if is_fixed => {}
                Passing::Copy { size, align_log2 } => {
                    let from = self.concretize(state, values[slots.start])?;
                    let start = layout.stack_size.next_multiple_of(1 << align_log2.max(3));
                    layout.copies.push((start, from, size.into()));
                    layout.stack_size = start + u64::from(size).next_multiple_of(8);
                }
            }
        }
        let caller = match state.thread(origin.thread).stack.last() {
            Some(Activation::Program(frame)) => frame.function,
            _ => FunctionId(0),
        };
        let stack = SAVE_AREA + VECTOR_END;
        let area = self.argument_object(state, caller, stack + layout.stack_size, 5, origin)?;
        let general = GENERAL_END - 8 * layout.general_saved;
        let vector = VECTOR_END - 16 * layout.vector_saved;
        let object = state.memory.get_mut(Cell::of(area).expect("just made")).expect("just made");
        object.write_word(0, 8, general | vector << 32);
        for (base, words) in [
            (SAVE_AREA + general, layout.general),
            (SAVE_AREA + vector, layout.vector),
            (stack, layout.stack),
        ] {
            for (distance, value) in words {
                let offset = base + distance;
                match value {
                    Value::Concrete(word) => object.write_word(offset, 8.min(object.size - offset), word),
                    Value::Symbolic(term) => {
                        let length = u64::from(self.machine.terms.width(term)).div_ceil(8);
                        object.write(&self.machine.terms, offset, length, value);
                    }
                }
            }
        }
        for (distance, from, size) in layout.copies {
            self.copy_memory(state, area + stack + distance, from, size)?;
        }
        Ok(area)
    }

    /// `va_start`.
    pub(in crate::step) fn variadic_start(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        list: Operand,
    ) -> Result<(), Stop> {
        let list = self.number(state, running, list)?;
        let area = running.frame.rare().variadic;
        let (_, object) = self.locate(state, area, 8, Purpose::Read)?;
        let offsets = object.read_word(0, 8);
        self.write_memory(state, list, 8, Value::Concrete(offsets))?;
        let stack = area + SAVE_AREA + VECTOR_END;
        self.write_memory(state, list + 8, 8, Value::Concrete(stack))?;
        self.write_memory(state, list + 16, 8, Value::Concrete(area + SAVE_AREA))
    }
}

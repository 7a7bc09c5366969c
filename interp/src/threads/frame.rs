//! Activations of the program's functions: registers, the objects they own, where they stand.

use crate::value::Value;
use smallvec::SmallVec;
use symx_ir::FunctionId;
use symx_ir::address::Cell;

/// Marks in a word.
const WORD: usize = 64;

/// An activation of a function of the program.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Which function.
    pub function: FunctionId,
    /// The next instruction, or the call in progress.
    pub pc: u32,
    /// Registers, a symbolic one holding its term's number. After them, from the end back, is a bit for each
    /// register that says whether it is symbolic: one allocation holds both.
    pub slots: Vec<u64>,
    /// How many registers are symbolic.
    symbolic: u32,
    /// Cells of its stack objects.
    pub allocas: SmallVec<[Cell; 2]>,
    /// Data that few frames have.
    rare: Option<Box<Rare>>,
}

/// Data that few frames have.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rare {
    /// Address of its variable arguments; 0 if it has none.
    pub variadic: u64,
    /// Back edges taken, with how often, where loops are bounded.
    pub back_edges: Vec<(u32, u32)>,
    /// Steps done of an instruction that takes several visible ones (a copy of shared memory).
    pub progress: u64,
    /// The value that such an instruction has read and not yet written.
    pub held: Option<Value>,
}

/// That of a frame that has none of it.
static NOTHING_RARE: Rare = Rare { variadic: 0, back_edges: Vec::new(), progress: 0, held: None };

/// Words for `registers` registers and their marks.
#[inline]
fn words(registers: u32) -> usize {
    let registers = registers as usize;
    registers + registers.div_ceil(WORD)
}

impl Frame {
    /// A fresh activation of `function` with this many zeroed registers.
    pub fn new(function: FunctionId, registers: u32) -> Self {
        Self {
            function,
            pc: 0,
            slots: vec![0; words(registers)],
            symbolic: 0,
            allocas: SmallVec::new(),
            rare: None,
        }
    }

    /// Makes this, an activation that has ended, a fresh one, as [`new`](Self::new) does.
    pub(crate) fn renew(&mut self, function: FunctionId, registers: u32) {
        self.slots.clear();
        self.slots.resize(words(registers), 0);
        self.symbolic = 0;
        self.allocas.clear();
        self.rare = None;
        self.function = function;
        self.pc = 0;
    }

    /// Whether it has this many registers at least.
    #[inline]
    pub(crate) fn holds(&self, registers: u32) -> bool {
        self.slots.len() >= words(registers)
    }

    /// The registers, whether they are numbers or terms.
    pub fn registers(&self) -> &[u64] {
        let words = self.slots.len();
        &self.slots[..words - words.div_ceil(WORD + 1)]
    }

    /// Whether no register is symbolic.
    #[inline(always)]
    pub fn is_concrete(&self) -> bool {
        self.symbolic == 0
    }

    /// Whether register `slot` is symbolic.
    #[inline]
    pub fn is_symbolic(&self, slot: usize) -> bool {
        self.symbolic > 0 && self.slots[self.marks_of(slot)] >> (slot % WORD) & 1 == 1
    }

    /// Where the marks of a register and its neighbours are.
    #[inline]
    fn marks_of(&self, slot: usize) -> usize {
        self.slots.len() - 1 - slot / WORD
    }

    /// Writes register `slot`.
    #[inline]
    pub fn set(&mut self, slot: u32, value: Value) {
        let slot = slot as usize;
        match value {
            Value::Concrete(bits) => {
                self.slots[slot] = bits;
                if self.is_symbolic(slot) {
                    let marks = self.marks_of(slot);
                    self.slots[marks] &= !(1 << (slot % WORD));
                    self.symbolic -= 1;
                }
            }
            Value::Symbolic(term) => {
                self.slots[slot] = u64::from(term.number());
                if !self.is_symbolic(slot) {
                    let marks = self.marks_of(slot);
                    self.slots[marks] |= 1 << (slot % WORD);
                    self.symbolic += 1;
                }
            }
        }
    }

    /// Whether nothing distinguishes it from another activation. (Those that have what few have are
    /// distinguished from all.)
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.slots == other.slots && self.equals_but_registers(other)
    }

    /// As [`equals`](Self::equals), whatever is in the registers.
    pub(crate) fn equals_but_registers(&self, other: &Self) -> bool {
        (self.function, self.pc, self.symbolic) == (other.function, other.pc, other.symbolic)
            && self.allocas == other.allocas
            && (self.rare.is_none() && other.rare.is_none() || self.rare() == other.rare())
    }

    /// The data that few frames have.
    pub fn rare(&self) -> &Rare {
        self.rare.as_deref().unwrap_or(&NOTHING_RARE)
    }

    /// Leaves the instruction at hand, perhaps between its steps.
    pub(crate) fn leave_instruction(&mut self) {
        if let Some(rare) = &mut self.rare {
            (rare.progress, rare.held) = (0, None);
        }
    }

    /// The data that few frames have, for changing.
    pub fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_expr::Terms;

    #[test]
    fn a_frame_and_its_counts_fit_one_of_the_allocator_s_classes() {
        assert!(size_of::<Frame>() + 16 <= 96);
    }

    #[test]
    fn marks_lie_after_the_registers_whatever_their_number() {
        let symbol = Value::Symbolic(Terms::new().symbol("x", 64));
        for registers in [0, 1, 63, 64, 65, 128, 129, 200] {
            let mut frame = Frame::new(FunctionId(0), registers);
            assert_eq!(frame.registers().len(), registers as usize);
            assert!(frame.holds(registers) && !frame.holds(registers + 1));
            for slot in 0..registers {
                frame.set(slot, symbol);
                frame.set(slot, symbol);
            }
            for slot in 0..registers {
                assert!(frame.is_symbolic(slot as usize) && !frame.is_concrete());
                frame.set(slot, Value::Concrete(u64::MAX));
                assert!(!frame.is_symbolic(slot as usize));
            }
            assert!(frame.is_concrete() && frame.registers().iter().all(|word| *word == u64::MAX));
        }
    }
}

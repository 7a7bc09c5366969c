//! Terms as the constructors simplify them, against the same operations applied one by one: to
//! numbers, and in Z3.
//!
//! The input is a program for a stack machine. Each operation is done three times: by the constructors of the
//! pool (which simplify), on bit vectors under a few assignments, and as SMT-LIB text that nothing
//! simplifies. Values are compared after each operation; for one input in sixteen Z3 is asked whether text
//! and term can differ at all, unless floats take part.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use std::fmt::Write;
use symx_expr::{
    Assignment, BinaryOperator, BitVector, Evaluator, FloatFormat, FloatOperator, Rounding, Term, Terms,
    UnaryOperator, term_to_smtlib,
};

/// Operations in one program.
const LONGEST: usize = 24;
/// Widths of symbols, and the widest value built.
const WIDTHS: [u32; 8] = [1, 3, 8, 16, 32, 64, 65, 128];
const WIDEST: u32 = 256;
/// Beyond these, a query to Z3 tells little for the time it takes.
const MOST_ASKED: usize = 12;
const WIDEST_ASKED: u32 = 32;
const MILLISECONDS: u32 = 200;

/// One value on the stack.
#[derive(Clone)]
struct Built {
    term: Term,
    /// What it is under each assignment, operation by operation.
    values: Vec<BitVector>,
    /// The unsimplified text.
    text: String,
}

struct Program<'a> {
    terms: &'a Terms,
    assignments: &'a [Assignment],
    evaluators: Vec<Evaluator<'a>>,
    stack: Vec<Built>,
    definitions: String,
    operations: usize,
    widest: u32,
    has_floats: bool,
}

impl Program<'_> {
    fn push(&mut self, term: Term, values: Vec<BitVector>, text: String) {
        let width = self.terms.width(term);
        for (evaluator, value) in self.evaluators.iter_mut().zip(&values) {
            assert_eq!(evaluator.value(term), *value, "{text} became {}", self.terms.display(term));
        }
        self.widest = self.widest.max(width);
        let name = format!("step{}", self.operations);
        self.operations += 1;
        let _ = writeln!(self.definitions, "(define-fun {name} () (_ BitVec {width}) {text})");
        self.stack.push(Built { term, values, text: name });
    }

    fn symbol(&mut self, number: usize) {
        let width = WIDTHS[number % WIDTHS.len()];
        let term = self.terms.symbol(&format!("s{number}"), width);
        let values =
            self.assignments.iter().map(|assignment| assignment.get(term).expect("assigned").clone());
        self.push(term, values.collect(), format!("|s{number}:{width}|"));
    }

    fn constant(&mut self, value: &BitVector) {
        let bits = (0..value.width()).rev().map(|bit| if value.bit(bit) { '1' } else { '0' });
        let text = format!("#b{}", bits.collect::<String>());
        self.push(self.terms.bitvector(value), vec![value.clone(); self.assignments.len()], text);
    }

    fn unary(&mut self, operator: UnaryOperator) {
        let Some(a) = self.stack.pop() else { return };
        let values = a.values.iter().map(|value| value.unary(operator)).collect();
        let name = match operator {
            UnaryOperator::Not => "bvnot",
            UnaryOperator::Negate => "bvneg",
        };
        self.push(self.terms.unary(operator, a.term), values, format!("({name} {})", a.text));
    }

    /// The two topmost values, the upper one made as wide as the lower.
    fn pair(&mut self) -> Option<(Built, Built)> {
        if self.stack.len() < 2 {
            return None;
        }
        let width = self.terms.width(self.stack[self.stack.len() - 2].term);
        self.resize(width, false);
        let (b, a) = (self.stack.pop()?, self.stack.pop()?);
        Some((a, b))
    }

    fn binary(&mut self, operator: BinaryOperator) {
        let Some((a, b)) = self.pair() else { return };
        let values = a.values.iter().zip(&b.values).map(|(x, y)| x.binary(operator, y)).collect();
        let text = format!("({} {} {})", smtlib_name(operator), a.text, b.text);
        let text = if operator.is_comparison() { format!("(ite {text} #b1 #b0)") } else { text };
        self.push(self.terms.binary(operator, a.term, b.term), values, text);
    }

    fn choice(&mut self) {
        if self.stack.len() < 3 {
            return;
        }
        let Some((a, b)) = self.pair() else { return };
        self.resize(1, false);
        let Some(condition) = self.stack.pop() else { return };
        let pick =
            |index: usize| if condition.values[index].is_zero() { &b } else { &a }.values[index].clone();
        let values = (0..self.assignments.len()).map(pick).collect();
        let text = format!("(ite (= {} #b1) {} {})", condition.text, a.text, b.text);
        self.push(self.terms.if_then_else(condition.term, a.term, b.term), values, text);
    }

    fn concat(&mut self) {
        let [.., a, b] = &self.stack[..] else { return };
        let (a, b) = (a.clone(), b.clone());
        if self.terms.width(a.term) + self.terms.width(b.term) > WIDEST {
            return;
        }
        self.stack.truncate(self.stack.len() - 2);
        let values = a.values.iter().zip(&b.values).map(|(high, low)| high.concat(low)).collect();
        self.push(self.terms.concat(a.term, b.term), values, format!("(concat {} {})", a.text, b.text));
    }

    fn extract(&mut self, offset: u32, width: u32) {
        let Some(a) = self.stack.pop() else { return };
        let whole = self.terms.width(a.term);
        let offset = offset % whole;
        let width = 1 + width % (whole - offset);
        let values = a.values.iter().map(|value| value.extract(offset, width)).collect();
        let text = format!("((_ extract {} {offset}) {})", offset + width - 1, a.text);
        self.push(self.terms.extract(a.term, offset, width), values, text);
    }

    /// Extends or cuts the topmost value to `width` bits.
    fn resize(&mut self, width: u32, signed: bool) {
        let Some(a) = self.stack.last() else { return };
        let whole = self.terms.width(a.term);
        if width < whole {
            return self.extract(0, width - 1);
        }
        if width == whole {
            return;
        }
        let a = self.stack.pop().expect("just seen");
        let more = width - whole;
        if signed {
            let values = a.values.iter().map(|value| value.sign_extend(width)).collect();
            self.push(
                self.terms.sign_extend(a.term, width),
                values,
                format!("((_ sign_extend {more}) {})", a.text),
            );
        } else {
            let values = a.values.iter().map(|value| value.zero_extend(width)).collect();
            self.push(
                self.terms.zero_extend(a.term, width),
                values,
                format!("((_ zero_extend {more}) {})", a.text),
            );
        }
    }

    /// The operator applied to the topmost values, each made as wide as it wants them.
    fn float(&mut self, operator: FloatOperator) {
        if self.stack.len() < operator.arity() {
            return;
        }
        let mut operands = Vec::new();
        for _ in 0..operator.arity() {
            self.resize(operator.operand_width(), false);
            operands.extend(self.stack.pop());
        }
        let apply = |index: usize| {
            let mut patterns = [0; 3];
            for (pattern, operand) in patterns.iter_mut().zip(&operands) {
                *pattern = word(&operand.values[index]);
            }
            let result = operator.apply(patterns);
            let limbs = [result as u64, (result >> 64) as u64];
            let width = operator.result_width();
            BitVector::from_limbs(width, &limbs[..width.div_ceil(64) as usize])
        };
        let values = (0..self.assignments.len()).map(apply).collect();
        let terms: Vec<Term> = operands.iter().map(|operand| operand.term).collect();
        self.has_floats = true;
        self.push(self.terms.float(operator, &terms), values, format!("{operator:?}"));
    }

    /// Asks Z3 for an input under which the simplified term differs from the text.
    fn ask(&self) {
        let Some(top) = self.stack.last() else { return };
        if self.has_floats || self.operations > MOST_ASKED || self.widest > WIDEST_ASKED {
            return;
        }
        let mut query = String::new();
        for (number, width) in WIDTHS.iter().enumerate() {
            let _ = writeln!(query, "(declare-const |s{number}:{width}| (_ BitVec {width}))");
        }
        query += &self.definitions;
        let _ = writeln!(query, "(assert (distinct {} {}))", top.text, term_to_smtlib(self.terms, top.term));
        let solver = z3::Solver::new();
        let mut parameters = z3::Params::new();
        parameters.set_u32("timeout", MILLISECONDS);
        solver.set_params(&parameters);
        solver.from_string(query.clone());
        assert_ne!(solver.check(), z3::SatResult::Sat, "they differ:\n{query}");
    }
}

fn smtlib_name(operator: BinaryOperator) -> &'static str {
    use BinaryOperator::*;
    match operator {
        Add => "bvadd",
        Subtract => "bvsub",
        Multiply => "bvmul",
        UnsignedDivide => "bvudiv",
        SignedDivide => "bvsdiv",
        UnsignedRemainder => "bvurem",
        SignedRemainder => "bvsrem",
        And => "bvand",
        Or => "bvor",
        Xor => "bvxor",
        ShiftLeft => "bvshl",
        LogicalShiftRight => "bvlshr",
        ArithmeticShiftRight => "bvashr",
        Equal => "=",
        UnsignedLess => "bvult",
        UnsignedLessEqual => "bvule",
        SignedLess => "bvslt",
        SignedLessEqual => "bvsle",
    }
}

/// A pattern of at most 128 bits.
fn word(value: &BitVector) -> u128 {
    value.limbs().iter().rev().fold(0, |word, limb| word << 64 | u128::from(*limb))
}

fn any_float_operator(input: &mut Unstructured<'_>) -> arbitrary::Result<FloatOperator> {
    use FloatOperator::*;
    let format = *input.choose(&FloatFormat::ALL)?;
    let to = *input.choose(&FloatFormat::ALL)?;
    let bits = *input.choose(&[1, 8, 16, 32, 64, 128])?;
    let (signed, saturate) = (input.arbitrary()?, input.arbitrary()?);
    Ok(match input.int_in_range(0..=12)? {
        0 => Add(format),
        1 => Subtract(format),
        2 => Multiply(format),
        3 => Divide(format),
        4 => MultiplyAdd(format),
        5 => SquareRoot(format),
        6 => Round(format, *input.choose(&Rounding::ALL)?),
        7 => Equal(format),
        8 => Less(format),
        9 => LessEqual(format),
        10 => Convert { from: format, to },
        11 => FromInteger { bits, signed, to },
        _ => ToInteger { from: format, bits, signed, saturate },
    })
}

/// Values for the symbols that meet the corners: all zeros, all ones, only the sign bit, two scattered ones,
/// and floats next to one.
fn assignments(terms: &Terms) -> Vec<Assignment> {
    let patterns = [0, u64::MAX, 1, 0x8f3a_55d1_027e_c946, 0x0123_4567_89ab_cdef];
    let assignment = |pattern: &u64| {
        let mut assignment = Assignment::new();
        for (number, &width) in WIDTHS.iter().enumerate() {
            let word = pattern.rotate_left(7 * number as u32);
            let value = match *pattern {
                0 => BitVector::zero(width),
                u64::MAX => BitVector::all_ones(width),
                1 if width > 1 => BitVector::from_u64(1, 1).concat(&BitVector::zero(width - 1)),
                _ => BitVector::from_limbs(width, &[word, !word][..width.div_ceil(64) as usize]),
            };
            assignment.set(terms.symbol(&format!("s{number}"), width), value);
        }
        assignment
    };
    let next_to_one = |offset: u64| {
        let mut assignment = Assignment::new();
        for (number, &width) in WIDTHS.iter().enumerate() {
            let one: u64 = match width {
                16 => 0x3c00,
                32 => 0x3f80_0000,
                _ => 0x3fff_0000_0000_0000,
            };
            let value = if width <= 64 {
                BitVector::from_u64(width, one.wrapping_add(offset))
            } else {
                BitVector::from_limbs(width, &[offset, one])
            };
            assignment.set(terms.symbol(&format!("s{number}"), width), value);
        }
        assignment
    };
    patterns.iter().map(assignment).chain([0, u64::MAX].map(next_to_one)).collect()
}

fn run(program: &mut Program<'_>, input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    while program.operations < LONGEST && !input.is_empty() {
        match input.int_in_range(0..=11)? {
            0 | 1 => program.symbol(input.choose_index(WIDTHS.len())?),
            2 => {
                let width = *input.choose(&WIDTHS)?;
                // Small numbers, their complements and powers of two are what rules look for.
                let word = u64::from(input.arbitrary::<u8>()?);
                let word = match input.int_in_range(0..=3)? {
                    0 => word,
                    1 => !word,
                    2 => 1 << (word % 64),
                    _ => (1_u64 << (word % 64)) - 1,
                };
                program.constant(&BitVector::from_u64(width, word));
            }
            3 => program.unary(*input.choose(&[UnaryOperator::Not, UnaryOperator::Negate])?),
            4..=6 => program.binary(*input.choose(&BinaryOperator::ALL)?),
            7 => program.choice(),
            8 => match input.int_in_range(0..=2)? {
                0 => program.concat(),
                1 => program.extract(input.arbitrary::<u8>()?.into(), input.arbitrary::<u8>()?.into()),
                _ => program.resize(*input.choose(&WIDTHS)?, input.arbitrary()?),
            },
            9 | 10 => program.float(any_float_operator(input)?),
            _ => {
                if !program.stack.is_empty() {
                    let again = program.stack[input.choose_index(program.stack.len())?].clone();
                    program.stack.push(again);
                }
            }
        }
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let terms = Terms::new();
    let assignments = assignments(&terms);
    let evaluators = assignments.iter().map(|assignment| Evaluator::new(&terms, assignment)).collect();
    let mut program = Program {
        terms: &terms,
        assignments: &assignments,
        evaluators,
        stack: Vec::new(),
        definitions: String::new(),
        operations: 0,
        widest: 0,
        has_floats: false,
    };
    // Input that ends in the middle of an operation is a shorter program.
    let _ = run(&mut program, &mut Unstructured::new(bytes));
    if bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte)) % 16 == 0 {
        program.ask();
    }
});

//! Terms over the inputs as the source would write them: `n + 1`.

use crate::state::SymbolicInput;
use symx_expr::{BinaryOperator, Node, Term, Terms, UnaryOperator};

/// Operators and operands in a text: more say little.
const MOST_PARTS: u32 = 12;

/// Bytes of inputs among which those of a term are looked for.
const MOST_BYTES: usize = 1 << 16;

/// A term over inputs in words; `None` if it is long, or the source would not write it so.
pub(super) fn words<'i>(
    terms: &Terms,
    inputs: impl IntoIterator<Item = &'i SymbolicInput>,
    term: Term,
) -> Option<String> {
    let inputs: Vec<&SymbolicInput> = inputs.into_iter().collect();
    let is_few = inputs.iter().map(|input| input.bytes.len()).sum::<usize>() <= MOST_BYTES;
    is_few.then(|| Writer { terms, inputs, left: MOST_PARTS }.of(term)).flatten().map(Text::alone)
}

/// A part of a text.
enum Text {
    /// It stands beside an operator as it is.
    Simple(String),
    /// It needs parentheses there.
    Compound(String),
}

impl Text {
    fn alone(self) -> String {
        let (Self::Simple(text) | Self::Compound(text)) = self;
        text
    }

    fn operand(self) -> String {
        match self {
            Self::Simple(text) => text,
            Self::Compound(text) => format!("({text})"),
        }
    }
}

struct Writer<'w> {
    terms: &'w Terms,
    inputs: Vec<&'w SymbolicInput>,
    left: u32,
}

impl Writer<'_> {
    fn of(&mut self, term: Term) -> Option<Text> {
        self.left = self.left.checked_sub(1)?;
        if let Some(input) = self.input(term) {
            return Some(Text::Simple(input));
        }
        match *self.terms.node(term) {
            Node::Constant { width, value } => Some(Text::Simple(number(width, value))),
            Node::ZeroExtend { operand, .. }
            | Node::SignExtend { operand, .. }
            | Node::Extract { offset: 0, operand, .. } => self.of(operand),
            Node::Unary { operator, operand, width } => {
                let operator = match operator {
                    UnaryOperator::Not if width == 1 => "!",
                    UnaryOperator::Not => "~",
                    UnaryOperator::Negate => "-",
                };
                Some(Text::Simple(format!("{operator}{}", self.of(operand)?.operand())))
            }
            Node::Binary { operator, left, right, .. } => {
                let (one, other) = (self.of(left)?.operand(), self.of(right)?.operand());
                Some(Text::Compound(match (operator, other.strip_prefix('-')) {
                    (BinaryOperator::Add, Some(taken)) => format!("{one} - {taken}"),
                    _ => format!("{one} {} {other}", written(operator)),
                }))
            }
            Node::IfThenElse { condition, then, otherwise, .. } => {
                let (condition, then) = (self.of(condition)?.operand(), self.of(then)?.operand());
                Some(Text::Compound(format!("{condition} ? {then} : {}", self.of(otherwise)?.operand())))
            }
            _ => None,
        }
    }

    /// An input, or bytes of one, by its name.
    fn input(&self, term: Term) -> Option<String> {
        let mut bytes = Vec::new();
        let mut open = vec![term];
        while let Some(part) = open.pop() {
            match *self.terms.node(part) {
                Node::Concat { high, low, .. } => open.extend([high, low]),
                Node::Symbol { .. } => bytes.push(part),
                _ => return None,
            }
        }
        let first = bytes.first()?;
        let (input, at) = self.inputs.iter().find_map(|input| {
            let at = input.bytes.iter().position(|byte| byte == first)?;
            Some((input, at))
        })?;
        let end = at + bytes.len();
        input.bytes.get(at..end).filter(|there| *there == bytes)?;
        let name = input.origin.name_for_people(&input.name);
        Some(match (bytes.len(), input.bytes.len()) {
            (some, all) if some == all => name,
            (1, _) => format!("{name}[{at}]"),
            _ => format!("{name}[{at}..{end}]"),
        })
    }
}

/// A number with a sign.
fn number(width: u32, value: u64) -> String {
    let unused = 64 - width;
    let signed = (value << unused) as i64 >> unused;
    if width > 1 && signed.unsigned_abs() < 1 << 20 { signed.to_string() } else { value.to_string() }
}

fn written(operator: BinaryOperator) -> &'static str {
    use BinaryOperator::*;
    match operator {
        Add => "+",
        Subtract => "-",
        Multiply => "*",
        UnsignedDivide | SignedDivide => "/",
        UnsignedRemainder | SignedRemainder => "%",
        And => "&",
        Or => "|",
        Xor => "^",
        ShiftLeft => "<<",
        LogicalShiftRight | ArithmeticShiftRight => ">>",
        Equal => "==",
        UnsignedLess | SignedLess => "<",
        UnsignedLessEqual | SignedLessEqual => "<=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use symx_trace::InputOrigin;

    #[test]
    fn terms_over_inputs_read_like_the_source() {
        let terms = Terms::new();
        let bytes: Vec<Term> = (0..4).map(|at| terms.symbol(&format!("n#0[{at}]"), 8)).collect();
        let joined = |bytes: &[Term]| {
            let rest = bytes[1..].iter();
            rest.fold(bytes[0], |low, high| terms.concat(*high, low))
        };
        let n = joined(&bytes);
        let input = SymbolicInput {
            name: "n#0".into(),
            bytes: Arc::from(bytes.clone()),
            origin: Arc::new(InputOrigin::Program),
            declared: None,
            returned: None,
        };
        let shown = |term| words(&terms, [&input], term);
        let one = |value| terms.constant(32, value);
        assert_eq!(shown(n).as_deref(), Some("n"));
        assert_eq!(shown(terms.add(n, one(1))).as_deref(), Some("n + 1"));
        assert_eq!(shown(terms.add(n, one(0xffff_fffe))).as_deref(), Some("n - 2"));
        assert_eq!(shown(terms.sign_extend(terms.multiply(n, n), 64)).as_deref(), Some("n * n"));
        assert_eq!(shown(joined(&bytes[1..3])).as_deref(), Some("n[1..3]"));
        let long = (0..20).fold(n, |sum, _| terms.xor(terms.multiply(sum, n), one(12_345)));
        assert_eq!(shown(long), None);
        assert_eq!(shown(terms.add(terms.symbol("other", 32), one(1))), None);
    }
}

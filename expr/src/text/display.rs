//! Terms as text for reports: infix, with a limit on length.

use std::fmt;

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;

/// How many nodes a displayed term shows by default.
const DEFAULT_LIMIT: usize = 100;

/// A term to be shown. Past the limit it shows `…`.
#[derive(Clone, Copy, Debug)]
pub struct Infix<'a> {
    terms: &'a Terms,
    term: Term,
    limit: usize,
}

impl Terms {
    /// The term in infix notation, cut after a hundred nodes.
    pub fn display(&self, term: Term) -> Infix<'_> {
        Infix { terms: self, term, limit: DEFAULT_LIMIT }
    }
}

impl Infix<'_> {
    /// Cuts after this many nodes instead.
    pub fn limit(self, nodes: usize) -> Self {
        Infix { limit: nodes, ..self }
    }
}

/// A piece that remains to be written.
enum Piece {
    Term(Term),
    Text(&'static str),
    Owned(String),
}

fn symbol_of(operator: BinaryOperator) -> &'static str {
    use BinaryOperator::*;
    match operator {
        Add => " + ",
        Subtract => " - ",
        Multiply => " * ",
        UnsignedDivide => " /u ",
        SignedDivide => " /s ",
        UnsignedRemainder => " %u ",
        SignedRemainder => " %s ",
        And => " & ",
        Or => " | ",
        Xor => " ^ ",
        ShiftLeft => " << ",
        LogicalShiftRight => " >>u ",
        ArithmeticShiftRight => " >>s ",
        Equal => " == ",
        UnsignedLess => " <u ",
        UnsignedLessEqual => " <=u ",
        SignedLess => " <s ",
        SignedLessEqual => " <=s ",
    }
}

impl Infix<'_> {
    /// A node's text, with its operands still to be written.
    fn pieces(&self, term: Term) -> Vec<Piece> {
        use Piece::{Owned, Text};
        match *self.terms.node(term) {
            Node::Constant { width: 1, value } => {
                vec![Text(if value == 1 { "true" } else { "false" })]
            }
            Node::Constant { value, .. } if value < 1024 => vec![Owned(value.to_string())],
            Node::Constant { value, .. } => vec![Owned(format!("{value:#x}"))],
            Node::WideConstant { .. } => match self.terms.as_bitvector(term) {
                Some(value) => vec![Owned(format!("0x{value:x}"))],
                None => unreachable!("a constant node has a value"),
            },
            Node::Symbol { ref name, .. } => vec![Owned(name.to_string())],
            Node::Unary { operator, operand, width } => vec![
                Text(match operator {
                    UnaryOperator::Not if width == 1 => "!",
                    UnaryOperator::Not => "~",
                    UnaryOperator::Negate => "-",
                }),
                Piece::Term(operand),
            ],
            Node::Binary { operator, left, right, .. } => {
                vec![Text("("), Piece::Term(left), Text(symbol_of(operator)), Piece::Term(right), Text(")")]
            }
            Node::IfThenElse { condition, then, otherwise, .. } => vec![
                Text("("),
                Piece::Term(condition),
                Text(" ? "),
                Piece::Term(then),
                Text(" : "),
                Piece::Term(otherwise),
                Text(")"),
            ],
            Node::Concat { high, low, .. } => {
                vec![Text("("), Piece::Term(high), Text(" ++ "), Piece::Term(low), Text(")")]
            }
            Node::Extract { offset, width, operand } => {
                vec![Piece::Term(operand), Owned(format!("[{}:{offset}]", offset + width - 1))]
            }
            Node::ZeroExtend { width, operand } => {
                vec![Owned(format!("zext{width}(")), Piece::Term(operand), Text(")")]
            }
            Node::SignExtend { width, operand } => {
                vec![Owned(format!("sext{width}(")), Piece::Term(operand), Text(")")]
            }
            Node::Float { operator, operands } => {
                let mut pieces = vec![Text(operator.name()), Text("(")];
                for (index, operand) in operands.into_iter().flatten().enumerate() {
                    pieces.extend((index > 0).then_some(Text(", ")));
                    pieces.push(Piece::Term(operand));
                }
                pieces.push(Text(")"));
                pieces
            }
        }
    }
}

impl fmt::Display for Infix<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Piece::{Owned, Text};
        let mut shown = 0;
        let mut open = vec![Piece::Term(self.term)];
        while let Some(piece) = open.pop() {
            let term = match piece {
                Text(text) => {
                    formatter.write_str(text)?;
                    continue;
                }
                Owned(text) => {
                    formatter.write_str(&text)?;
                    continue;
                }
                Piece::Term(term) => term,
            };
            if shown == self.limit {
                // Closing all that is open would show more brackets than content.
                return formatter.write_str("…");
            }
            shown += 1;
            let mut pieces = self.pieces(term);
            pieces.reverse();
            open.append(&mut pieces);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infix_reads_like_c() {
        let terms = Terms::new();
        let (x, b) = (terms.symbol("x", 32), terms.symbol("b", 8));
        let sum = terms.add(terms.sign_extend(b, 32), terms.constant(32, 5));
        let condition = terms.not(terms.equal(terms.unsigned_divide(sum, x), terms.constant(32, 4096)));
        assert_eq!(terms.display(condition).to_string(), "!(((sext32(b) + 5) /u x) == 0x1000)");
        assert_eq!(terms.display(condition).limit(3).to_string(), "!((…");
        let byte = terms.if_then_else(terms.signed_less(x, sum), terms.extract(x, 8, 8), b);
        assert_eq!(terms.display(byte).to_string(), "((x <s (sext32(b) + 5)) ? x[15:8] : b)");
    }
}

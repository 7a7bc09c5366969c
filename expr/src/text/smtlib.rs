//! Terms and whole queries as SMT-LIB 2 text (logic QF_BV, with floats QF_BVFP).
//!
//! Truth values are bit vectors of width 1; comparisons become them through `ite`. Every shared or inner
//! node is named once, so the text is linear in the number of distinct nodes. Symbols are written
//! `|name:width|`, because one name at two widths is two symbols.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::float_smtlib::{self, float_definition};
use super::references::reference;
use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;

fn operator_name(operator: BinaryOperator) -> &'static str {
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

/// One node over references to its operands.
fn definition(terms: &Terms, term: Term) -> String {
    let name = |term| reference(terms, term);
    match *terms.node(term) {
        Node::Constant { .. } | Node::WideConstant { .. } | Node::Symbol { .. } => name(term),
        Node::Unary { operator: UnaryOperator::Not, operand, .. } => format!("(bvnot {})", name(operand)),
        Node::Unary { operator: UnaryOperator::Negate, operand, .. } => format!("(bvneg {})", name(operand)),
        Node::Binary { operator, left, right, .. } => {
            let applied = format!("({} {} {})", operator_name(operator), name(left), name(right));
            if operator.is_comparison() { format!("(ite {applied} #b1 #b0)") } else { applied }
        }
        Node::IfThenElse { condition, then, otherwise, .. } => {
            format!("(ite (= {} #b1) {} {})", name(condition), name(then), name(otherwise))
        }
        Node::Concat { high, low, .. } => format!("(concat {} {})", name(high), name(low)),
        Node::Extract { offset, width, operand } => {
            format!("((_ extract {} {offset}) {})", offset + width - 1, name(operand))
        }
        Node::ZeroExtend { width, operand } => {
            format!("((_ zero_extend {}) {})", width - terms.width(operand), name(operand))
        }
        Node::SignExtend { width, operand } => {
            format!("((_ sign_extend {}) {})", width - terms.width(operand), name(operand))
        }
        Node::Float { operator, operands } => {
            let operands: Vec<Term> = operands.into_iter().flatten().collect();
            float_smtlib::definition(terms, term, operator, &operands)
        }
    }
}

/// All distinct parts of the terms, operands before what uses them.
pub(crate) fn postorder(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let (mut order, mut done) = (Vec::new(), FxHashSet::default());
    let mut open: Vec<Term> = roots.iter().rev().copied().collect();
    while let Some(&current) = open.last() {
        let before = open.len();
        if !done.contains(&current) {
            open.extend(terms.node(current).operands().filter(|operand| !done.contains(operand)));
        }
        if open.len() == before {
            open.pop();
            if done.insert(current) {
                order.push(current);
            }
        }
    }
    order
}

fn is_leaf(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Constant { .. } | Node::WideConstant { .. } | Node::Symbol { .. })
}

/// The term as an SMT-LIB expression, with a `let` for every inner node.
pub fn term_to_smtlib(terms: &Terms, term: Term) -> String {
    let mut text = String::new();
    let mut bindings = 0;
    for part in postorder(terms, &[term]) {
        if let Some((name, _, number)) = float_definition(terms, part) {
            text += &format!("(let (({name} {number})) ");
            bindings += 1;
        }
        if part != term && !is_leaf(terms, part) {
            text += &format!("(let (({} {})) ", reference(terms, part), definition(terms, part));
            bindings += 1;
        }
    }
    text + &definition(terms, term) + &")".repeat(bindings)
}

/// A script that declares all symbols, asserts all constraints (of width 1), and checks them.
pub fn query_to_smtlib(terms: &Terms, constraints: &[Term]) -> String {
    let parts = postorder(terms, constraints);
    let floats = parts.iter().any(|part| matches!(terms.node(*part), Node::Float { .. }));
    let mut text = format!("(set-logic {})\n", if floats { "QF_BVFP" } else { "QF_BV" });
    // Writing to a string cannot fail.
    for part in parts {
        let width = terms.width(part);
        if let Some((name, sort, number)) = float_definition(terms, part) {
            let _ = writeln!(text, "(define-fun {name} () {sort} {number})");
        }
        let _ = match terms.node(part) {
            Node::Symbol { .. } => {
                writeln!(text, "(declare-const {} (_ BitVec {width}))", reference(terms, part))
            }
            _ if is_leaf(terms, part) => Ok(()),
            _ => writeln!(
                text,
                "(define-fun {} () (_ BitVec {width}) {})",
                reference(terms, part),
                definition(terms, part)
            ),
        };
    }
    for constraint in constraints {
        let _ = writeln!(text, "(assert (= {} #b1))", reference(terms, *constraint));
    }
    text + "(check-sat)\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_names_each_node_once() {
        let terms = Terms::new();
        let x = terms.symbol("in|put", 8);
        let square = terms.multiply(x, x);
        let below = terms.unsigned_less(square, x);
        let text = query_to_smtlib(&terms, &[below, terms.equal(square, terms.constant(8, 4))]);
        assert_eq!(text.matches("bvmul").count(), 1);
        assert_eq!(text.matches("(declare-const |in%7Cput:8| (_ BitVec 8))").count(), 1);
        assert_eq!(text.matches("(assert ").count(), 2);
    }

    #[test]
    fn a_term_binds_inner_nodes() {
        let terms = Terms::new();
        let x = terms.symbol("x", 8);
        let not = terms.not(terms.multiply(x, x));
        let product = reference(&terms, terms.multiply(x, x));
        let expected = format!("(let (({product} (bvmul |x:8| |x:8|))) (bvnot {product}))");
        assert_eq!(term_to_smtlib(&terms, not), expected);
    }
}

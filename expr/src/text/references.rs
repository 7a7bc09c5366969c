//! How SMT-LIB text refers to terms and symbols.

use crate::node::{Node, Term};
use crate::pool::Terms;

/// The name of a symbol in SMT-LIB, between bars, where neither `|` nor `\` may stand.
pub(crate) fn symbol_name(name: &str, width: u32) -> String {
    let escaped = name.replace('%', "%25").replace('|', "%7C").replace('\\', "%5C");
    format!("{escaped}:{width}")
}

fn quoted(name: &str, width: u32) -> String {
    format!("|{}|", symbol_name(name, width))
}

/// How a parent refers to a term: leaves by themselves, others by name.
pub(crate) fn reference(terms: &Terms, term: Term) -> String {
    match *terms.node(term) {
        Node::Constant { width, value } => format!("(_ bv{value} {width})"),
        Node::WideConstant { ref limbs, width } => {
            let bits = (0..width).rev().map(|bit| match limbs[bit as usize / 64] >> (bit % 64) & 1 {
                0 => '0',
                _ => '1',
            });
            format!("#b{}", bits.collect::<String>())
        }
        Node::Symbol { width, ref name, .. } => quoted(name, width),
        _ => format!("t{}", term.index()),
    }
}

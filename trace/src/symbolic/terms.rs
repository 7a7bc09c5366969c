//! Terms as plain data: a table in which operands come before what uses them.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use symx_expr::{BinaryOperator, BitVector, FloatOperator, MAXIMUM_WIDTH, Node, Term, Terms, UnaryOperator};

/// A term, by its place in the [`TermTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct TermRef(pub u32);

impl TermRef {
    /// For indexing.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All terms of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TermTable {
    /// Operands come first.
    pub nodes: Vec<TermNode>,
}

/// One term.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermNode {
    /// A number.
    Constant {
        /// Bits.
        width: u32,
        /// The value, 64 bits at a time, the least significant first; nothing beyond the width.
        limbs: Vec<u64>,
    },
    /// An unknown: an input or what a read returns. Symbols with one name and width are one.
    Symbol {
        /// Bits.
        width: u32,
        /// Its name.
        name: String,
        /// Whether it denotes a value that the program never gave.
        indeterminate: bool,
    },
    /// An operator applied.
    Apply {
        /// The operator.
        operator: TermOperator,
        /// Most significant or leftmost first.
        operands: Vec<TermRef>,
    },
}

/// An operator applied to operands; the meaning is that of [`Node`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermOperator {
    /// Of one operand.
    Unary(UnaryOperator),
    /// Of two.
    Binary(BinaryOperator),
    /// Condition, value if it is 1, value if it is 0.
    IfThenElse,
    /// The first above the second.
    Concat,
    /// `width` bits from bit `offset` up.
    Extract {
        /// The lowest bit.
        offset: u32,
        /// Bits of the result.
        width: u32,
    },
    /// Zeros above.
    ZeroExtend {
        /// Bits of the result.
        width: u32,
    },
    /// Copies of the sign above.
    SignExtend {
        /// Bits of the result.
        width: u32,
    },
    /// On floats.
    Float(FloatOperator),
}

impl TermOperator {
    /// Width of the result for operands of these widths; what is wrong if there is none.
    fn result_width(self, operands: &[u32]) -> Result<u32, &'static str> {
        let width = match (self, operands) {
            (Self::Unary(_), &[width]) => width,
            (Self::Binary(operator), &[left, right]) if left == right => {
                if operator.is_comparison() {
                    1
                } else {
                    left
                }
            }
            (Self::IfThenElse, &[1, then, otherwise]) if then == otherwise => then,
            (Self::Concat, &[high, low]) => high.saturating_add(low),
            (Self::Extract { offset, width }, &[operand])
                if width != 0 && offset.checked_add(width).is_some_and(|end| end <= operand) =>
            {
                width
            }
            (Self::ZeroExtend { width } | Self::SignExtend { width }, &[operand]) if operand <= width => {
                width
            }
            (Self::Float(operator), operands) => {
                if let FloatOperator::FromInteger { bits, .. } | FloatOperator::ToInteger { bits, .. } =
                    operator
                    && !(1..=128).contains(&bits)
                {
                    return Err("a conversion of an integer of no such width");
                }
                if operands.len() != operator.arity()
                    || operands.iter().any(|width| *width != operator.operand_width())
                {
                    return Err("operands that do not fit the operator");
                }
                operator.result_width()
            }
            _ => return Err("operands that do not fit the operator"),
        };
        if width <= MAXIMUM_WIDTH { Ok(width) } else { Err("a term that is too wide") }
    }
}

impl TermTable {
    /// The width of every term; else the first that is wrong, and why.
    pub fn widths(&self) -> Result<Vec<u32>, (usize, &'static str)> {
        let mut widths: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            let width = match node {
                TermNode::Constant { width, limbs } => {
                    let excess = limbs.len() as u64 * 64 - u64::from(*width).min(limbs.len() as u64 * 64);
                    let fits = limbs.len() == width.div_ceil(64) as usize
                        && limbs.last().is_some_and(|last| excess == 0 || last >> (64 - excess) == 0);
                    if fits { Ok(*width) } else { Err("a constant that does not fit its width") }
                }
                TermNode::Symbol { width, .. } => Ok(*width),
                TermNode::Apply { operator, operands } => {
                    let known: Option<Vec<u32>> =
                        operands.iter().map(|operand| widths.get(operand.index()).copied()).collect();
                    known
                        .ok_or("an operand that does not come before it")
                        .and_then(|operands| operator.result_width(&operands))
                }
            };
            match width {
                Ok(width) if (1..=MAXIMUM_WIDTH).contains(&width) => widths.push(width),
                Ok(_) => return Err((index, "a width that is not allowed")),
                Err(what) => return Err((index, what)),
            }
        }
        Ok(widths)
    }

    /// The terms in a pool, simplified. The table must be right ([`widths`](Self::widths)).
    pub fn load(&self, terms: &Terms) -> Vec<Term> {
        let mut loaded: Vec<Term> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let term = match node {
                TermNode::Constant { width, limbs } => terms.bitvector(&BitVector::from_limbs(*width, limbs)),
                TermNode::Symbol { width, name, indeterminate: false } => terms.symbol(name, *width),
                TermNode::Symbol { width, name, indeterminate: true } => terms.indeterminate(name, *width),
                TermNode::Apply { operator, operands } => {
                    let operand = |number: usize| loaded[operands[number].index()];
                    match *operator {
                        TermOperator::Unary(operator) => terms.unary(operator, operand(0)),
                        TermOperator::Binary(operator) => terms.binary(operator, operand(0), operand(1)),
                        TermOperator::IfThenElse => terms.if_then_else(operand(0), operand(1), operand(2)),
                        TermOperator::Concat => terms.concat(operand(0), operand(1)),
                        TermOperator::Extract { offset, width } => terms.extract(operand(0), offset, width),
                        TermOperator::ZeroExtend { width } => terms.zero_extend(operand(0), width),
                        TermOperator::SignExtend { width } => terms.sign_extend(operand(0), width),
                        TermOperator::Float(operator) => {
                            let operands: Vec<Term> = (0..operands.len()).map(operand).collect();
                            terms.float(operator, &operands)
                        }
                    }
                }
            };
            loaded.push(term);
        }
        loaded
    }
}

/// Fills a table with terms of a pool.
#[derive(Debug, Default)]
pub struct TermRecorder {
    table: TermTable,
    known: FxHashMap<Term, TermRef>,
}

impl TermRecorder {
    /// One with an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The table's entry for a term of the pool; all terms of a recorder are of one pool.
    pub fn record(&mut self, terms: &Terms, term: Term) -> TermRef {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            let before = open.len();
            if !self.known.contains_key(&current) {
                let known = &self.known;
                open.extend(terms.node(current).operands().filter(|operand| !known.contains_key(operand)));
            }
            if open.len() == before {
                open.pop();
                if !self.known.contains_key(&current) {
                    let place = TermRef(self.table.nodes.len() as u32);
                    self.table.nodes.push(self.node(terms.node(current)));
                    self.known.insert(current, place);
                }
            }
        }
        self.known[&term]
    }

    fn node(&self, node: &Node) -> TermNode {
        let operands = || node.operands().map(|operand| self.known[&operand]).collect();
        let apply = |operator| TermNode::Apply { operator, operands: operands() };
        match node {
            Node::Constant { width, value } => TermNode::Constant { width: *width, limbs: vec![*value] },
            Node::WideConstant { width, limbs } => {
                TermNode::Constant { width: *width, limbs: limbs.to_vec() }
            }
            Node::Symbol { width, name, indeterminate } => {
                TermNode::Symbol { width: *width, name: name.to_string(), indeterminate: *indeterminate }
            }
            Node::Unary { operator, .. } => apply(TermOperator::Unary(*operator)),
            Node::Binary { operator, .. } => apply(TermOperator::Binary(*operator)),
            Node::IfThenElse { .. } => apply(TermOperator::IfThenElse),
            Node::Concat { .. } => apply(TermOperator::Concat),
            Node::Extract { offset, width, .. } => {
                apply(TermOperator::Extract { offset: *offset, width: *width })
            }
            Node::ZeroExtend { width, .. } => apply(TermOperator::ZeroExtend { width: *width }),
            Node::SignExtend { width, .. } => apply(TermOperator::SignExtend { width: *width }),
            Node::Float { operator, .. } => apply(TermOperator::Float(*operator)),
        }
    }

    /// The table.
    pub fn finish(self) -> TermTable {
        self.table
    }
}

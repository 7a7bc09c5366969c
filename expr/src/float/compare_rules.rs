//! Simplification of comparisons: what came from integers or from a narrower format is compared there.

use crate::node::Term;
use crate::pool::Terms;

use super::monotone_rules::Relation;
use super::rules::word;
use crate::float_operator::{FloatFormat, FloatOperator};

impl Terms {
    pub(super) fn float_compare_rules(&self, operator: FloatOperator, a: Term, b: Term) -> Option<Term> {
        use FloatOperator::{Equal, Less, LessEqual};
        let format = operator.operand_format()?;
        if a == b {
            // Only NaN is not equal to itself.
            return match operator {
                Less(_) => Some(Term::FALSE),
                _ if self.exact_integer(format, a).is_some() => Some(Term::TRUE),
                LessEqual(_) => Some(self.float(Equal(format), &[a, b])),
                _ => self.float_is_number(format, a),
            };
        }
        let (left, right) = (self.as_bitvector(a), self.as_bitvector(b));
        if left.iter().chain(&right).any(|value| format.is_nan(word(value))) {
            return Some(Term::FALSE);
        }
        if matches!(operator, Equal(_)) && a > b {
            return Some(self.float(operator, &[b, a]));
        }
        if let (Some(a), Some(b)) = (self.exact_integer(format, a), self.exact_integer(format, b)) {
            return Some(self.compare_integers(operator, a, b));
        }
        if let Some(bound) = right {
            let relation = match operator {
                Equal(_) => Relation::Equal,
                Less(_) => Relation::Less,
                _ => Relation::LessEqual,
            };
            let bound = word(&bound);
            return self
                .float_monotone_rule(format, a, relation, bound)
                .or_else(|| self.float_range_rule(format, a, relation, bound));
        }
        if let Some(bound) = left {
            let relation = match operator {
                Equal(_) => Relation::Equal,
                Less(_) => Relation::Greater,
                _ => Relation::GreaterEqual,
            };
            let bound = word(&bound);
            return self
                .float_monotone_rule(format, b, relation, bound)
                .or_else(|| self.float_range_rule(format, b, relation, bound));
        }
        let widened = |term| match self.as_float(format, term) {
            Some((FloatOperator::Convert { from, to }, source)) if to == format && from.is_within(to) => {
                Some((from, source))
            }
            _ => None,
        };
        match (widened(a), widened(b)) {
            (Some((from, a)), Some((other, b))) if from == other => {
                Some(self.float(at(operator, from), &[a, b]))
            }
            _ => None,
        }
    }
}

/// The comparison in another format.
fn at(operator: FloatOperator, format: FloatFormat) -> FloatOperator {
    match operator {
        FloatOperator::Equal(_) => FloatOperator::Equal(format),
        FloatOperator::Less(_) => FloatOperator::Less(format),
        _ => FloatOperator::LessEqual(format),
    }
}

//! Comparisons of plain patterns with constants: ranges of bit vectors, which need no floats to be solved.
//!
//! Read as unsigned, patterns go up from +0 to infinity, and from -0 down to minus infinity;
//! NaNs are above either.

use crate::node::Term;
use crate::pool::Terms;

use super::monotone_rules::Relation;
use crate::float_operator::FloatFormat;

impl Terms {
    /// `term relation bound` for a term that is no float operation's result.
    pub(super) fn float_range_rule(
        &self,
        format: FloatFormat,
        term: Term,
        relation: Relation,
        bound: u128,
    ) -> Option<Term> {
        if format.stores_integer_bit() || self.as_float(format, term).is_some() {
            return None;
        }
        let (sign, infinity) = (format.sign_bit(), format.infinity());
        let magnitude = bound & !sign;
        let negative = bound != magnitude && magnitude != 0;
        let within = |from: u128, to: u128| {
            if from > to {
                return Term::FALSE;
            }
            let (from, to) = (self.float_constant(format, from), self.float_constant(format, to));
            self.and(self.unsigned_less_equal(from, term), self.unsigned_less_equal(term, to))
        };
        // A strict relation begins one pattern farther on.
        let strict = u128::from(matches!(relation, Relation::Less | Relation::Greater));
        Some(match (relation, negative) {
            (Relation::Equal, _) if magnitude == 0 => self.or(within(0, 0), within(sign, sign)),
            (Relation::Equal, _) => within(bound, bound),
            (Relation::Less | Relation::LessEqual, true) => within(bound + strict, sign | infinity),
            (Relation::Greater | Relation::GreaterEqual, false) if magnitude > 0 => {
                within(bound + strict, infinity)
            }
            (Relation::Less, false) if magnitude == 0 => within(sign | 1, sign | infinity),
            (Relation::Greater, _) if magnitude == 0 => within(1, infinity),
            (Relation::GreaterEqual, _) if magnitude == 0 => self.or(within(0, infinity), within(sign, sign)),
            (Relation::Less | Relation::LessEqual, false) => {
                self.or(within(0, magnitude - strict), within(sign, sign | infinity))
            }
            (Relation::Greater | Relation::GreaterEqual, _) => {
                self.or(within(0, infinity), within(sign, (sign | magnitude) - strict))
            }
        })
    }

    /// The condition that a term that is no float operation's result is a number.
    pub(super) fn float_is_number(&self, format: FloatFormat, term: Term) -> Option<Term> {
        let plain = self.as_float(format, term).is_none();
        plain.then(|| self.not(self.float_is_nan(format, term)))
    }
}

//! Which symbols a term may contain, as 64 bits: cheap to join, to compare and to keep with every term.

/// A set of symbols in 64 bits: a symbol's bit is its number in the pool modulo 64.
///
/// Two terms whose supports do not meet share no symbol. Where they meet they may still share none, unless
/// the pool has at most 64 symbols ([`Terms::supports_are_exact`](crate::Terms::supports_are_exact)).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Support(u64);

impl Support {
    /// The support of a constant.
    pub const EMPTY: Support = Support(0);

    /// The support of the symbol with this number.
    pub(crate) const fn of_symbol(number: u32) -> Support {
        Support(1 << (number % 64))
    }

    /// Whether there is no symbol at all.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some symbol may be in both.
    pub const fn meets(self, other: Support) -> bool {
        self.0 & other.0 != 0
    }

    /// The symbols of both.
    #[must_use]
    pub const fn join(self, other: Support) -> Support {
        Support(self.0 | other.0)
    }

    /// Whether all of its symbols have one bit in common: in a pool of at most 64, whether it is one symbol.
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use crate::node::Term;
    use crate::pool::Terms;

    #[test]
    fn disjoint_supports_share_no_symbol() {
        let terms = Terms::new();
        let symbols: Vec<Term> = (0..65).map(|number| terms.symbol(&format!("s{number}"), 8)).collect();
        assert!(!terms.supports_are_exact());
        let sum = terms.add(symbols[0], terms.multiply(symbols[1], symbols[2]));
        assert!(terms.support(sum).meets(terms.support(symbols[2])));
        assert!(!terms.support(sum).meets(terms.support(symbols[3])));
        // The first symbol and the sixty-fifth have one bit.
        assert!(terms.support(sum).meets(terms.support(symbols[64])));
        assert!(terms.support(Term::TRUE).is_empty());
        assert!(terms.support(symbols[5]).is_single() && !terms.support(sum).is_single());
        assert_eq!(terms.joint_support(symbols[..3].iter().copied()), terms.support(sum));
    }
}

//! Floating-point operators on patterns: what each computes, and the rules by which terms of them simplify.

mod apply;
mod compare_rules;
mod monotone_rules;
mod range_rules;
mod rules;

#[cfg(test)]
mod tests;

pub(crate) use rules::apply;

//! Counts of explorations and comparisons, as a table.

use std::collections::BTreeMap;
use std::fmt;

/// Counts of explorations.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub programs: u64,
    /// Programs left out, as there is too much to explore.
    pub too_large: u64,
    /// Programs left out for what symx says it cannot do.
    pub unsupported: BTreeMap<String, u64>,
    /// Comparisons, by what is compared.
    pub pairs: BTreeMap<String, u64>,
    /// Disagreements, by what is compared.
    pub wrong: BTreeMap<String, u64>,
    pub executions: u64,
    pub failures: u64,
    pub outcomes: u64,
    /// Programs that the reads-from walk left to source sets, by reason.
    pub beyond: BTreeMap<String, u64>,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.too_large += other.too_large;
        self.executions += other.executions;
        self.failures += other.failures;
        self.outcomes += other.outcomes;
        let add = |all: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>| {
            more.iter().for_each(|(name, count)| *all.entry(name.clone()).or_default() += count);
        };
        add(&mut self.unsupported, &other.unsupported);
        add(&mut self.pairs, &other.pairs);
        add(&mut self.wrong, &other.wrong);
        add(&mut self.beyond, &other.beyond);
    }

    /// Counts a comparison.
    pub fn pair(&mut self, name: &str) {
        *self.pairs.entry(name.to_owned()).or_default() += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} programs, {} of them too large; {} executions, {} outcomes, {} failures",
            self.programs, self.too_large, self.executions, self.outcomes, self.failures
        )?;
        let mut table = |head: &str, rows: &BTreeMap<String, u64>| -> fmt::Result {
            if rows.is_empty() {
                return Ok(());
            }
            writeln!(out, "{head}")?;
            rows.iter().try_for_each(|(name, count)| writeln!(out, "  {name:<76} {count:>9}"))
        };
        table("compared", &self.pairs)?;
        table("disagreements", &self.wrong)?;
        table("left to source sets", &self.beyond)?;
        table("not supported", &self.unsupported)
    }
}

//! A table of litmus programs with the outcomes another tool enumerated.

use std::collections::BTreeSet;

/// The entry of a table for one program under one model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LitmusExpectation {
    /// The program's name without `.c`.
    pub program: String,
    /// The model's name.
    pub model: String,
    /// Whether the program's assertion can fail.
    pub violable: bool,
    /// The exact set of outputs, compiled without the assertion.
    pub outcomes: BTreeSet<String>,
}

/// Reads the table: a heading, then tab-separated name, model, yes or no, count, and outcomes. Outcomes are
/// separated by `;`, those that violate the assertion marked by `!`.
pub fn litmus_expectations(table: &str) -> Result<Vec<LitmusExpectation>, String> {
    table.lines().skip(1).filter(|line| !line.is_empty()).map(row).collect()
}

fn row(line: &str) -> Result<LitmusExpectation, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[program, model, violable, count, outcomes] = columns.as_slice() else {
        return Err(format!("expected five columns: {line}"));
    };
    let outcomes: BTreeSet<String> =
        outcomes.split(';').map(|outcome| outcome.trim_start_matches('!').trim().to_owned()).collect();
    if count.parse() != Ok(outcomes.len()) {
        return Err(format!("{count} outcomes announced, {} listed: {line}", outcomes.len()));
    }
    let violable = match violable {
        "yes" => true,
        "no" => false,
        other => return Err(format!("`{other}` is neither yes nor no: {line}")),
    };
    Ok(LitmusExpectation { program: program.into(), model: model.into(), violable, outcomes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_and_checked() {
        let table = "name\tmodel\tviolable\tn\toutcomes\nsb\ttso\tyes\t2\t!r0=0 r1=0;r0=0 r1=1\n";
        let rows = litmus_expectations(table).unwrap();
        assert_eq!((rows[0].program.as_str(), rows[0].violable), ("sb", true));
        assert!(rows[0].outcomes.contains("r0=0 r1=0"));
        assert!(litmus_expectations(&table.replace("\t2\t", "\t3\t")).is_err());
    }
}

//! Comparing sets of outputs.

use std::collections::BTreeSet;

/// How two sets differ, in words; `None` if they are equal.
pub fn difference(expected: &BTreeSet<String>, seen: &BTreeSet<String>) -> Option<String> {
    let list = |set: Vec<&String>| set.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ");
    let missing = list(expected.difference(seen).collect());
    let extra = list(seen.difference(expected).collect());
    match (missing.is_empty(), extra.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("missing outcomes {missing}")),
        (true, false) => Some(format!("unexpected outcomes {extra}")),
        (false, false) => Some(format!("missing outcomes {missing}, unexpected outcomes {extra}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_named() {
        let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(difference(&set(&["00"]), &set(&["00"])), None);
        let told = difference(&set(&["00", "01"]), &set(&["00", "11"])).unwrap();
        assert_eq!(told, "missing outcomes `01`, unexpected outcomes `11`");
    }
}

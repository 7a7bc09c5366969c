//! Sets of outputs: how annotations state them, and how two differ.

use std::collections::BTreeSet;

/// The outcomes that an annotation states: words, and strings in quotation marks with the escapes of JSON.
pub fn stated(text: &str) -> Result<BTreeSet<String>, &'static str> {
    let mut outcomes = BTreeSet::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let length = if rest.starts_with('"') {
            let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let Some(Ok(outcome)) = strings.next() else {
                return Err("a string in quotation marks has no end, or an escape that JSON does not have");
            };
            outcomes.insert(outcome);
            strings.byte_offset()
        } else {
            let word = rest.split_whitespace().next().unwrap_or(rest);
            outcomes.insert(word.to_owned());
            word.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(outcomes)
}

/// The text by which an annotation [states](stated) outcomes.
pub fn statement(outcomes: &BTreeSet<String>) -> String {
    let is_word =
        |text: &str| !text.is_empty() && !text.contains(char::is_whitespace) && !text.starts_with('"');
    let stated = |outcome: &String| match is_word(outcome) {
        true => outcome.clone(),
        false => serde_json::Value::from(outcome.as_str()).to_string(),
    };
    outcomes.iter().map(stated).collect::<Vec<_>>().join(" ")
}

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
    fn what_is_stated_is_read_again() {
        let set: BTreeSet<String> =
            ["00", "a b", "", "one\ntwo", "\"quoted\"", "back\\slash x"].map(String::from).into();
        assert_eq!(stated(&statement(&set)), Ok(set));
        assert_eq!(statement(&["01".into(), "a b".into()].into()), r#"01 "a b""#);
        assert_eq!(stated("01 01 x").unwrap().len(), 2);
        assert!(stated(r#"1 "two"#).is_err() && stated(r#""\q""#).is_err());
    }

    #[test]
    fn both_directions_are_named() {
        let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(difference(&set(&["00"]), &set(&["00"])), None);
        let told = difference(&set(&["00", "01"]), &set(&["00", "11"])).unwrap();
        assert_eq!(told, "missing outcomes `01`, unexpected outcomes `11`");
    }
}

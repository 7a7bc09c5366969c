//! Text in lines of a width.

use super::WIDEST;

/// A text in lines that are at most [`WIDEST`] columns wide, all but the first after `indent`. Text beyond
/// the last line is left out, visibly.
pub fn wrapped(text: &str, indent: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let fits = line.chars().count() + 1 + word.chars().count() <= WIDEST;
        if !line.trim().is_empty() && !fits {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = cut(&format!("{last} ..."), WIDEST);
        }
    }
    lines
}

/// A text of at most `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect()
}

/// The least that is left of a step before its value.
const LEAST: usize = 10;

/// A step of at most `most` characters. Executions differ in values: what is cut is the object before.
pub fn cut_before_value(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let Some((object, value)) = text.rsplit_once(" = ") else { return cut(text, most) };
    // Where an object was allocated says less than its name.
    let object = object.split_once(" (").filter(|_| object.ends_with(')')).map_or(object, |(name, _)| name);
    match most.saturating_sub(value.chars().count() + 3) {
        room if room < LEAST => cut(text, most),
        room => format!("{} = {value}", cut(object, room)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_outlasts_its_object() {
        let read = "37 read config->height (dcl.cc:20 by T1) = 480";
        assert_eq!(cut_before_value(read, 30), "37 read config->height = 480");
        assert_eq!(cut_before_value(read, 20), "37 read con... = 480");
        assert_eq!(cut_before_value("8 lock a.very.long.name", 12), "8 lock a....");
    }

    #[test]
    fn lines_are_as_wide_as_allowed_and_as_many() {
        let text = "word ".repeat(100);
        let lines = wrapped(&text, "  ", 3);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.chars().count() <= WIDEST), "{lines:?}");
        assert!(lines[1].starts_with("  word") && lines[2].ends_with("..."), "{lines:?}");
        assert_eq!(wrapped("as it is", "  ", 3), ["as it is"]);
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

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

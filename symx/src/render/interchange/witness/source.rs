//! Positions in the source that witnesses name: where the arguments of a call end, where statements begin.

/// A position as witnesses count: lines and characters from 1.
pub type Position = (u32, u32);

/// The source as text.
#[derive(Clone, Copy)]
pub struct Source<'a>(pub &'a str);

impl Source<'_> {
    /// Where a line begins and what it holds.
    fn line(&self, number: u32) -> Option<(usize, &str)> {
        let mut start = 0;
        for (line, text) in (1..).zip(self.0.split_inclusive('\n')) {
            if line == number {
                return Some((start, text));
            }
            start += text.len();
        }
        None
    }

    /// The text before and from a column of a line on. Compilers count columns in bytes.
    fn around(&self, line: u32, column: u32) -> Option<(&str, &str)> {
        let (start, text) = self.line(line)?;
        let at = (column as usize).checked_sub(1).filter(|at| *at < text.len())?;
        Some((text.get(..at)?, self.0.get(start + at..)?))
    }

    /// The closing parenthesis of the call of a function that stands there; `None` if none does, as where a
    /// macro calls.
    pub fn end_of_call(&self, line: u32, column: u32, function: &str) -> Option<Position> {
        let (before, from) = self.around(line, column)?;
        let rest = from.strip_prefix(function)?;
        let arguments = rest.trim_start();
        let skipped = from.len() - arguments.len();
        let end = skipped + closing(arguments)?;
        let passed = &from[..end];
        let lines = passed.matches('\n').count() as u32;
        let column = match passed.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => before.chars().count() + passed.chars().count(),
        };
        Some((line + lines, column as u32 + 1))
    }

    /// The column of a statement that begins there. Of the expressions within one, where it begins is not
    /// known: then a line is all that a witness can say.
    pub fn statement(&self, line: u32, column: u32) -> Option<u32> {
        let (before, from) = self.around(line, column)?;
        let word = before.trim_end();
        let is_first = word.is_empty() || word.ends_with(['{', '}', ';', ')']);
        let is_in_text = from.starts_with(|first: char| first == '_' || first.is_alphabetic());
        // A line may continue the statement before, or hold the head of a loop.
        let is_head = before.trim_start().starts_with("for");
        (is_first && is_in_text && !is_head && self.follows_an_end(line, word))
            .then(|| before.chars().count() as u32 + 1)
    }

    /// Whether nothing before the line goes on there.
    fn follows_an_end(&self, line: u32, before: &str) -> bool {
        if !before.is_empty() {
            return true;
        }
        let earlier = (1..line).rev().filter_map(|number| Some(self.line(number)?.1.trim()));
        let mut written = earlier.filter(|text| !text.is_empty());
        written.next().is_none_or(|text| {
            text.ends_with(['{', '}', ';', ')', ':']) || text.ends_with("else") || text.starts_with('#')
        })
    }
}

/// Where the parenthesis that opens a text is closed, in bytes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quoted = None;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quoted, character) {
            (Some(_), '\\') => drop(characters.next()),
            (Some(quote), _) if character == quote => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            (None, _) if depth == 0 => return None,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int main(void) {\n    int x = next(), y = named(\"a)\", (1));\n    if (x) fail();\n\
        \tint z = next\n        ( );\n    return x +\n        fail() + CALL;\n}\n";

    #[test]
    fn calls_end_at_their_closing_parenthesis() {
        let source = Source(TEXT);
        assert_eq!(source.end_of_call(2, 13, "next"), Some((2, 18)));
        assert_eq!(source.end_of_call(2, 25, "named"), Some((2, 40)));
        assert_eq!(source.end_of_call(4, 10, "next"), Some((5, 11)));
        // Another name, no call, and places that are not there.
        assert_eq!(source.end_of_call(2, 13, "named"), None);
        assert_eq!(source.end_of_call(7, 18, "CALL"), None);
        assert_eq!((source.end_of_call(9, 1, "next"), source.end_of_call(2, 0, "next")), (None, None));
    }

    #[test]
    fn statements_begin_after_others() {
        let source = Source(TEXT);
        assert_eq!(source.statement(2, 5), Some(5));
        assert_eq!(source.statement(3, 12), Some(12));
        // Within an expression, and at the beginning of a line that goes on with one.
        assert_eq!((source.statement(2, 13), source.statement(7, 9)), (None, None));
        let source = Source("/* ä */ f();\n    ä(); f();\n");
        assert_eq!(source.statement(2, 11), Some(10));
    }
}

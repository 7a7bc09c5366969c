//! Positions in the source that witnesses name: where the arguments of a call end, where statements begin.

use std::path::Path;

/// A position as witnesses count: lines and characters from 1.
pub type Position = (u32, u32);

/// The source as text, by lines.
pub struct Source<'a> {
    text: &'a str,
    /// Where each line begins.
    starts: Vec<usize>,
    /// Lines of other files that a preprocessor has put there.
    stretches: Vec<Stretch<'a>>,
}

/// Lines behind a line marker (`# 12 "file.c"`).
struct Stretch<'a> {
    /// The file and the line of it that the first of them is.
    file: &'a str,
    line: u32,
    /// The first one's own number, and how many there are.
    own: u32,
    count: u32,
}

impl<'a> Source<'a> {
    /// The source that holds this.
    pub fn new(text: &'a str) -> Self {
        let (mut starts, mut stretches, mut start) = (Vec::new(), Vec::<Stretch<'a>>::new(), 0);
        for (own, content) in (1..).zip(text.split_inclusive('\n')) {
            starts.push(start);
            start += content.len();
            match marker(content) {
                Some((line, file)) => stretches.push(Stretch { file, line, own: own + 1, count: 0 }),
                None => stretches.last_mut().into_iter().for_each(|stretch| stretch.count += 1),
            }
        }
        Self { text, starts, stretches }
    }

    /// The number of a line that debug information has as that line of `file`; the source is called `own`.
    pub fn line_of(&self, file: &str, line: u32, own: &str) -> Option<u32> {
        let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
        if line == 0 {
            return None;
        }
        if self.stretches.is_empty() {
            return (name(file) == name(own)).then_some(line);
        }
        let inside = |stretch: &&Stretch<'_>| {
            line >= stretch.line && line - stretch.line < stretch.count && name(stretch.file) == name(file)
        };
        self.stretches.iter().find(inside).map(|stretch| stretch.own + (line - stretch.line))
    }

    /// Where a line begins and what it holds.
    fn line(&self, number: u32) -> Option<(usize, &'a str)> {
        let start = *self.starts.get((number as usize).checked_sub(1)?)?;
        let end = self.starts.get(number as usize).copied().unwrap_or(self.text.len());
        Some((start, &self.text[start..end]))
    }

    /// The text before and from a column of a line on. Compilers count columns in bytes.
    fn around(&self, line: u32, column: u32) -> Option<(&'a str, &'a str)> {
        let (start, text) = self.line(line)?;
        let at = (column as usize).checked_sub(1).filter(|at| *at < text.len())?;
        Some((text.get(..at)?, self.text.get(start + at..)?))
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
        // What stands in parentheses before may be a cast.
        let is_condition = ["if", "while", "else", "}"].iter().any(|it| before.trim_start().starts_with(it));
        let is_first =
            word.is_empty() || word.ends_with(['{', '}', ';']) || word.ends_with(')') && is_condition;
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

/// The line and file that a line marker names: `# 12 "file.c" 2`, `#line 12 "file.c"`.
fn marker(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix("#line ").or_else(|| line.strip_prefix("# "))?;
    let (number, rest) = rest.split_once(" \"")?;
    Some((number.trim().parse().ok()?, rest.split('"').next()?))
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
        let source = Source::new(TEXT);
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
        let source = Source::new(TEXT);
        assert_eq!(source.statement(2, 5), Some(5));
        assert_eq!(source.statement(3, 12), Some(12));
        // Within an expression, and at the beginning of a line that goes on with one.
        assert_eq!((source.statement(2, 13), source.statement(7, 9)), (None, None));
        let source = Source::new("/* ä */ f();\n    ä(); f();\n");
        assert_eq!(source.statement(2, 11), Some(10));
        let source = Source::new("x = (int)f();\nif (x) f();\n");
        assert_eq!((source.statement(1, 10), source.statement(2, 8)), (None, Some(8)));
    }

    #[test]
    fn lines_of_preprocessed_files_have_numbers_of_their_own() {
        let plain = Source::new("int x;\nint y;\n");
        assert_eq!(plain.line_of("/d/a.c", 2, "a.c"), Some(2));
        assert_eq!((plain.line_of("b.h", 2, "a.c"), plain.line_of("a.c", 0, "a.c")), (None, None));
        let text = "# 1 \"a.c\"\n# 7 \"b.h\" 1\nint b;\n# 2 \"a.c\" 2\nint x;\nint y;\n";
        let source = Source::new(text);
        assert_eq!((source.line_of("b.h", 7, "a.i"), source.line_of("a.c", 3, "a.i")), (Some(3), Some(6)));
        assert_eq!((source.line_of("a.c", 1, "a.i"), source.line_of("a.i", 3, "a.i")), (None, None));
    }
}

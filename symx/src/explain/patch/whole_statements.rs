//! The facts about C and C++ source needed to put statements between its lines. They are where code is, as
//! opposed to comments and literals, and which lines are whole statements inside of a function.

/// Words by which code leaves a stretch of lines other than at its end.
const LEAVING: [&str; 5] = ["return", "break", "continue", "goto", "throw"];

/// Words that end no statement by themselves: what follows belongs to them.
const OPEN: [&str; 2] = ["else", "do"];

/// The lines of a file, comments and literals blank.
pub struct Code {
    lines: Vec<String>,
}

impl Code {
    /// The code of a source file.
    pub fn new(source: &str) -> Self {
        Self { lines: blank(source).lines().map(str::to_owned).collect() }
    }

    /// Whether these lines, from 1, are statements of a function from their beginning to their end, which
    /// control leaves at the end alone.
    pub fn are_statements(&self, first: u32, last: u32) -> bool {
        let (Some(from), Some(count)) = ((first as usize).checked_sub(1), (last + 1).checked_sub(first))
        else {
            return false;
        };
        let Some(lines) = self.lines.get(from..from + count as usize) else { return false };
        let text = lines.join(" ");
        let (text, before) = (text.trim(), self.before(from));
        let is_inside = before.iter().map(|line| depth(line)).sum::<i32>() > 0;
        let begins = before.iter().rev().map(|line| line.trim()).find(|line| !line.is_empty());
        let is_open = |line: &str| OPEN.iter().any(|word| words(line).last() == Some(word));
        let begins = begins.is_some_and(|line| line.ends_with([';', '{', '}', ':']) && !is_open(line));
        let continues = words(text).next().is_some_and(|word| word == "else" || word == "case");
        is_inside && begins && !continues && is_closed(text) && text.ends_with([';', '}']) && !leaves(text)
    }

    fn before(&self, line: usize) -> &[String] {
        &self.lines[..line]
    }

    /// The line, from 1, after which a declaration of the file may stand: the last `#include`'s.
    pub fn last_include(&self) -> u32 {
        let is_include = |line: &String| line.trim_start().starts_with("#include");
        self.lines.iter().rposition(is_include).map_or(0, |line| line as u32 + 1)
    }
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

fn leaves(text: &str) -> bool {
    words(text).any(|word| LEAVING.contains(&word))
}

/// By how much a line opens more braces than it closes.
fn depth(line: &str) -> i32 {
    line.chars().map(|letter| i32::from(letter == '{') - i32::from(letter == '}')).sum()
}

/// Whether each bracket is closed in order.
fn is_closed(text: &str) -> bool {
    let mut open = Vec::new();
    let is_right = text.chars().all(|letter| match letter {
        '(' | '[' | '{' => {
            open.push(letter);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    });
    is_right && open.is_empty()
}

/// The source with blanks in place of comments and of what is between quotation marks; lines stay.
fn blank(source: &str) -> String {
    #[derive(PartialEq)]
    enum In {
        Code,
        Line,
        Block,
        Quotes(char),
    }
    let mut place = In::Code;
    let mut code = String::with_capacity(source.len());
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        if letter == '\n' {
            if matches!(place, In::Line | In::Quotes(_)) {
                place = In::Code;
            }
            code.push('\n');
            continue;
        }
        let shown = match place {
            In::Code if letter == '/' && next == Some('/') => {
                place = In::Line;
                ' '
            }
            In::Code if letter == '/' && next == Some('*') => {
                letters.next();
                place = In::Block;
                ' '
            }
            In::Code if letter == '"' || letter == '\'' => {
                place = In::Quotes(letter);
                letter
            }
            In::Code => letter,
            In::Block if letter == '*' && next == Some('/') => {
                letters.next();
                place = In::Code;
                ' '
            }
            In::Quotes(mark) if letter == mark => {
                place = In::Code;
                letter
            }
            In::Quotes(_) if letter == '\\' => {
                // An escaped character ends no literal.
                if next.is_some_and(|next| next != '\n') {
                    letters.next();
                }
                ' '
            }
            In::Line | In::Block | In::Quotes(_) => ' ',
        };
        code.push(shown);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "#include <pthread.h>\n\
        int count; // { not code\n\
        void *add(void *p) {\n\
            count++;\n\
            if (p)\n\
                count--;\n\
            puts(\"}\");\n\
            for (int i = 0; i < 3; i++) {\n\
                count += i;\n\
            }\n\
            return 0;\n\
        }\n";

    #[test]
    fn whole_statements_of_functions_are_found() {
        let code = Code::new(SOURCE);
        for (first, last, expected) in [
            (4, 4, true),
            (4, 6, true),
            (6, 6, false),
            (7, 7, true),
            (8, 10, true),
            (8, 9, false),
            (9, 9, true),
            (10, 10, false),
            (11, 11, false),
            (2, 2, false),
            (12, 12, false),
            (90, 91, false),
            (0, 0, false),
            (5, 4, false),
        ] {
            assert_eq!(code.are_statements(first, last), expected, "lines {first} to {last}");
        }
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        assert_eq!(blank("a /* { \n } */ b"), "a     \n     b");
        assert_eq!(blank("'\\'' \"{\" {"), "' ' \" \" {");
        assert_eq!(Code::new(SOURCE).last_include(), 1);
        assert_eq!(Code::new("int x;\n").last_include(), 0);
    }
}

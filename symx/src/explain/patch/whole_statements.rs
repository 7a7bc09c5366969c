//! The facts about C and C++ source needed to put statements between its lines. They are where code is, as
//! opposed to comments and literals, and which lines are whole statements inside of a function.

/// Words by which code leaves a stretch of lines other than at its end.
const LEAVING: [&str; 5] = ["return", "break", "continue", "goto", "throw"];

/// Words before a brace that holds declarations, or values.
const DECLARING: [&str; 5] = ["class", "struct", "union", "enum", "namespace"];

/// Words that may stand between the parameters of a function and its body.
const QUALIFYING: [&str; 4] = ["const", "noexcept", "override", "final"];

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
    /// control leaves at the end alone, and enters at the beginning.
    pub fn are_statements(&self, first: u32, last: u32) -> bool {
        let (Some(from), Some(count)) = ((first as usize).checked_sub(1), (last + 1).checked_sub(first))
        else {
            return false;
        };
        let Some(lines) = self.lines.get(from..from + count as usize) else { return false };
        let text = lines.join(" ");
        let (text, before) = (text.trim(), self.before(from));
        let is_inside = is_in_body(before);
        // The parts of a `for` end with semicolons, too.
        let is_in_parentheses = before.iter().map(|line| balance(line, '(', ')')).sum::<i32>() > 0;
        let begins = ends_statement(before);
        let follows_block = last_line(before).is_some_and(|(line, _)| line.ends_with('}'));
        let continues = words(text).next().is_some_and(|word| match word {
            "else" | "case" => true,
            // It may be the end of a `do`.
            "while" => follows_block,
            _ => false,
        });
        let mut after = self.lines[from + count as usize..].iter().map(|line| line.trim_start());
        let goes_on = after.find(|line| !line.is_empty()).is_some_and(|line| {
            // Where a brace comes first, the branch goes on after the block that the lines are in.
            line.starts_with("else") && words(line).next() == Some("else")
        });
        is_inside
            && !is_in_parentheses
            && begins
            && !continues
            && !goes_on
            && is_closed(text)
            && text.ends_with([';', '}'])
            && !leaves(text)
            && !is_entered(text)
    }

    fn before(&self, line: usize) -> &[String] {
        &self.lines[..line]
    }

    /// The line, from 1, after which a declaration of the file may stand that is used from another line on:
    /// that of the last `#include` before, outside of braces and of conditionals that are closed by then.
    pub fn last_include(&self, line: u32) -> u32 {
        // The last one, for the file and each conditional that is open.
        let mut lasts: Vec<u32> = vec![0];
        let mut braces = 0;
        for (number, text) in (1..line).zip(&self.lines) {
            let Some(directive) = text.trim_start().strip_prefix('#') else {
                braces += depth(text);
                continue;
            };
            let innermost = lasts.len() - 1;
            match words(directive).next() {
                Some("if" | "ifdef" | "ifndef") => lasts.push(lasts[innermost]),
                Some("else" | "elif" | "elifdef" | "elifndef") if innermost > 0 => {
                    lasts[innermost] = lasts[innermost - 1];
                }
                Some("endif") if innermost > 0 => lasts.truncate(innermost),
                Some("include") if braces == 0 => lasts[innermost] = number,
                _ => {}
            }
        }
        lasts[lasts.len() - 1]
    }
}

/// The last line with code on it, and the lines before that.
fn last_line(lines: &[String]) -> Option<(&str, &[String])> {
    let number = lines.iter().rposition(|line| !line.trim().is_empty())?;
    Some((lines[number].trim(), &lines[..number]))
}

/// Whether the last of these lines ends a statement, or a label before one.
fn ends_statement(lines: &[String]) -> bool {
    let Some((line, before)) = last_line(lines) else { return false };
    match line.strip_suffix(':') {
        // The part of a conditional expression before its colon is no label.
        Some(label) => is_label(label) && ends_statement(before),
        None => line.ends_with([';', '{', '}']),
    }
}

fn is_label(text: &str) -> bool {
    let is_name = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    words(text).next() == Some("case") && !text.contains('?') || is_name(text.trim_end())
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

fn leaves(text: &str) -> bool {
    words(text).any(|word| LEAVING.contains(&word))
}

/// Whether control may come to one of these statements other than from the one before: to a label, or to a
/// case of a `switch` that begins before.
fn is_entered(text: &str) -> bool {
    let mut braces = 0;
    text.split_inclusive([';', '{', '}']).any(|statement| {
        let is_outermost = braces == 0;
        braces += depth(statement);
        let statement = statement.trim_start();
        let end = statement.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (word, rest) = statement.split_at(end.unwrap_or(statement.len()));
        let rest = rest.trim_start();
        let is_labelled = !word.is_empty() && rest.starts_with(':') && !rest.starts_with("::");
        match word {
            "case" => is_outermost,
            "default" => is_labelled && is_outermost,
            _ => is_labelled,
        }
    })
}

/// Whether the text after these lines is in the body of a function. Braces of types and namespaces are none.
fn is_in_body(lines: &[String]) -> bool {
    let mut bodies: Vec<bool> = Vec::new();
    let mut head = String::new();
    let code = lines.iter().filter(|line| !line.trim_start().starts_with('#'));
    for letter in code.flat_map(|line| line.chars().chain([' '])) {
        match letter {
            '{' => bodies.push(begins_body(&head, bodies.last() == Some(&true))),
            '}' => drop(bodies.pop()),
            ';' => {}
            _ => {
                head.push(letter);
                continue;
            }
        }
        head.clear();
    }
    bodies.last() == Some(&true)
}

/// Whether the brace after this text opens the body of a function, or a block in one.
fn begins_body(head: &str, is_in_body: bool) -> bool {
    let head = head.trim_end();
    let is_qualified = || words(head).next_back().is_some_and(|word| QUALIFYING.contains(&word));
    let is_behind_parameters = || head.contains(')') && (is_qualified() || head.contains("->"));
    head.ends_with(')')
        || is_behind_parameters()
        || is_in_body && !words(head).any(|word| DECLARING.contains(&word))
}

/// By how much a text opens more braces than it closes.
fn depth(line: &str) -> i32 {
    balance(line, '{', '}')
}

fn balance(line: &str, open: char, close: char) -> i32 {
    line.chars().map(|letter| i32::from(letter == open) - i32::from(letter == close)).sum()
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
        assert_eq!(Code::new(SOURCE).last_include(4), 1);
        assert_eq!(Code::new("int x;\n").last_include(1), 0);
    }

    #[test]
    fn declarations_stand_in_no_conditional_that_is_closed() {
        let code = Code::new("#include <a.h>\n#ifdef _WIN32\n#include <b.h>\n#endif\nint x;\n");
        assert_eq!(code.last_include(5), 1);
        let code = Code::new("#ifndef A_H\n#define A_H\n#include <a.h>\nint x;\n#endif\n");
        assert_eq!(code.last_include(4), 3);
        let code = Code::new("#include <a.h>\nint all[] = {\n#include \"all.def\"\n};\nint x;\n");
        assert_eq!(code.last_include(5), 1);
    }

    #[test]
    fn parts_of_statements_on_lines_of_their_own_are_none() {
        for (text, line) in [
            ("if (p) x = 1;\nelse y = 2;", 2),
            ("for (i = 0;\ni < x;\ni++) {\n}", 3),
            ("y = p ? 3 :\nx;", 3),
            ("y = p ?\nz :\nx;", 4),
            ("do {\n}\nwhile (x == 0);", 4),
        ] {
            let code = Code::new(&format!("void f(void) {{\n{text}\n}}\n"));
            assert!(!code.are_statements(line, line), "{text}");
        }
        let code = Code::new("void f(int p) {\nswitch (p) {\ncase 1:\nx = 1;\n}\nout:\nx = 2;\n}\n");
        assert!(code.are_statements(4, 4) && code.are_statements(7, 7));
        let code = Code::new("void f(int p) {\nif (p) {\nx = 1;\n} else {\nx = 2;\n}\n}\n");
        assert!(code.are_statements(3, 3) && code.are_statements(5, 5));
    }

    #[test]
    fn statements_behind_labels_are_entered_there() {
        let entered =
            ["again: x++;", "default: x++;", "case 1: x++;", "x = 1; out: x = 2;", "{ out: x = 2; }"];
        for text in entered {
            let code = Code::new(&format!("void f(void) {{\n{text}\n}}\n"));
            assert!(!code.are_statements(2, 2), "{text}");
        }
        let code = Code::new("void f(void) {\nswitch (p) { case 1: x++; }\ny = p ? a::b : c;\n}\n");
        assert!(code.are_statements(2, 2) && code.are_statements(3, 3));
    }

    #[test]
    fn members_and_functions_on_one_line_are_no_statements() {
        for head in ["struct s", "class s final : t", "namespace n", "extern \"C\"", "struct a((x)) s"] {
            let code = Code::new(&format!("{head} {{\nvoid add() {{ x++; }}\nint y = x;\n}};\n"));
            assert!(!code.are_statements(2, 2) && !code.are_statements(3, 3), "{head}");
        }
        for head in ["int f()", "void s::f() const noexcept", "auto f() -> int", "struct s f(void)"] {
            let code = Code::new(&format!("namespace n {{\n{head} {{\nif (y) {{\nx++;\n}}\n}}\n}}\n"));
            assert!(code.are_statements(4, 4) && code.are_statements(3, 5), "{head}");
        }
    }
}

//! Words that are ours alone: what people read uses the field's.

use crate::assert_none;
use crate::repository::{files, product, read, sources};
use std::path::Path;

/// They stand in no output, help, page, document or comment. The field's are in `docs/glossary.md`.
const PRIVATE: &[&str] = &[
    "nobody",
    "somebody",
    "anybody",
    "everybody",
    "whoever",
    "whom",
    "for ever",
    "remedy",
    "remedies",
    "goes round",
    "comes to its end",
    "come to their end",
    "ends well",
    "is told",
    "so many",
    "the alternate",
    "gives up",
    "given up",
    "made simple",
    "leaves its path",
    "as is assumed",
];

/// Documents that are held to it, and the page of a failure.
const HELD: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs",
    "bitcode-corpus/README.md",
    "symx/src/render/html/page.html",
];

/// It reads files of earlier versions, with their words.
const EARLIER: &str = "trace/src/explanation/mod.rs";

/// The private words of a text.
fn private(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let is_word = |word: &&&str| {
        text.match_indices(**word).any(|(at, _)| {
            let is_letter = |other: Option<char>| other.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next())
        })
    };
    PRIVATE.iter().filter(is_word).copied().collect()
}

/// The texts in a source that users read, with their lines: literals, and the help of the command line.
fn read_by_users(source: &str) -> Vec<(usize, String)> {
    const DERIVES: &[&str] = &["Args", "Parser", "Subcommand", "ValueEnum"];
    let mut found = Vec::new();
    let mut is_help = false;
    for (number, line) in (1..).zip(product(source).lines()) {
        is_help |= line.starts_with("#[derive(") && DERIVES.iter().any(|derive| line.contains(derive));
        is_help &= line != "}";
        let text = line.trim();
        match text.strip_prefix("///") {
            Some(help) if is_help => found.push((number, help.to_owned())),
            // No user reads what a broken invariant of symx says.
            _ if text.starts_with("//") || text.contains("expect(") || text.contains("assert") => {}
            // A literal without a space is none of a report; a name in a format string is no word.
            _ => found.extend(text.split('"').skip(1).step_by(2).filter(|part| part.contains(' ')).map(
                |part| {
                    (number, part.split('{').map(|part| part.split('}').next_back().unwrap_or("")).collect())
                },
            )),
        }
    }
    found
}

/// A document without its code, line by line.
fn prose(document: &str) -> Vec<(usize, String)> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(document.lines()) {
        is_fenced ^= line.trim().starts_with("```");
        if !is_fenced {
            lines.push((number, line.split('`').step_by(2).collect()));
        }
    }
    lines
}

fn problems(path: &Path, texts: Vec<(usize, String)>) -> Vec<String> {
    let words = texts.into_iter().flat_map(|(number, text)| {
        private(&text).into_iter().map(move |word| format!("{}:{number}: \"{word}\"", path.display()))
    });
    words.collect()
}

#[test]
fn output_and_help_use_the_words_of_the_field() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        if path.iter().any(|part| part == "src") && path != Path::new(EARLIER) {
            found.extend(problems(&path, read_by_users(&text)));
        }
    }
    assert_none(&found);
}

#[test]
fn documents_use_the_words_of_the_field() {
    let is_text = |path: &Path| path.extension().is_some_and(|end| end == "md" || end == "html");
    let mut found = Vec::new();
    for path in files().iter().filter(|path| is_text(path) && HELD.iter().any(|held| path.starts_with(held)))
    {
        found.extend(problems(path, prose(&read(path))));
    }
    assert_none(&found);
}

/// The comments of a source, line by line, without their code.
fn comments(source: &str) -> Vec<(usize, String)> {
    let lines = (1..).zip(source.lines());
    let comments = lines.filter(|(_, line)| line.trim_start().starts_with("//"));
    comments.map(|(number, line)| (number, line.split('`').step_by(2).collect())).collect()
}

#[test]
fn comments_use_the_words_of_the_field() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        found.extend(problems(&path, comments(&text)));
    }
    assert_none(&found);
}

#[test]
fn a_private_word_is_seen() {
    assert_eq!(private("Nobody is told of remedies_tried."), ["nobody", "is told"]);
    let source = "/// Whoever reads this.\nlet x = \"somebody waits\";\n#[derive(Args)]\npub struct A {\n\
                  \t/// Gives up.\n\ta: u8,\n}\n/// For ever.\nstruct B;";
    let lines: Vec<usize> = read_by_users(source).iter().map(|(number, _)| *number).collect();
    assert_eq!(lines, [2, 5]);
    assert_eq!(prose("nobody `whoever` x"), [(1, "nobody  x".to_owned())]);
    assert_eq!(comments("let x = 1; // y\n    /// `remedies` whom\n"), [(2, "    ///  whom".to_owned())]);
}

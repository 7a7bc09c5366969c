//! How long the sentences of documents are.

use crate::assert_none;
use crate::repository::{files, read};
use std::path::Path;

/// Words of a sentence. Code counts as one word.
const MOST_WORDS: usize = 25;

/// Documents that are held to it; of a folder, all.
const HELD: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/notes", "docs/glossary.md"];

/// The paragraphs and items of a document: no code, tables or headings.
fn paragraphs(document: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut is_open, mut is_fenced) = (false, false);
    for (number, line) in (1..).zip(document.lines()) {
        let text = line.trim();
        if text.starts_with("```") {
            is_fenced = !is_fenced;
        }
        let is_code = is_fenced || !is_open && line.starts_with("    ");
        let is_other =
            text.is_empty() || text.starts_with(['|', '#', '!', '`', '>']) && !text.starts_with("`");
        if is_code || is_other || text.starts_with("```") {
            is_open = false;
            continue;
        }
        let item = text.split_once(' ').filter(|(mark, _)| {
            *mark == "-" || mark.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok())
        });
        match item {
            Some((_, text)) => paragraphs.push((number, text.to_owned())),
            None if is_open && let Some((_, last)) = paragraphs.last_mut() => {
                last.push(' ');
                last.push_str(text);
            }
            None => paragraphs.push((number, text.to_owned())),
        }
        is_open = true;
    }
    paragraphs
}

/// A paragraph as it is read: code is a word, a link its text, emphasis is nothing.
fn plain(paragraph: &str) -> String {
    let code = paragraph.split('`').enumerate().map(|(at, part)| if at % 2 == 1 { "code" } else { part });
    let text: String = code.collect::<String>().replace("**", "").replace('*', "");
    let mut plain = String::new();
    for (at, part) in text.split("](").enumerate() {
        plain.push_str(if at == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) });
    }
    plain.replace('[', "")
}

/// Sentences that are too long: the line of their paragraph, how many words, and how they begin.
fn long(document: &str, most: usize) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    for (number, paragraph) in paragraphs(document) {
        let text = plain(&paragraph);
        for sentence in
            text.split_inclusive([' ']).collect::<String>().split(". ").flat_map(|part| part.split("? "))
        {
            let words: Vec<&str> = sentence.split_whitespace().collect();
            if words.len() > most {
                found.push((number, words.len(), words[..6.min(words.len())].join(" ")));
            }
        }
    }
    found
}

#[test]
fn sentences_are_short() {
    let held = |path: &Path| {
        HELD.iter().any(|held| path.starts_with(held)) && path.extension().is_some_and(|end| end == "md")
    };
    let mut problems = Vec::new();
    for path in files().iter().filter(|path| held(path)) {
        problems.extend(long(&read(path), MOST_WORDS).into_iter().map(|(number, words, begin)| {
            format!(
                "{}:{number}: a sentence of {words} words, more than {MOST_WORDS}: {begin} ...",
                path.display()
            )
        }));
    }
    assert_none(&problems);
}

#[test]
fn a_long_sentence_is_seen() {
    let document = "# A heading with very many words in it\n\nOne two `three four five` six [seven](a/b/c).\nEight nine.\n\n    \
                    code code code code code code\n\n- One two three\n  four five six.\n| a b c d e f g |\n";
    assert_eq!(long(document, 5), [(8, 6, "One two three four five six.".to_owned())]);
    assert_eq!(long(document, 6), []);
}

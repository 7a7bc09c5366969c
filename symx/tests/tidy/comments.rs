//! How wide comments are.

use crate::assert_none;
use crate::repository::sources;

/// Columns of a comment, as of code (`rustfmt.toml`). Tables have no bound.
const MOST_COLUMNS: usize = 110;

/// The lines on which a comment is too wide, with their widths.
fn wide(text: &str) -> Vec<(usize, usize)> {
    let lines = (1..).zip(text.lines());
    let comments = lines.filter(|(_, line)| {
        let line = line.trim_start();
        line.starts_with("//") && !["/// |", "//! |"].iter().any(|begin| line.starts_with(begin))
    });
    let widths = comments.map(|(number, line)| (number, line.chars().count()));
    widths.filter(|(_, width)| *width > MOST_COLUMNS).collect()
}

#[test]
fn comments_are_no_wider_than_code() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        problems.extend(wide(&text).into_iter().map(|(number, width)| {
            format!("{}:{number}: a comment of {width} columns, more than {MOST_COLUMNS}", path.display())
        }));
    }
    assert_none(&problems);
}

#[test]
fn a_wide_comment_is_seen() {
    let x = "x".repeat(120);
    assert_eq!(wide(&format!("//! |{x}\n// {x}\nlet x = \"{x}\";")), [(2, 123)]);
}

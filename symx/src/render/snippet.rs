//! A place in the source as an annotated snippet.

use annotate_snippets::{AnnotationKind, Element, Origin, Snippet};
use std::ops::Range;
use symx_trace::Location;

/// The snippet at `location` with `label` under it; the bare position where the source cannot be read.
pub fn snippet<'a>(location: &Location, kind: AnnotationKind, label: &str) -> Option<Element<'a>> {
    if location.file.is_empty() || location.line == 0 {
        return None;
    }
    let source = std::fs::read_to_string(&location.file).ok();
    let found =
        source.and_then(|source| span(&source, location.line, location.column).map(|span| (source, span)));
    let Some((source, span)) = found else {
        let origin = Origin::path(location.file.clone()).line(location.line as usize);
        let column = (location.column != 0).then_some(location.column as usize);
        return Some(match column {
            Some(column) => origin.char_column(column).into(),
            None => origin.into(),
        });
    };
    let annotation = kind.span(span);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label.to_owned()) };
    Some(Snippet::source(source).path(location.file.clone()).fold(true).annotation(annotation).into())
}

/// The bytes of the word at a line and column (both from 1; column 0 is the line's text).
fn span(source: &str, line: u32, column: u32) -> Option<Range<usize>> {
    let mut start = 0;
    let mut lines = source.split_inclusive('\n');
    for before in lines.by_ref().take(line as usize - 1) {
        start += before.len();
    }
    let text = lines.next()?.trim_end();
    if column == 0 {
        let indent = text.len() - text.trim_start().len();
        return Some(start + indent..start + text.len());
    }
    let column = (column as usize - 1).min(text.len());
    let rest = text.get(column..)?;
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let length = if word == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { word };
    Some(start + column..start + column + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_selects_its_word() {
        let source = "int x;\n  free(block);\n";
        assert_eq!(&source[span(source, 2, 3).unwrap()], "free");
        assert_eq!(&source[span(source, 2, 7).unwrap()], "(");
        assert_eq!(&source[span(source, 2, 0).unwrap()], "free(block);");
        assert_eq!(span(source, 9, 1), None);
    }
}

//! A place in the source as an annotated snippet.

use crate::files::source_text::SourceText;
use crate::text::visible;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Snippet, Title};
use std::ops::Range;
use symx_trace::Location;

/// The title of a report.
pub fn title(level: Level<'static>, text: &str) -> Title<'static> {
    level.primary_title(visible(text).into_owned())
}

/// The title of a note below a report.
pub fn note_title(text: &str) -> Title<'static> {
    Level::NOTE.secondary_title(visible(text).into_owned())
}

/// The snippet at `location` with `label` under it; the bare position where the source is not to be had.
pub fn snippet<'a>(
    location: &Location,
    kind: AnnotationKind,
    label: &str,
    source: &SourceText,
) -> Option<Element<'a>> {
    if location.file.is_empty() || location.line == 0 {
        return None;
    }
    let file = visible(source.near(&location.file)).into_owned();
    let found = source.read(&location.file).and_then(|source| {
        let span = span(&source, location.line, location.column)?;
        // Columns count the bytes of what was compiled, not of what is shown of it.
        let place = |at: usize| visible(&source[..at]).len();
        Some((visible(&source).into_owned(), place(span.start)..place(span.end)))
    });
    let Some((source, span)) = found else {
        let origin = Origin::path(file).line(location.line as usize);
        let column = (location.column != 0).then_some(location.column as usize);
        return Some(match column {
            Some(column) => origin.char_column(column).into(),
            None => origin.into(),
        });
    };
    let annotation = kind.span(span);
    let annotation =
        if label.is_empty() { annotation } else { annotation.label(visible(label).into_owned()) };
    Some(Snippet::source(source).path(file).fold(true).annotation(annotation).into())
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

//! Source positions.

use serde::{Deserialize, Serialize};

/// Index into the program's table of spans. 0 is "unknown".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpanId(pub u32);

impl SpanId {
    /// No position known.
    pub const UNKNOWN: SpanId = SpanId(0);
}

/// The last part of a path.
pub fn short_file(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A source position, with the call chain through which it was inlined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// Index into the table of file names.
    pub file: u32,
    /// Line, from 1; 0 is unknown.
    pub line: u32,
    /// Column, from 1; 0 is unknown.
    pub column: u32,
    /// Index into the table of scope names: the function whose text this is.
    pub scope: u32,
    /// Where the text was inlined to, if it was; [`SpanId::UNKNOWN`] else.
    pub inlined_at: SpanId,
}

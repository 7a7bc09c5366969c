//! Outcomes of translating what may have no translation.

/// Names a construct that cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// The outcome of translating something.
pub type Translated<T> = Result<T, Unsupported>;

/// Shorthand for an [`Unsupported`] outcome.
pub fn unsupported<T>(what: impl Into<String>) -> Translated<T> {
    Err(Unsupported(what.into()))
}

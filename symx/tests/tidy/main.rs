//! Keeps the house in order: edges between crates, arrows between modules, what libraries may do, sizes,
//! names, words, documents.
//!
//! Each file has checks of one kind. A check is a function from text to its errors, so that it is tried on a
//! small wrong text as well.

mod arrows;
mod comments;
mod documents;
mod edges;
mod libraries;
mod notices;
mod paths;
mod repository;
mod seams;
mod sentences;
mod sizes;
mod words;

/// Fails with all that a check has found.
fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

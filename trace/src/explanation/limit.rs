//! Why a part of an explanation is missing.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a part is missing. As JSON it is its sentence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Limit {
    /// No fix is suggested, for this reason.
    NoFix(String),
    /// No reordering of the failing execution's events passes.
    Unavoidable {
        /// Whether a passing execution shows what avoids the failure.
        is_shown: bool,
    },
    /// Anything else, a sentence.
    Other(String),
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFix(why) => write!(formatter, "no fix suggested: {why}"),
            Self::Unavoidable { is_shown } => {
                let shown = if *is_shown { ", as in the passing execution" } else { "" };
                write!(
                    formatter,
                    "no reordering of these events avoids the failure: another branch or further events are \
                     needed{shown}"
                )
            }
            Self::Other(sentence) => formatter.write_str(sentence),
        }
    }
}

impl From<String> for Limit {
    fn from(sentence: String) -> Self {
        Self::Other(sentence)
    }
}

impl From<&str> for Limit {
    fn from(sentence: &str) -> Self {
        Self::Other(sentence.to_owned())
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> Self {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Limit;

    #[test]
    fn json_has_the_sentence() {
        let limit = Limit::Unavoidable { is_shown: false };
        let text = serde_json::to_string(&limit).unwrap();
        assert!(
            text.starts_with("\"no reordering of these events") && text.ends_with("are needed\""),
            "{text}"
        );
        let read: Limit = serde_json::from_str(&text).unwrap();
        assert_eq!(read.to_string(), limit.to_string());
    }
}

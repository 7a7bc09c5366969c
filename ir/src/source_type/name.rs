//! What the objects of a program are called for people.

use std::fmt;
use std::ops::Deref;

/// What an object, or a part of one, is called for people: as the source calls it, as far as it does, and
/// what tells it from others. As a string, all of that: `count of worker (T1)`, `heap(a.c:3)+8`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SourceName {
    text: String,
    /// How many bytes of it, from the first on, are an expression of the source.
    expression: usize,
}

impl SourceName {
    /// The name of what the source calls so: `queue->count`.
    pub fn expression(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { expression: text.len(), text }
    }

    /// The name of what the source has no name for: `standard output`.
    pub fn description(text: impl Into<String>) -> Self {
        Self { text: text.into(), expression: 0 }
    }

    /// The name that begins with what the source calls so; `None` if it does not begin with that.
    pub fn beginning(text: impl Into<String>, in_source: &str) -> Option<Self> {
        let text = text.into();
        text.starts_with(in_source).then_some(Self { text, expression: in_source.len() })
    }

    /// With more that tells it from others: ` of worker`.
    #[must_use]
    pub fn and(mut self, more: &str) -> Self {
        self.text += more;
        self
    }

    /// The part of it that the source has; "" if there is none.
    pub fn in_source(&self) -> &str {
        &self.text[..self.expression]
    }

    /// Whether the source may use it as it stands.
    pub fn is_expression(&self) -> bool {
        !self.text.is_empty() && self.expression == self.text.len()
    }

    /// For sentences: the part that the source has stands in quotes.
    pub fn quoted(&self) -> String {
        match self.text.split_at(self.expression) {
            ("", description) => description.to_owned(),
            (expression, more) => format!("`{expression}`{more}"),
        }
    }
}

impl Deref for SourceName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(formatter)
    }
}

impl From<&str> for SourceName {
    fn from(expression: &str) -> Self {
        Self::expression(expression)
    }
}

impl From<SourceName> for String {
    fn from(name: SourceName) -> Self {
        name.text
    }
}

#[cfg(test)]
mod tests {
    use super::SourceName;

    #[test]
    fn what_the_source_has_stands_in_quotes() {
        let names = [
            (SourceName::default(), ""),
            (SourceName::expression("queue.lock"), "`queue.lock`"),
            (SourceName::expression("i").and(" of worker"), "`i` of worker"),
            (SourceName::description("heap(a.c:3)").and("+8"), "heap(a.c:3)+8"),
        ];
        for (name, quoted) in names {
            assert_eq!(name.quoted(), quoted);
            assert_eq!(SourceName::beginning(&*name, name.in_source()), Some(name));
        }
        assert_eq!(SourceName::beginning("count", "total"), None);
    }
}

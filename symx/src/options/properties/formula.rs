//! Specifications: `CHECK( init(main()), LTL(G ! call(reach_error())) )`, a line each.

use super::{Properties, ROWS};
use std::fmt;

/// Where a specification is none, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misstated {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The mistake there.
    pub why: Mistake,
}

/// A mistake in a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// Something else has to stand there.
    Expected(&'static str),
    /// A formula of no property that can be checked.
    Unknown(String),
    /// The file states nothing.
    Empty,
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected(what) => write!(out, "expected `{what}`"),
            Self::Unknown(formula) => {
                let known: Vec<String> = ROWS.iter().map(|row| format!("`{}`", row.formulas[0])).collect();
                write!(out, "`{formula}` is no formula that symx checks; those are {}", known.join(", "))
            }
            Self::Empty => write!(out, "expected `CHECK( init(main()), LTL(...) )`"),
        }
    }
}

/// The properties that a text states.
pub fn specification(text: &str) -> Result<Properties, Misstated> {
    let mut stated = Properties::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let mut reader = Reader { line, at: 0 };
        let property = reader.check().map_err(|why| Misstated {
            line: number + 1,
            column: line[..reader.at].chars().count() + 1,
            why,
        })?;
        stated = stated.and(&Properties(vec![property]));
    }
    if stated.is_empty() {
        return Err(Misstated { line: 1, column: 1, why: Mistake::Empty });
    }
    Ok(stated)
}

/// The rest of a line.
struct Reader<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Goes past these words, whatever blanks are between.
    fn expect(&mut self, words: &[&'static str]) -> Result<(), Mistake> {
        for word in words {
            self.skip_blanks();
            if !self.rest().starts_with(word) {
                return Err(Mistake::Expected(word));
            }
            self.at += word.len();
        }
        Ok(())
    }

    fn check(&mut self) -> Result<super::Property, Mistake> {
        self.expect(&["CHECK", "(", "init", "(", "main", "(", ")", ")", ",", "LTL", "("])?;
        self.skip_blanks();
        let (start, formula) = (self.at, self.formula());
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let is_it = |known: &&str| plain(known) == plain(formula);
        let Some(row) = ROWS.iter().find(|row| row.formulas.iter().any(&is_it)) else {
            return Err(Mistake::Unknown(formula.trim_end().to_owned()));
        };
        self.at = start + formula.len();
        self.expect(&[")", ")"])?;
        self.skip_blanks();
        if self.rest().is_empty() { Ok(row.property) } else { Err(Mistake::Expected("the end of the line")) }
    }

    /// The text up to the parenthesis that ends it.
    fn formula(&self) -> &'a str {
        let mut open = 0;
        for (at, character) in self.rest().char_indices() {
            match character {
                '(' => open += 1,
                ')' if open == 0 => return &self.rest()[..at],
                ')' => open -= 1,
                _ => {}
            }
        }
        self.rest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misstated(text: &str) -> (usize, usize, String) {
        let Misstated { line, column, why } = specification(text).unwrap_err();
        (line, column, why.to_string())
    }

    #[test]
    fn published_specifications_are_read() {
        let text = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                    CHECK( init(main()), LTL(G valid-memtrack) )\n\n";
        assert_eq!(specification(text).unwrap().name(), "valid-memsafety");
        let narrow = "CHECK(init(main()),LTL(G!call(reach_error())))";
        assert_eq!(specification(narrow).unwrap().name(), "unreach-call");
    }

    #[test]
    fn mistakes_have_their_place() {
        assert_eq!(misstated(""), (1, 1, "expected `CHECK( init(main()), LTL(...) )`".into()));
        assert_eq!(misstated("\nCHEKC( init(main()) )"), (2, 1, "expected `CHECK`".into()));
        assert_eq!(misstated("CHECK( init(start()), LTL(F end) )"), (1, 13, "expected `main`".into()));
        let (line, column, why) = misstated("CHECK( init(main()), LTL(F edn) )");
        assert_eq!((line, column), (1, 26));
        assert!(why.starts_with("`F edn` is no formula that symx checks"), "{why}");
        assert_eq!(misstated("CHECK( init(main()), LTL(F end)"), (1, 32, "expected `)`".into()));
        assert_eq!(misstated("CHECK( init(main()), LTL(F end) ) x").2, "expected `the end of the line`");
        assert_eq!(misstated("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )").2, "expected `CHECK`");
    }
}

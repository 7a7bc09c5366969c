//! As much of a source file as a report needs.

use serde::Serialize;
use std::collections::BTreeSet;

/// Files of up to this many lines are shown whole.
const SHORT: usize = 2000;

/// Of longer ones, this many lines before and after each that is referred to.
const AROUND: u32 = 60;

/// Consecutive lines.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// Number of the first, from 1.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
}

/// The part shown of `text`, of which `wanted` lines are referred to.
pub fn excerpts(text: &str, wanted: &BTreeSet<u32>) -> Vec<Excerpt> {
    let lines: Vec<&str> = text.lines().collect();
    let part = |first: u32, last: u32| Excerpt {
        first,
        lines: lines[first as usize - 1..last as usize].iter().map(|line| (*line).to_owned()).collect(),
    };
    let all = lines.len() as u32;
    if lines.len() <= SHORT {
        return if all == 0 { Vec::new() } else { vec![part(1, all)] };
    }
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in wanted.iter().filter(|line| (1..=all).contains(*line)) {
        let (first, last) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(all));
        match ranges.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last,
            _ => ranges.push((first, last)),
        }
    }
    ranges.into_iter().map(|(first, last)| part(first, last)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_shown_in_parts() {
        assert_eq!(excerpts("", &[3].into()), []);
        let short = excerpts("a\nb\n", &[9].into());
        assert_eq!(short, [Excerpt { first: 1, lines: vec!["a".into(), "b".into()] }]);
        let long = "x\n".repeat(3000);
        let parts = excerpts(&long, &[0, 10, 100, 2990].into());
        let ranges: Vec<_> = parts.iter().map(|part| (part.first, part.lines.len())).collect();
        assert_eq!(ranges, [(1, 160), (2930, 71)]);
    }
}

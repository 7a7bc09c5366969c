//! `--what-if`: what a program would do if one of its synchronisations did nothing, or if it had
//! one that it lacks.

use std::fmt;
use std::str::FromStr;
use symx_interp::remedies::{SourceLine, SourceRemedy};
use symx_ir::guard::Section;
use symx_trace::explanation::AtomicOrdering;

/// One assumption, as people write it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WhatIf {
    /// `FILE:LINE`: the synchronisation there does nothing.
    Omission(SourceLine),
    /// `lock:FILE:LINE-LINE`: one mutex that the program lacks is held there, and at all other such places.
    Lock(Section),
    /// `atomic:FILE:LINE-FILE:LINE`, `atomic-access:FILE:LINE`, `release-acquire:FILE:LINE`,
    /// `order:FILE:LINE<FILE:LINE`, `join:FILE:LINE` or `fence:FILE:LINE`.
    Remedy(SourceRemedy),
}

/// The places among assumptions at which a mutex is held that the program lacks.
pub fn locks(assumptions: &[WhatIf]) -> Vec<Section> {
    let lock = |assumption: &WhatIf| match assumption {
        WhatIf::Lock(section) => Some(section.clone()),
        _ => None,
    };
    assumptions.iter().filter_map(lock).collect()
}

/// The fixes among assumptions.
pub fn remedies(assumptions: &[WhatIf]) -> Vec<SourceRemedy> {
    let remedy = |assumption: &WhatIf| match assumption {
        WhatIf::Remedy(remedy) => Some(remedy.clone()),
        WhatIf::Omission(_) | WhatIf::Lock(_) => None,
    };
    assumptions.iter().filter_map(remedy).collect()
}

impl FromStr for WhatIf {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(lines) = text.strip_prefix("atomic:") {
            let (first, last) = two_lines(lines, '-').ok_or("expected atomic:FILE:LINE-FILE:LINE")?;
            return Ok(Self::Remedy(SourceRemedy::AtomicBlock { first, last }));
        }
        if let Some(lines) = text.strip_prefix("lock:") {
            let expected = "expected lock:FILE:LINE-LINE";
            let (first, last) = two_lines(lines, '-').ok_or(expected)?;
            let is_one = first.file == last.file && first.line <= last.line;
            let section = Section { file: first.file, first: first.line, last: last.line };
            return is_one.then_some(Self::Lock(section)).ok_or(expected);
        }
        if let Some(lines) = text.strip_prefix("order:") {
            let (before, after) = two_lines(lines, '<').ok_or("expected order:FILE:LINE<FILE:LINE")?;
            return Ok(Self::Remedy(SourceRemedy::Order { before, after }));
        }
        if let Some(place) = text.strip_prefix("fence:") {
            let before = line(place).ok_or("expected fence:FILE:LINE")?;
            return Ok(Self::Remedy(SourceRemedy::Fence { before }));
        }
        if let Some(place) = text.strip_prefix("join:") {
            let before = line(place).ok_or("expected join:FILE:LINE")?;
            return Ok(Self::Remedy(SourceRemedy::Join { before }));
        }
        if let Some(place) = text.strip_prefix("atomic-access:") {
            let at = line(place).ok_or("expected atomic-access:FILE:LINE")?;
            let ordering = AtomicOrdering::SequentiallyConsistent;
            return Ok(Self::Remedy(SourceRemedy::Atomic { at, ordering }));
        }
        if let Some(place) = text.strip_prefix("release-acquire:") {
            let at = line(place).ok_or("expected release-acquire:FILE:LINE")?;
            return Ok(Self::Remedy(SourceRemedy::Atomic { at, ordering: AtomicOrdering::ReleaseAcquire }));
        }
        let forms = "expected FILE:LINE, atomic:FILE:LINE-FILE:LINE, lock:FILE:LINE-LINE, \
                     atomic-access:FILE:LINE, release-acquire:FILE:LINE, order:FILE:LINE<FILE:LINE, \
                     join:FILE:LINE or fence:FILE:LINE";
        line(text).map(Self::Omission).ok_or(forms)
    }
}

impl fmt::Display for WhatIf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Omission(place) => place.fmt(formatter),
            Self::Lock(Section { file, first, last }) => write!(formatter, "lock:{file}:{first}-{last}"),
            Self::Remedy(SourceRemedy::AtomicBlock { first, last }) => {
                write!(formatter, "atomic:{first}-{last}")
            }
            Self::Remedy(SourceRemedy::Order { before, after }) => {
                write!(formatter, "order:{before}<{after}")
            }
            Self::Remedy(SourceRemedy::Fence { before }) => write!(formatter, "fence:{before}"),
            Self::Remedy(SourceRemedy::Join { before }) => write!(formatter, "join:{before}"),
            Self::Remedy(SourceRemedy::Atomic { at, ordering }) => match ordering {
                AtomicOrdering::SequentiallyConsistent => write!(formatter, "atomic-access:{at}"),
                AtomicOrdering::ReleaseAcquire => write!(formatter, "release-acquire:{at}"),
            },
        }
    }
}

fn line(text: &str) -> Option<SourceLine> {
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!file.is_empty()).then(|| SourceLine { file: file.to_owned(), line })
}

/// Two places with a separator that file names may contain, too; the second may leave the file out.
fn two_lines(text: &str, separator: char) -> Option<(SourceLine, SourceLine)> {
    text.match_indices(separator).find_map(|(at, _)| {
        let one = line(&text[..at])?;
        let rest = &text[at + separator.len_utf8()..];
        let other = match rest.parse().ok().filter(|line| *line > 0) {
            Some(line) => SourceLine { line, ..one.clone() },
            None => line(rest)?,
        };
        Some((one, other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_read() {
        for text in [
            "a.c:7",
            "atomic:x-1.c:7-src/y.c:9",
            "lock:src/x-1.c:7-9",
            "order:a.c:3<b.c:4",
            "fence:a.c:12",
            "atomic-access:a.c:9",
            "release-acquire:a.c:9",
            "join:a.c:8",
        ] {
            assert_eq!(text.parse::<WhatIf>().unwrap().to_string(), text);
        }
        assert_eq!("atomic:a.c:7-9".parse::<WhatIf>().unwrap().to_string(), "atomic:a.c:7-a.c:9");
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in [
            "",
            "a.c",
            "a.c:0",
            ":7",
            "atomic:a.c:7",
            "lock:a.c:7",
            "lock:a.c:7-6",
            "lock:a.c:7-b.c:8",
            "order:a.c:7<",
            "fence:a.c",
            "fence:a.c:x",
            "atomic-access:a.c",
            "join:a.c",
        ] {
            assert!(text.parse::<WhatIf>().is_err(), "{text}");
        }
    }
}

//! The parts of a variable, as in the source, so that a place within it can be called by its name.

pub mod name;
pub mod objects;

use crate::debug_info::Encoding;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The type of a variable or of a part of one. Sizes and offsets are in bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum SourceType {
    /// A number, a pointer, or anything else without parts that have names.
    Plain {
        /// Its size.
        size: u64,
        /// How its bits are read.
        encoding: Encoding,
    },
    /// An enumeration.
    Enumeration {
        /// Its size.
        size: u64,
        /// How the bits of its numbers are read.
        encoding: Encoding,
        /// Its enumerators, in their order.
        enumerators: Vec<(String, i64)>,
    },
    /// An array.
    Array {
        /// The type of its elements.
        element: Box<SourceType>,
        /// Its size; 0 of one whose length the source does not say. It reaches to the end of its object.
        size: u64,
    },
    /// A structure, class or union.
    Record {
        /// Its parts; those of a union lie in the same place.
        fields: Vec<Field>,
        /// Its size.
        size: u64,
    },
}

/// A part of a record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Its name; "" for a base class and for an unnamed structure.
    pub name: String,
    /// Where it begins.
    pub offset: u64,
    /// Its type.
    pub of: SourceType,
    /// Whether it stands for the whole record: what a library's wrapper holds.
    pub is_payload: bool,
}

impl Field {
    /// Whether the byte of the record at `offset` is in it.
    fn covers(&self, offset: u64) -> bool {
        (self.offset..self.offset.saturating_add(self.of.reach())).contains(&offset)
    }
}

impl SourceType {
    /// The size.
    pub fn size(&self) -> u64 {
        match self {
            Self::Plain { size, .. }
            | Self::Enumeration { size, .. }
            | Self::Array { size, .. }
            | Self::Record { size, .. } => *size,
        }
    }

    /// Up to where it reaches: its size, or all that follows.
    fn reach(&self) -> u64 {
        match self {
            Self::Array { size: 0, .. } => u64::MAX,
            Self::Record { fields, .. } if fields.iter().any(|field| field.of.is_open()) => u64::MAX,
            _ => self.size(),
        }
    }

    /// Whether it is, or ends in, an array whose length the source does not say.
    pub fn is_open(&self) -> bool {
        self.reach() == u64::MAX
    }

    /// An array of as many as fit into `size` bytes.
    pub fn times(self, size: u64) -> Self {
        Self::Array { element: Box::new(self), size }
    }

    /// The type of an object of `size` bytes that was allocated for this: an array if there is room for more.
    pub fn filling(&self, size: u64) -> Cow<'_, Self> {
        if size > self.reach() { Cow::Owned(self.clone().times(size)) } else { Cow::Borrowed(self) }
    }

    /// The numbers that the `length` bytes at `offset` are, if all are of one type: how their bits are read,
    /// and the size of each.
    pub fn numbers(&self, offset: u64, length: u64) -> Option<(Encoding, u64)> {
        if length == 0 || offset.checked_add(length)? > self.reach() {
            return None;
        }
        match self {
            Self::Plain { size, encoding } | Self::Enumeration { size, encoding, .. } => {
                let is_number = !matches!(encoding, Encoding::Address | Encoding::Other);
                (length == *size && is_number).then_some((*encoding, *size))
            }
            Self::Array { element, .. } => {
                let size = element.size();
                let within = offset.checked_rem(size)?;
                match within + length <= size {
                    true => element.numbers(within, length),
                    false if within == 0 && length.is_multiple_of(size) => element.numbers(0, size),
                    false => None,
                }
            }
            Self::Record { fields, .. } => {
                let around = fields.iter().filter(|field| offset >= field.offset);
                let mut numbers = around.filter_map(|field| field.of.numbers(offset - field.offset, length));
                let first = numbers.next()?;
                // The parts of a union may be numbers of several types.
                numbers.all(|other| other == first).then_some(first)
            }
        }
    }

    /// The part that is just the `length` bytes at `offset`, the outermost if several are. `None` if there is
    /// none, or if parts of a union there are of several types.
    pub fn part(&self, offset: u64, length: u64) -> Option<&Self> {
        let is_whole = offset == 0 && length > 0 && length == self.size();
        if is_whole { Some(self) } else { self.part_within(offset, length) }
    }

    /// The number, pointer or enumeration that is just these bytes.
    pub fn number(&self, offset: u64, length: u64) -> Option<&Self> {
        let mut part = self.part(offset, length)?;
        while matches!(part, Self::Array { .. } | Self::Record { .. }) {
            // An inner part lies deeper in the same type, so this ends.
            part = part.part_within(0, length)?;
        }
        Some(part)
    }

    fn part_within(&self, offset: u64, length: u64) -> Option<&Self> {
        match self {
            Self::Plain { .. } | Self::Enumeration { .. } => None,
            Self::Array { element, .. } => {
                let within = offset.checked_rem(element.size())?;
                (offset < self.reach()).then(|| element.part(within, length)).flatten()
            }
            Self::Record { fields, .. } => {
                let around = fields.iter().filter(|field| offset >= field.offset);
                let parts = around.filter_map(|field| field.of.part(offset - field.offset, length));
                // An empty base class has a size, but no part that lies there.
                let is_empty =
                    |part: &&Self| matches!(part, Self::Record { fields, .. } if fields.is_empty());
                let mut parts = parts.filter(|part| !is_empty(part));
                let first = parts.next()?;
                parts.all(|other| other == first).then_some(first)
            }
        }
    }

    /// Whether a plain part of it is just these bytes.
    fn has_part(&self, offset: u64, length: u64) -> bool {
        match self {
            Self::Plain { size, .. } | Self::Enumeration { size, .. } => offset == 0 && length == *size,
            Self::Array { element, .. } => {
                let within = offset.checked_rem(element.size());
                offset < self.reach() && within.is_some_and(|within| element.has_part(within, length))
            }
            Self::Record { fields, .. } => fields
                .iter()
                .any(|field| offset >= field.offset && field.of.has_part(offset - field.offset, length)),
        }
    }

    /// Whether the byte at `offset` is of what a library's class is made to hold.
    fn holds(&self, offset: u64) -> bool {
        let Self::Record { fields, .. } = self else { return false };
        let mut there = fields.iter().filter(|field| field.covers(offset));
        there.any(|field| field.is_payload || field.of.holds(offset - field.offset))
    }

    /// How the source names the `length` bytes at `offset`, after the variable's name: `[1].next`. A length
    /// of 0 means whatever begins there. A part without a name of its own is written as a distance, as in
    /// `.word+2`. What only the implementation names is called by what it is a part of.
    pub fn place(&self, offset: u64, length: u64) -> String {
        let is_part = length == 0 || length < self.reach();
        match self {
            Self::Array { element, .. } if is_part && element.size() > 0 => {
                let rest = element.place(offset % element.size(), length);
                format!("[{}]{rest}", offset / element.size())
            }
            Self::Record { fields, .. } if is_part => {
                let is_union = fields.len() > 1 && fields.iter().all(|field| field.offset == 0);
                // Of a union's parts, one that is just as long is meant, if there is only one.
                let around = |field: &&Field| {
                    field.covers(offset) && (!is_union || length > 0 && field.of.has_part(offset, length))
                };
                // Parts without a name for the author, as those of a library's class, have their distances.
                let nameless = || distance(offset);
                let mut around = fields.iter().filter(around);
                match (around.next(), around.next()) {
                    (Some(field), None) => {
                        let part = field.of.place(offset - field.offset, length);
                        if field.is_payload {
                            return part;
                        }
                        if is_reserved(&field.name) {
                            // What a library's class holds may be the author's. Of the rest, the names of
                            // libstdc++ say most: `.use_count` of a shared pointer's `_M_use_count`.
                            let of_class =
                                field.name.strip_prefix(OF_CLASS).filter(|_| offset == field.offset);
                            return match of_class {
                                _ if part.starts_with(['.', '[']) => part,
                                _ if field.of.holds(offset - field.offset) => part,
                                Some(name) if offset > 0 => format!(".{name}"),
                                _ => nameless(),
                            };
                        }
                        match field.name.is_empty() {
                            // A field without a name may have parts with names, or with reserved ones.
                            true if part.starts_with(['.', '[']) => part,
                            true => nameless(),
                            false => format!(".{}{part}", field.name),
                        }
                    }
                    _ => nameless(),
                }
            }
            _ => distance(offset),
        }
    }
}

/// What the names of fields of libstdc++'s classes begin with.
const OF_CLASS: &str = "_M_";

/// Whether a name is the implementation's own (C11, 7.1.3), so that what it names has no name for the author
/// of a program.
fn is_reserved(name: &str) -> bool {
    let mut rest = name.strip_prefix('_').unwrap_or_default().chars();
    rest.next().is_some_and(|first| first == '_' || first.is_ascii_uppercase())
}

fn distance(offset: u64) -> String {
    if offset == 0 { String::new() } else { format!("+{offset}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, offset: u64, of: SourceType) -> Field {
        Field { name: name.into(), offset, of, is_payload: false }
    }

    fn plain(size: u64) -> SourceType {
        SourceType::Plain { size, encoding: Encoding::Other }
    }

    #[test]
    fn numbers_are_those_of_the_part_that_is_meant() {
        let number = |encoding, size| SourceType::Plain { size, encoding };
        let text = SourceType::Array { element: Box::new(number(Encoding::SignedChar, 1)), size: 8 };
        let record = SourceType::Record {
            fields: vec![field("count", 0, number(Encoding::Unsigned, 4)), field("name", 4, text)],
            size: 12,
        };
        let all = SourceType::Array { element: Box::new(record), size: 24 };
        assert_eq!(all.numbers(12, 4), Some((Encoding::Unsigned, 4)));
        assert_eq!(all.numbers(16, 8), Some((Encoding::SignedChar, 1)));
        assert_eq!(all.numbers(18, 1), Some((Encoding::SignedChar, 1)));
        // Bytes of several types, a part of a number, and bytes beyond the end.
        assert_eq!((all.numbers(0, 12), all.numbers(0, 2), all.numbers(16, 12)), (None, None, None));
        assert_eq!((plain(4).numbers(0, 4), all.numbers(0, 0)), (None, None));
        let either = |other| SourceType::Record {
            fields: vec![field("one", 0, number(Encoding::Signed, 4)), field("other", 0, number(other, 4))],
            size: 4,
        };
        assert_eq!(either(Encoding::Signed).numbers(0, 4), Some((Encoding::Signed, 4)));
        assert_eq!(either(Encoding::Float).numbers(0, 4), None);
    }

    #[test]
    fn a_number_is_found_however_deep_it_lies() {
        let boolean = || SourceType::Plain { size: 1, encoding: Encoding::Boolean };
        let colour = || SourceType::Enumeration {
            size: 4,
            encoding: Encoding::Unsigned,
            enumerators: vec![("RED".into(), 0), ("BLUE".into(), 1)],
        };
        let empty = SourceType::Record { fields: Vec::new(), size: 1 };
        // As `std::atomic<bool>` is: a class around one whose base class is empty.
        let inner =
            SourceType::Record { fields: vec![field("", 0, empty), field("i", 0, boolean())], size: 1 };
        let atomic = SourceType::Record { fields: vec![field("base", 0, inner)], size: 1 };
        let record = SourceType::Record {
            fields: vec![field("is_set", 0, atomic), field("of", 4, colour())],
            size: 8,
        };
        let all = record.clone().times(24);
        assert_eq!((all.number(8, 1), all.number(12, 4)), (Some(&boolean()), Some(&colour())));
        assert_eq!((all.part(16, 8), all.number(16, 8)), (Some(&record), None));
        assert_eq!((all.number(13, 1), all.number(24, 1), all.number(8, 0)), (None, None, None));
        assert_eq!(all.numbers(12, 4), Some((Encoding::Unsigned, 4)));
        let pointer = SourceType::Plain { size: 8, encoding: Encoding::Address };
        assert_eq!((pointer.number(0, 8), pointer.numbers(0, 8)), (Some(&pointer), None));
    }

    #[test]
    fn places_have_the_names_of_the_source() {
        let int = || plain(4);
        let either =
            SourceType::Record { fields: vec![field("one", 0, int()), field("other", 0, plain(8))], size: 8 };
        let node = SourceType::Record {
            fields: vec![field("value", 0, int()), field("", 8, either), field("next", 16, plain(8))],
            size: 24,
        };
        let nodes = SourceType::Array { element: Box::new(node), size: 72 };
        assert_eq!(nodes.place(40, 8), "[1].next");
        assert_eq!(nodes.place(24, 4), "[1].value");
        assert_eq!(nodes.place(24, 0), "[1].value");
        assert_eq!(nodes.place(26, 1), "[1].value+2");
        assert_eq!(nodes.place(0, 72), "");
        assert_eq!(nodes.place(24, 24), "[1]");
        // No part of the union is these bytes; between the parts of a structure there is nothing.
        assert_eq!(nodes.place(36, 4), "[1]+12");
        assert_eq!(nodes.place(28, 4), "[1]+4");
        assert_eq!(int().place(0, 4), "");
    }

    #[test]
    fn an_array_of_unknown_length_reaches_to_the_end() {
        let open = || plain(4).times(0);
        assert_eq!((open().place(4, 4), open().place(0, 0)), ("[1]".into(), "[0]".into()));
        let message = SourceType::Record {
            fields: vec![field("length", 0, plain(8)), field("words", 8, open())],
            size: 8,
        };
        assert!(message.is_open() && !plain(4).is_open());
        assert_eq!((message.place(0, 8), message.place(16, 4)), (".length".into(), ".words[2]".into()));
        assert_eq!(message.filling(64).place(16, 4), ".words[2]");
        assert_eq!((message.number(16, 4), message.number(18, 4)), (Some(&plain(4)), None));
    }

    #[test]
    fn what_a_wrapper_holds_stands_for_it() {
        let payload = |name, offset, of| Field { is_payload: true, ..field(name, offset, of) };
        let lock = SourceType::Record {
            fields: vec![payload("inner", 0, plain(4)), field("poison", 4, plain(1))],
            size: 8,
        };
        let account = SourceType::Record { fields: vec![field("balance", 0, lock)], size: 8 };
        let shared = SourceType::Record {
            fields: vec![field("strong", 0, plain(8)), payload("data", 8, account)],
            size: 16,
        };
        assert_eq!((shared.place(8, 0), shared.place(8, 4)), (".balance".into(), ".balance".into()));
        assert_eq!((shared.place(12, 1), shared.place(0, 8)), (".balance.poison".into(), ".strong".into()));
    }

    /// The type of the field `cv`.
    fn condition_of(queue: &SourceType) -> SourceType {
        queue.part(8, 16).unwrap().clone()
    }

    #[test]
    fn parts_that_the_implementation_names_have_none() {
        let plain = || plain(8);
        let condition = SourceType::Record {
            fields: vec![field("_M_cond", 0, plain()), field("__w", 8, plain())],
            size: 16,
        };
        let queue = SourceType::Record {
            fields: vec![field("lock", 0, plain()), field("cv", 8, condition)],
            size: 24,
        };
        assert_eq!(queue.place(8, 0), ".cv");
        assert_eq!(queue.place(8, 8), ".cv");
        assert_eq!(queue.place(16, 8), ".cv+8");
        let derived = SourceType::Record {
            fields: vec![field("", 0, queue.clone()), field("count", 24, plain())],
            size: 32,
        };
        assert_eq!((derived.place(16, 8), derived.place(24, 8)), (".cv+8".into(), ".count".into()));
        // A node of a list: what it holds has parts with names.
        let job =
            SourceType::Record { fields: vec![field("id", 0, plain()), field("cost", 8, plain())], size: 16 };
        let jobs = SourceType::Array { element: Box::new(job.clone()), size: 32 };
        let node = SourceType::Record {
            fields: vec![field("_M_next", 0, plain()), field("_M_storage", 8, job)],
            size: 24,
        };
        assert_eq!((node.place(16, 8), node.place(0, 8)), (".cost".into(), String::new()));
        let array = SourceType::Record {
            fields: vec![field("_M_elems", 0, jobs), field("n", 32, plain())],
            size: 40,
        };
        assert_eq!(array.place(24, 8), "[1].cost");
        let counts = SourceType::Record {
            fields: vec![field("_M_use_count", 8, plain()), field("_M_weak_count", 16, plain())],
            size: 24,
        };
        let storage = Field { is_payload: true, ..field("_M_storage", 0, plain()) };
        let held = SourceType::Record { fields: vec![storage], size: 8 };
        let shared =
            SourceType::Record { fields: vec![field("", 0, counts), field("_M_impl", 24, held)], size: 32 };
        assert_eq!((shared.place(8, 8), shared.place(20, 4)), (".use_count".into(), "+20".into()));
        assert_eq!((shared.place(24, 8), shared.place(28, 4)), (String::new(), "+4".into()));
        let locked = SourceType::Record { fields: vec![field("", 0, condition_of(&queue))], size: 16 };
        assert_eq!(locked.place(8, 8), "+8");
        assert_eq!((is_reserved("_x"), is_reserved("x_"), is_reserved("_")), (false, false, false));
    }

    #[test]
    fn the_part_of_a_union_that_is_as_long_is_meant() {
        let bytes = SourceType::Array { element: Box::new(plain(1)), size: 8 };
        let either = |also: Field| SourceType::Record {
            fields: vec![field("number", 0, plain(4)), field("bytes", 0, bytes.clone()), also],
            size: 8,
        };
        let known = either(field("whole", 0, plain(8)));
        assert_eq!(known.place(0, 4), ".number");
        assert_eq!(known.place(3, 1), ".bytes[3]");
        assert_eq!(known.place(0, 2), "");
        // Two parts are as long: which is meant is unknown.
        assert_eq!(either(field("mask", 0, plain(4))).place(0, 4), "");
    }
}

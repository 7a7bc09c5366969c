//! The program as data: decoded, immutable, compact.

pub mod path_numbering;

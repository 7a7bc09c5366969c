//! The program as data: decoded, immutable, compact.

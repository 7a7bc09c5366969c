//! DWARF's tags of types, DWARF 5, table 7.3.

pub const ARRAY: u16 = 0x01;
pub const CLASS: u16 = 0x02;
pub const ENUMERATION: u16 = 0x04;
pub const MEMBER: u16 = 0x0d;
pub const POINTER: u16 = 0x0f;
pub const REFERENCE: u16 = 0x10;
pub const STRUCTURE: u16 = 0x13;
pub const TYPEDEF: u16 = 0x16;
pub const UNION: u16 = 0x17;
pub const INHERITANCE: u16 = 0x1c;
pub const CONST: u16 = 0x26;
pub const VOLATILE: u16 = 0x35;
pub const RVALUE_REFERENCE: u16 = 0x42;
pub const ATOMIC: u16 = 0x47;

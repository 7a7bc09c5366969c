//! How the bits of a basic type are read, by DWARF's word for it.

use crate::llvm::{Metadata, Parsed};
use symx_ir::debug_info::Encoding;

/// The encoding of a basic type.
pub fn encoding<'m>(node: Metadata<'m>, parsed: &'m Parsed) -> Encoding {
    of_text(&node.print(parsed))
}

fn of_text(written: &str) -> Encoding {
    // After the name, which may hold anything.
    let word = written.rsplit_once("encoding: DW_ATE_").map_or("", |(_, behind)| behind);
    match word.split([',', ')']).next().unwrap_or_default() {
        "boolean" => Encoding::Boolean,
        "signed" => Encoding::Signed,
        "unsigned" => Encoding::Unsigned,
        "signed_char" => Encoding::SignedChar,
        "unsigned_char" | "UTF" => Encoding::UnsignedChar,
        "float" => Encoding::Float,
        _ => Encoding::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_read() {
        let read =
            |rest: &str| of_text(&format!("<0x5> = !DIBasicType(name: \"encoding: DW_ATE_float\", {rest})"));
        assert_eq!(read("size: 32, encoding: DW_ATE_unsigned"), Encoding::Unsigned);
        assert_eq!(read("size: 8, encoding: DW_ATE_signed_char, flags: 0"), Encoding::SignedChar);
        assert_eq!(of_text("<0x5> = !DIBasicType(tag: DW_TAG_unspecified_type)"), Encoding::Other);
    }
}

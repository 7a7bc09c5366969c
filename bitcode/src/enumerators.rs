//! The enumerators of an enumeration.

use crate::llvm::{Metadata, Parsed};

/// The names and values of a type's enumerators, in their order.
pub fn enumerators<'m>(node: Metadata<'m>, parsed: &'m Parsed) -> Vec<(String, i64)> {
    node.elements(parsed).into_iter().filter_map(|part| enumerator(&part.print(parsed))).collect()
}

/// The name and value of an enumerator as LLVM writes it.
fn enumerator(written: &str) -> Option<(String, i64)> {
    let (_, inside) = written.split_once("!DIEnumerator(name: \"")?;
    let (name, behind) = inside.split_once("\", value: ")?;
    let digits = behind.split([',', ')']).next()?;
    Some((name.to_owned(), digits.trim().parse::<i128>().ok()? as i64))
}

#[cfg(test)]
mod tests {
    #[test]
    fn enumerators_are_read() {
        let read = |inside: &str| super::enumerator(&format!("<0x5> = !DIEnumerator({inside})"));
        assert_eq!(read("name: \"FULL\", value: 2"), Some(("FULL".into(), 2)));
        assert_eq!(read("name: \"N\", value: -1, isUnsigned: true"), Some(("N".into(), -1)));
        assert_eq!(read("value: 3"), None);
    }
}

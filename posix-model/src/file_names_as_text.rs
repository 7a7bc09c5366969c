//! File names as text: to the system they are bytes, in practice UTF-8.
//!
//! A byte that is not part of valid UTF-8 becomes a character of its own from a range for private use. So
//! different names stay different texts. Names that contain such a character anyway have its bytes replaced
//! likewise.

use std::borrow::Cow;

/// The character that represents byte 0; the others follow. Only bytes from 0x80 on are ever replaced.
const FIRST: u32 = 0x000f_ff00;

/// The text that represents a name.
pub fn file_name_text(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match replaced(character) {
                None => text.push(character),
                Some(_) => replace(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        replace(&mut text, chunk.invalid());
    }
    text
}

/// The name that a text represents.
pub fn file_name_bytes(text: &str) -> Cow<'_, [u8]> {
    if text.chars().all(|character| replaced(character).is_none()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut name = Vec::with_capacity(text.len());
    for character in text.chars() {
        match replaced(character) {
            Some(byte) => name.push(byte),
            None => name.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(name)
}

fn replace(text: &mut String, bytes: &[u8]) {
    text.extend(bytes.iter().filter_map(|byte| char::from_u32(FIRST + u32::from(*byte))));
}

/// The byte that a character represents, if it is one of ours.
fn replaced(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_and_no_two_are_alike() {
        let private = "\u{fff80}".as_bytes();
        let names: [&[u8]; 6] = [b"plain", "grün".as_bytes(), b"\xff", b"a\x80\xfe/b", private, b"\x80"];
        let texts = names.map(file_name_text);
        for (name, text) in names.iter().zip(&texts) {
            assert_eq!(*file_name_bytes(text), **name);
            assert_eq!(texts.iter().filter(|other| *other == text).count(), 1);
        }
        assert_eq!(texts[1], "grün");
    }
}

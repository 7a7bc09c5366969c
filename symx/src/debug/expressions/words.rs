//! An expression's text in words.

use super::Unevaluable;

/// A word.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Word {
    /// A name, with the scopes in front of it.
    Name(String),
    Integer {
        bits: u64,
        size: u64,
        signed: bool,
    },
    Float {
        number: f64,
        is_single: bool,
    },
    /// An operator or a bracket.
    Sign(&'static str),
}

/// Longest first, so that `<<` is not read as `<` twice.
const SIGNS: &[&str] = &[
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "&", "^", "|",
    "!", "~", "?", ":", "(", ")", "[", "]", ".", "=",
];

/// The words of a text.
pub(super) fn words(text: &str) -> Result<Vec<Word>, Unevaluable> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, length) = if first.is_ascii_digit() {
            number(rest)?
        } else if first == '\'' {
            character(rest)?
        } else if is_of_name(first) {
            let length = name_length(rest);
            (Word::Name(rest[..length].to_owned()), length)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Word::Sign(sign), sign.len())
        } else {
            return Err(Unevaluable::Syntax(format!("`{first}` is no part of an expression")));
        };
        found.push(word);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// The length of a name, `a::b` included.
fn name_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        length += text[length..].find(|character| !is_of_name(character)).unwrap_or(text.len() - length);
        let behind = &text[length..];
        match behind.strip_prefix("::") {
            Some(next) if next.starts_with(is_of_name) => length += 2,
            _ => return length,
        }
    }
}

fn number(text: &str) -> Result<(Word, usize), Unevaluable> {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let is_part = |character: char| character.is_alphanumeric() || character == '.';
    let length = text.find(|character| !is_part(character)).unwrap_or(text.len());
    let written = &text[..length];
    let wrong = || Unevaluable::Syntax(format!("`{written}` is no number"));
    if !is_hexadecimal && written.contains('.') {
        let digits = written.trim_end_matches(['f', 'F', 'l', 'L']);
        let is_single = written.ends_with(['f', 'F']);
        let number: f64 = digits.parse().map_err(|_| wrong())?;
        // From the digits themselves: rounding twice may come to another number.
        let single = digits.parse::<f32>().map_err(|_| wrong())?;
        let number = if is_single { f64::from(single) } else { number };
        return Ok((Word::Float { number, is_single }, length));
    }
    let digits = written.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = written[digits.len()..].to_ascii_lowercase();
    let bits = if is_hexadecimal {
        u64::from_str_radix(&digits[2..], 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse()
    };
    let bits = bits.map_err(|_| wrong())?;
    // C11, 6.4.4.1: the first type that holds the number, unsigned ones where the number says so.
    let may_be_unsigned = suffix.contains('u') || is_hexadecimal;
    let is_long = suffix.contains('l');
    let (size, signed) = if !is_long && !suffix.contains('u') && i32::try_from(bits).is_ok() {
        (4, true)
    } else if !is_long && may_be_unsigned && u32::try_from(bits).is_ok() {
        (4, false)
    } else {
        (8, !suffix.contains('u') && i64::try_from(bits).is_ok())
    };
    Ok((Word::Integer { bits, size, signed }, length))
}

fn character(text: &str) -> Result<(Word, usize), Unevaluable> {
    let wrong = || Unevaluable::Syntax("a character needs closing quotes".into());
    let unknown = || Unevaluable::Syntax("that escape in a character is not known".into());
    let inside = &text[1..];
    let mut characters = inside.char_indices();
    let (_, first) = characters.next().ok_or_else(wrong)?;
    let value = if first == '\\' {
        match characters.next().ok_or_else(wrong)?.1 {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'v' => '\x0b',
            same @ ('\\' | '\'' | '"' | '?') => same,
            _ => return Err(unknown()),
        }
    } else {
        first
    };
    match characters.next() {
        Some((at, '\'')) => {
            Ok((Word::Integer { bits: u64::from(u32::from(value)), size: 4, signed: true }, at + 2))
        }
        _ => Err(wrong()),
    }
}

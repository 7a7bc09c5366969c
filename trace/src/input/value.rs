//! Values as people write them: as their declared types say, the same in all forms of a report.

use super::{Input, InputOrigin, InputType};
use symx_ir::debug_info::Encoding;

/// Bytes of an input that are shown at most.
const MOST_BYTES: usize = 16;

impl Input {
    /// Its type for people: `4-byte integer`, `4-byte unsigned integer`, `character`, `5 bytes`.
    pub fn type_for_people(&self) -> String {
        let bytes = self.bytes.len();
        match self.numbers() {
            Some((InputType { encoding, size }, 1)) => match encoding {
                Encoding::Boolean => "boolean".into(),
                Encoding::SignedChar if size == 1 => "character".into(),
                Encoding::UnsignedChar if size == 1 => "unsigned character".into(),
                _ => format!("{size}-byte {}", word(encoding)),
            },
            Some((InputType { encoding, size }, count)) => {
                format!("{count} {size}-byte {}s", word(encoding))
            }
            None if bytes == 1 => "1 byte".into(),
            None => format!("{bytes} bytes"),
        }
    }

    /// Its value for people: `-7 (0xfffffff9)`, `97 'a'`, `{1, 2}`, `"mpo2"`.
    pub fn value_for_people(&self) -> String {
        let Some((InputType { encoding, size }, count)) = self.numbers() else { return text(&self.bytes) };
        let numbers = self.bytes.chunks_exact(size as usize).map(|bytes| Number::of(bytes, encoding));
        if count == 1 {
            return numbers.map(Number::with_bits).collect();
        }
        let most = (MOST_BYTES / size as usize).max(1);
        let shown: Vec<String> = numbers.take(most).map(Number::plain).collect();
        let rest = if count > most { ", ..." } else { "" };
        format!("{{{}{rest}}}", shown.join(", "))
    }

    /// Its value as an expression of C of its type, if it is one finite number.
    pub fn constant(&self) -> Option<String> {
        self.number()?.constant()
    }

    /// Its value as a number of mathematics in decimal digits, if it is one and finite.
    pub fn decimal(&self) -> Option<String> {
        self.number()?.decimal()
    }

    fn number(&self) -> Option<Number> {
        let (InputType { encoding, .. }, count) = self.numbers()?;
        (count == 1).then(|| Number::of(&self.bytes, encoding))
    }

    /// Its numbers, as which its bytes are read, and how many: none if it is text or bytes. A number of the
    /// program whose type is not known has a sign.
    fn numbers(&self) -> Option<(InputType, usize)> {
        let bytes = self.bytes.len();
        let is_text = !matches!(self.origin, InputOrigin::Program | InputOrigin::Parameter(_));
        let unknown = (!is_text).then_some(InputType { encoding: Encoding::Signed, size: bytes as u64 });
        let known = self.declared.or(unknown)?;
        let size = usize::try_from(known.size).ok().filter(|size| matches!(size, 1 | 2 | 4 | 8))?;
        let is_character = matches!(known.encoding, Encoding::SignedChar | Encoding::UnsignedChar);
        let count = bytes / size;
        // Several characters are a text.
        let is_whole = count > 0 && count * size == bytes && !(is_character && size == 1 && count > 1);
        is_whole.then_some((known, count))
    }
}

/// A number of at most eight bytes as people write it, without its bits: `-7`, `97 'a'`, `true`.
pub fn number_for_people(bits: u64, of: InputType) -> String {
    let number =
        Number { bits, size: usize::try_from(of.size).unwrap_or(0).clamp(1, 8), encoding: of.encoding };
    match of.encoding {
        // No `_Bool` has such a value: the number says more.
        Encoding::Boolean if bits > 1 => bits.to_string(),
        Encoding::SignedChar | Encoding::UnsignedChar => number.with_bits(),
        Encoding::Address | Encoding::Other => number.signed().to_string(),
        _ => number.plain(),
    }
}

/// A number of at most eight bytes.
#[derive(Clone, Copy)]
struct Number {
    bits: u64,
    size: usize,
    encoding: Encoding,
}

impl Number {
    fn of(bytes: &[u8], encoding: Encoding) -> Self {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        Self { bits: u64::from_le_bytes(whole), size: bytes.len(), encoding }
    }

    fn signed(self) -> i64 {
        let unused = 64 - 8 * self.size as u32;
        (self.bits << unused) as i64 >> unused
    }

    /// As people write it.
    fn plain(self) -> String {
        match self.encoding {
            // Of a Boolean, the lowest bit counts.
            Encoding::Boolean => (self.bits & 1 != 0).to_string(),
            Encoding::Float if self.size == 4 => f32::from_bits(self.bits as u32).to_string(),
            Encoding::Float if self.size == 8 => f64::from_bits(self.bits).to_string(),
            Encoding::Unsigned | Encoding::UnsignedChar => self.bits.to_string(),
            Encoding::Address | Encoding::Other => format!("{:#x}", self.bits),
            _ => self.signed().to_string(),
        }
    }

    /// The same, with its bits where they say more.
    fn with_bits(self) -> String {
        let plain = self.plain();
        match self.encoding {
            Encoding::Boolean | Encoding::Address | Encoding::Other => plain,
            Encoding::SignedChar | Encoding::UnsignedChar => match self.character() {
                Some(character) => format!("{plain} {character}"),
                None => plain,
            },
            _ => format!("{plain} ({:#x})", self.bits),
        }
    }

    /// The character, in quotes, if it can be seen.
    fn character(self) -> Option<String> {
        let character = char::from_u32(u32::try_from(self.bits).ok()?)?;
        let is_seen = (self.size > 1 || character.is_ascii()) && !character.is_control();
        is_seen.then(|| format!("'{character}'"))
    }

    /// As an expression of C.
    fn constant(self) -> Option<String> {
        let decimal = self.decimal()?;
        let suffix = if self.size == 8 { "L" } else { "" };
        Some(match self.encoding {
            Encoding::Boolean => decimal,
            Encoding::Float => decimal + if self.size == 4 { "f" } else { "" },
            Encoding::Unsigned | Encoding::UnsignedChar if self.size < 4 => decimal,
            Encoding::Unsigned | Encoding::UnsignedChar => format!("{decimal}U{suffix}"),
            // Its absolute value is no number of the type.
            _ if self.size == 8 && self.signed() == i64::MIN => "(-9223372036854775807L - 1)".into(),
            _ if self.size == 4 && self.signed() == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
            _ => decimal + suffix,
        })
    }

    /// In decimal digits that give the same number back.
    fn decimal(self) -> Option<String> {
        match self.encoding {
            Encoding::Boolean => Some((self.bits & 1).to_string()),
            Encoding::Float if self.size == 4 => {
                let value = f32::from_bits(self.bits as u32);
                value.is_finite().then(|| format!("{value:e}"))
            }
            Encoding::Float => {
                let value = f64::from_bits(self.bits);
                (self.size == 8 && value.is_finite()).then(|| format!("{value:e}"))
            }
            Encoding::Address | Encoding::Other => None,
            _ => Some(self.plain()),
        }
    }
}

/// The word for numbers of an encoding.
fn word(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Boolean => "boolean",
        Encoding::Signed => "integer",
        Encoding::Unsigned => "unsigned integer",
        Encoding::SignedChar => "character",
        Encoding::UnsignedChar => "unsigned character",
        Encoding::Float => "float",
        Encoding::Address | Encoding::Other => "address",
    }
}

/// As a string literal of C.
fn text(bytes: &[u8]) -> String {
    // Bytes after the end of a string are seldom part of what matters.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let shown: String =
        bytes[..end].iter().take(MOST_BYTES).flat_map(|byte| byte.escape_ascii()).map(char::from).collect();
    let rest = if end > MOST_BYTES { "..." } else { "" };
    format!("\"{shown}\"{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8], declared: Option<(Encoding, u64)>) -> Input {
        let declared = declared.map(|(encoding, size)| InputType { encoding, size });
        Input { name: "n#0".into(), bytes: bytes.into(), origin: InputOrigin::Program, declared }
    }

    #[test]
    fn numbers_are_shown_by_their_declared_types() {
        use Encoding::{Boolean, Float, Other, Signed, SignedChar, Unsigned, UnsignedChar};
        let minus = [0xf9, 0xff, 0xff, 0xff];
        for (bytes, declared, kind, value) in [
            (&minus[..], None, "4-byte integer", "-7 (0xfffffff9)"),
            (&minus, Some((Other, 4)), "4-byte address", "0xfffffff9"),
            (&minus, Some((Signed, 4)), "4-byte integer", "-7 (0xfffffff9)"),
            (&minus, Some((Unsigned, 4)), "4-byte unsigned integer", "4294967289 (0xfffffff9)"),
            (
                &[0xff; 8],
                Some((Unsigned, 8)),
                "8-byte unsigned integer",
                "18446744073709551615 (0xffffffffffffffff)",
            ),
            (b"a", Some((SignedChar, 1)), "character", "97 'a'"),
            (&[0xff], Some((SignedChar, 1)), "character", "-1"),
            (&[0xff], Some((UnsignedChar, 1)), "unsigned character", "255"),
            (b"\n", Some((UnsignedChar, 1)), "unsigned character", "10"),
            (&[1], Some((Boolean, 1)), "boolean", "true"),
            (&[2], Some((Boolean, 1)), "boolean", "false"),
            (&1.5f32.to_le_bytes(), Some((Float, 4)), "4-byte float", "1.5 (0x3fc00000)"),
            (b"go\0\0", Some((SignedChar, 1)), "4 bytes", "\"go\""),
            (&[1, 0, 0xff, 0xff], Some((Unsigned, 2)), "2 2-byte unsigned integers", "{1, 65535}"),
            (
                &[1; 24],
                Some((Unsigned, 1)),
                "24 1-byte unsigned integers",
                "{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...}",
            ),
            (b"mpo2\0", None, "5 bytes", "\"mpo2\""),
        ] {
            let input = input(bytes, declared);
            assert_eq!((input.type_for_people().as_str(), input.value_for_people().as_str()), (kind, value));
        }
    }

    #[test]
    fn numbers_of_steps_are_shown_by_their_declared_types() {
        use Encoding::{Boolean, Float, Other, Signed, SignedChar, Unsigned, UnsignedChar};
        for (bits, encoding, size, shown) in [
            (0xffff_fff9, Signed, 4, "-7"),
            (0xffff_fff9, Unsigned, 4, "4294967289"),
            (u64::MAX, Unsigned, 8, "18446744073709551615"),
            (0x61, SignedChar, 1, "97 'a'"),
            (0xff, UnsignedChar, 1, "255"),
            (0xff, SignedChar, 1, "-1"),
            (1, Boolean, 1, "true"),
            (0, Boolean, 1, "false"),
            (3, Boolean, 1, "3"),
            (0x3fc0_0000, Float, 4, "1.5"),
            (0xffff, Other, 2, "-1"),
        ] {
            assert_eq!(number_for_people(bits, InputType { encoding, size }), shown);
        }
    }

    #[test]
    fn text_that_comes_from_outside_is_no_number() {
        let input = Input { origin: InputOrigin::Argument(1), ..input(b"a\n\0\0", None) };
        assert_eq!(
            (input.type_for_people(), input.value_for_people()),
            ("4 bytes".into(), "\"a\\n\"".into())
        );
        assert_eq!(input.constant(), None);
    }

    #[test]
    fn constants_are_of_the_type() {
        use Encoding::{Boolean, Float, Signed, Unsigned};
        for (bytes, declared, constant) in [
            (&[0xf9, 0xff, 0xff, 0xff][..], (Signed, 4), "-7"),
            (&[0xf9, 0xff, 0xff, 0xff], (Unsigned, 4), "4294967289U"),
            (&[0xff; 8], (Unsigned, 8), "18446744073709551615UL"),
            (&[0xff; 8], (Signed, 8), "-1L"),
            (&[0, 0, 0, 0x80], (Signed, 4), "(-2147483647 - 1)"),
            (&[0xff, 0xff], (Unsigned, 2), "65535"),
            (&[3], (Boolean, 1), "1"),
            (&0.1f32.to_le_bytes(), (Float, 4), "1e-1f"),
            (&(-2.5f64).to_le_bytes(), (Float, 8), "-2.5e0"),
        ] {
            assert_eq!(input(bytes, Some(declared)).constant().as_deref(), Some(constant));
        }
        assert_eq!(input(&[1; 8], Some((Unsigned, 4))).constant(), None);
        assert_eq!(input(&[0xff; 8], Some((Float, 8))).constant(), None);
        assert_eq!(input(&[1; 8], Some((Encoding::Other, 8))).decimal(), None);
        assert_eq!(input(&[0xff; 8], Some((Unsigned, 8))).decimal().as_deref(), Some("18446744073709551615"));
    }

    #[test]
    fn inputs_of_older_files_have_no_declared_type() {
        let read: Input = serde_json::from_str(r#"{"name": "n#0", "bytes": [1, 0, 0, 0]}"#).unwrap();
        assert_eq!((read.declared, read.value_for_people().as_str()), (None, "1 (0x1)"));
        let typed = input(&[1, 0, 0, 0], Some((Encoding::UnsignedChar, 1)));
        let text = serde_json::to_string(&typed).unwrap();
        assert!(text.contains(r#""declared":{"encoding":"unsigned-char","size":1}"#), "{text}");
        assert_eq!(serde_json::from_str::<Input>(&text).unwrap(), typed);
    }
}

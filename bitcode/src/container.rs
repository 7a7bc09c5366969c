//! The file around a module: distinguishes bitcode from text, and finds out why LLVM refused it.

use crate::LoadError;
use crate::llvm::{self, Diagnostic};

/// The apparent format of the bytes.
pub enum Container {
    /// Bitcode, with the name and version of the LLVM that wrote it, if the file says so.
    Bitcode {
        /// `LLVM22.1.8`, for example.
        producer: Option<String>,
    },
    /// Text.
    Text,
}

const RAW_MAGIC: [u8; 4] = *b"BC\xC0\xDE";
const WRAPPER_MAGIC: [u8; 4] = [0xDE, 0xC0, 0x17, 0x0B];
const IDENTIFICATION_BLOCK: u64 = 13;

impl Container {
    /// Looks at the outermost structure of a file.
    pub fn of(bytes: &[u8]) -> Result<Self, LoadError> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(LoadError::Empty);
        }
        if bytes.starts_with(&WRAPPER_MAGIC) {
            let field = |at: usize| {
                let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
                word.map(|word| u32::from_le_bytes(word) as usize)
            };
            let (Some(offset), Some(size)) = (field(8), field(12)) else {
                return Err(LoadError::Truncated { length: bytes.len() as u64, needed: 20 });
            };
            let Some(inner) = bytes.get(offset..offset.saturating_add(size)) else {
                let needed = offset as u64 + size as u64;
                return Err(LoadError::Truncated { length: bytes.len() as u64, needed });
            };
            return blocks(inner);
        }
        if bytes.starts_with(&RAW_MAGIC) {
            return blocks(bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(Self::Text),
            _ => Err(LoadError::NotBitcode),
        }
    }

    /// The meaning of LLVM's refusal.
    pub fn explain(&self, Diagnostic(message): Diagnostic) -> LoadError {
        match self {
            Self::Text => syntax(&message),
            Self::Bitcode { producer } => {
                let message = one_line(&message);
                let message = message.strip_prefix("input: ").unwrap_or(&message);
                let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
                let newer =
                    producer.as_deref().and_then(major_version).is_some_and(|major| major > llvm::MAJOR);
                match producer {
                    Some(producer) if newer => LoadError::NewerLlvm { producer: producer.clone(), message },
                    _ if message.contains("Incompatible epoch") => LoadError::NewerLlvm {
                        producer: producer.clone().unwrap_or_else(|| "version unknown".to_owned()),
                        message,
                    },
                    _ => LoadError::Malformed(message),
                }
            }
        }
    }
}

/// The major version in a name like `LLVM22.1.8`.
fn major_version(producer: &str) -> Option<u32> {
    let digits = producer.trim_start_matches(|character: char| !character.is_ascii_digit());
    let end = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// A message without its line breaks.
pub fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes `input:LINE:COLUMN: error: MESSAGE` apart; the lines that follow quote the source.
fn syntax(message: &str) -> LoadError {
    let first = message.lines().next().unwrap_or_default();
    let mut parts = first.splitn(4, ':');
    let (_, line, column) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|part| part.trim().parse::<u32>().ok());
    match (number(line), number(column), parts.next()) {
        (Some(line), Some(column), Some(rest)) => {
            let rest = rest.trim();
            let message = rest.strip_prefix("error: ").unwrap_or(rest).to_owned();
            LoadError::Syntax { line, column, message }
        }
        _ => LoadError::Invalid(one_line(message)),
    }
}

/// Walks the outermost blocks of a bitstream: checks that the last one is complete, and reads the producer.
fn blocks(bytes: &[u8]) -> Result<Container, LoadError> {
    let length = bytes.len() as u64;
    let mut producer = None;
    let mut at = 4u64;
    while at < length {
        let mut reader = Bits { bytes, at: at * 8 };
        let header = (|| {
            let abbreviation = reader.fixed(2)?;
            let block = reader.variable(8)?;
            let width = reader.variable(4)?;
            reader.align();
            Some((abbreviation, block, width, reader.fixed(32)?))
        })();
        let Some((abbreviation, block, width, words)) = header else {
            // A tail of zeros pads the file to whole words.
            if bytes[at as usize..].iter().all(|&byte| byte == 0) {
                break;
            }
            return Err(LoadError::Truncated { length, needed: at + 8 });
        };
        if abbreviation != 1 {
            // Not the start of a block: let LLVM say what is wrong.
            break;
        }
        let end = reader.at / 8 + words * 4;
        if end > length {
            return Err(LoadError::Truncated { length, needed: end });
        }
        if block == IDENTIFICATION_BLOCK && producer.is_none() {
            producer = identification(&mut reader, width as u32);
        }
        at = end;
    }
    Ok(Container::Bitcode { producer })
}

/// The string record of an identification block: an array of characters after an abbreviation of its own.
fn identification(reader: &mut Bits<'_>, width: u32) -> Option<String> {
    // DEFINE_ABBREV: the literal code 1, an array, its element: characters of 6, 7 or 8 bits.
    if reader.fixed(width)? != 2 || reader.variable(5)? != 3 {
        return None;
    }
    let is_literal = reader.fixed(1)? == 1;
    if !is_literal || reader.variable(8)? != 1 {
        return None;
    }
    if reader.fixed(1)? != 0 || reader.fixed(3)? != 3 || reader.fixed(1)? != 0 {
        return None;
    }
    let six_bit = match reader.fixed(3)? {
        4 => None,
        1 => Some(reader.variable(5)? as u32),
        _ => return None,
    };
    if reader.fixed(width)? != 4 {
        return None;
    }
    let count = reader.variable(6)?.min(256);
    let mut text = String::new();
    for _ in 0..count {
        text.push(match six_bit {
            Some(bits) => char::from(reader.fixed(bits)? as u8),
            None => {
                const ALPHABET: &[u8; 64] =
                    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
                char::from(ALPHABET[reader.fixed(6)? as usize])
            }
        });
    }
    Some(text)
}

/// Reads a bitstream, least significant bit first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: u64,
}

impl Bits<'_> {
    /// `width` bits (at most 64).
    fn fixed(&mut self, width: u32) -> Option<u64> {
        let mut value = 0;
        for position in 0..width.min(64) {
            let byte = self.bytes.get((self.at / 8) as usize)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << position;
            self.at += 1;
        }
        Some(value)
    }

    /// A number in chunks of `width` bits, of which the top one says that another chunk follows.
    fn variable(&mut self, width: u32) -> Option<u64> {
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let chunk = self.fixed(width)?;
            let more = chunk >> (width - 1) & 1 == 1;
            value |= (chunk & ((1 << (width - 1)) - 1)).checked_shl(shift)?;
            shift += width - 1;
            if !more {
                return Some(value);
            }
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }
}

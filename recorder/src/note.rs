//! The note in an instrumented binary: its kind, its module, and how it was linked.

use crate::module::Module;
use llvm_sys::core::*;
use std::path::Path;
use symx_trace::profile::ProgramHash;

/// How a note begins, with the version of its format.
const MAGIC: &[u8; 12] = b"SYMX-NOTE-1\0";

/// The kind of an instrumented binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryKind {
    /// It records the paths of its threads.
    Recording,
    /// It can keep to a schedule.
    Enforcing,
    /// It watches one candidate.
    Watching,
}

/// A binary's note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Its kind.
    pub kind: BinaryKind,
    /// The module it was made of.
    pub program: ProgramHash,
    /// The arguments it was linked with.
    pub link_arguments: Vec<String>,
}

impl Note {
    /// Puts the note into the module that becomes the binary.
    pub(crate) fn add(&self, module: &Module) {
        let mut bytes = MAGIC.to_vec();
        bytes.push(match self.kind {
            BinaryKind::Recording => b'r',
            BinaryKind::Enforcing => b'e',
            BinaryKind::Watching => b'w',
        });
        bytes.extend(self.program.0);
        bytes.extend((self.link_arguments.len() as u32).to_le_bytes());
        for argument in &self.link_arguments {
            bytes.extend(argument.bytes().chain([0]));
        }
        // SAFETY: the initialiser has the type of the global, which no other code names.
        unsafe {
            let value = LLVMConstStringInContext2(module.context, bytes.as_ptr().cast(), bytes.len(), 1);
            let global = LLVMAddGlobal(module.module, LLVMTypeOf(value), c"symx_note".as_ptr());
            LLVMSetInitializer(global, value);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetSection(global, c".symx.note".as_ptr());
        }
    }

    /// The note of a binary; `None` if it has none.
    pub fn of(binary: &Path) -> std::io::Result<Option<Self>> {
        Ok(Self::find(&std::fs::read(binary)?))
    }

    fn find(bytes: &[u8]) -> Option<Self> {
        let starts = bytes.windows(MAGIC.len()).enumerate().filter(|(_, window)| window == MAGIC);
        starts.map(|(start, _)| &bytes[start + MAGIC.len()..]).find_map(Self::parse)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (&kind, rest) = bytes.split_first()?;
        let kind = match kind {
            b'r' => BinaryKind::Recording,
            b'e' => BinaryKind::Enforcing,
            b'w' => BinaryKind::Watching,
            _ => return None,
        };
        let (hash, rest) = rest.split_first_chunk::<32>()?;
        let (count, mut rest) = rest.split_first_chunk::<4>()?;
        let mut link_arguments = Vec::new();
        for _ in 0..u32::from_le_bytes(*count) {
            let end = rest.iter().position(|&byte| byte == 0)?;
            link_arguments.push(String::from_utf8(rest[..end].to_vec()).ok()?);
            rest = &rest[end + 1..];
        }
        Some(Note { kind, program: ProgramHash(*hash), link_arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_found_among_other_bytes() {
        let mut bytes = b"other SYMX-NOTE-1\0 bytes".to_vec();
        assert_eq!(Note::find(&bytes), None);
        bytes.extend(MAGIC);
        bytes.push(b'e');
        bytes.extend([7; 32]);
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(b"-lz\0more");
        let note = Note::find(&bytes).expect("a note");
        assert_eq!((note.kind, note.program), (BinaryKind::Enforcing, ProgramHash([7; 32])));
        assert_eq!(note.link_arguments, ["-lz"]);
        assert_eq!(Note::find(&bytes[..bytes.len() - 6]), None, "a torn one");
    }
}

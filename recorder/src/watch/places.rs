//! Source locations of instructions, named as the loader names them.

use super::WatchedAccess;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::collections::HashMap;
use std::ffi::c_char;
use std::path::{Component, Path, PathBuf};
use symx_ir::program::is_library_source;

/// Names of files met so far.
#[derive(Default)]
pub(super) struct Places {
    names: HashMap<LLVMMetadataRef, PathBuf>,
}

impl Places {
    /// Whether a location is that of an access: its own or, of code from a language's library, that of the
    /// call it was inlined through.
    pub(super) fn is_at(&mut self, location: LLVMMetadataRef, access: &WatchedAccess) -> bool {
        let mut next = location;
        while !next.is_null() {
            // SAFETY: a location, and so is where it was inlined to. The loader's check has found no cycle.
            let (line, column, inlined_at) = unsafe {
                let (line, column) = (LLVMDILocationGetLine(next), LLVMDILocationGetColumn(next));
                (line, column, LLVMDILocationGetInlinedAt(next))
            };
            let file = self.file_of(next);
            if !file.to_str().is_some_and(is_library_source) {
                return line == access.line
                    && (access.column == 0 || column == access.column)
                    && is_same_file(file, Path::new(&access.file));
            }
            next = inlined_at;
        }
        false
    }

    fn file_of(&mut self, location: LLVMMetadataRef) -> &Path {
        // SAFETY: a location has a scope; that may have no file.
        let file = unsafe { LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) };
        self.names.entry(file).or_insert_with(|| name(file))
    }
}

fn name(file: LLVMMetadataRef) -> PathBuf {
    if file.is_null() {
        return PathBuf::new();
    }
    // SAFETY: texts of the length that LLVM says, which are copied at once.
    let text = |of: unsafe extern "C" fn(LLVMMetadataRef, *mut u32) -> *const c_char| unsafe {
        let mut length = 0;
        let start = of(file, &mut length);
        if start.is_null() || length == 0 {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(start.cast::<u8>(), length as usize)).into_owned()
    };
    normal(&Path::new(&text(LLVMDIFileGetDirectory)).join(text(LLVMDIFileGetFilename)))
}

/// The path without `.`, and without folders that it leaves again.
fn normal(path: &Path) -> PathBuf {
    let mut kept = PathBuf::new();
    for part in path.components() {
        match (part, kept.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    kept
}

/// Whether both are names of one file: equal, or one is the end of the other, whole parts taken.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let other = normal(other);
    !one.as_os_str().is_empty()
        && !other.as_os_str().is_empty()
        && (one.ends_with(&other) || other.ends_with(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_several_names() {
        let same = |one: &str, other: &str| is_same_file(&normal(Path::new(one)), Path::new(other));
        assert!(same("/home/a/src/../b.c", "/home/a/b.c"));
        assert!(same("/home/a/./b.c", "a/b.c"));
        assert!(same("b.c", "/home/a/b.c"));
        assert!(!same("/home/a/b.c", "/home/c/b.c"));
        assert!(!same("", "b.c") && !same("b.c", ""));
    }
}

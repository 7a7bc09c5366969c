//! Bitcode inside objects and programs: one section, a frame a module. Beside it is how the program was
//! linked.
//!
//! A frame is the magic, the count of bytes as a little-endian 64-bit number, a BLAKE3 hash of them, and the
//! bytes. Linkers put the sections of all objects one after the other, with zeros between them at most.

use super::compile::on_path;
use super::shared_objects;
use crate::refusal::Refusal;
use object::{Object, ObjectSection};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use symx_recorder::Definition;

/// The section's name.
const SECTION: &str = ".symx.bitcode";
/// The section of what else a program was linked with: a frame of arguments, each with a zero behind it.
const LINKED_WITH: &str = ".symx.linked-with";
const MAGIC: &[u8; 8] = b"symx-bc\x01";
const HASH: usize = 32;

/// Tools that can add a section to an object; one of them comes with every linker.
const TOOLS: [&str; 3] = ["llvm-objcopy-22", "llvm-objcopy", "objcopy"];

/// Makes the module in the file `bitcode` the one that `object` carries. The object is replaced at once:
/// another compilation of it may be under way, as where a build makes it twice.
pub(crate) fn embed(bitcode: &Path, object: &Path) -> Result<(), Refusal> {
    let module = std::fs::read(bitcode).map_err(|error| Refusal::unreadable(bitcode, error))?;
    add_section(SECTION, &module, object)
}

/// Has `object` carry the arguments that its program is linked with beside what carries bitcode.
pub(crate) fn embed_linked_with(arguments: &[String], object: &Path) -> Result<(), Refusal> {
    let text: String = arguments.iter().map(|argument| format!("{argument}\0")).collect();
    add_section(LINKED_WITH, text.as_bytes(), object)
}

/// The arguments that a program was linked with, as far as it says so, and whether it loads shared objects
/// that carry bitcode.
pub fn linked_with(path: &Path) -> Result<(Vec<String>, bool), Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    let frames = unframed(&section(&bytes, LINKED_WITH).unwrap_or_default(), LINKED_WITH);
    let frames = frames.map_err(|why| Refusal::Undecodable { path: path.into(), why })?;
    let text = String::from_utf8_lossy(&frames.concat()).into_owned();
    let shared = shared_objects::of(path, &bytes);
    let loads_bitcode = shared.iter().any(|(_, bytes)| section(bytes, SECTION).is_some());
    Ok((text.split_terminator('\0').map(str::to_owned).collect(), loads_bitcode))
}

fn add_section(name: &str, contents: &[u8], object: &Path) -> Result<(), Refusal> {
    let temporary = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
    let frame = temporary.path().join("frame");
    std::fs::write(&frame, framed(contents)).map_err(|error| Refusal::unwritable(&frame, error))?;
    let tool = on_path(&TOOLS).ok_or_else(|| Refusal::Usage(format!("none of {TOOLS:?} is on PATH")))?;
    let unwritable = |error| Refusal::unwritable(object, error);
    let folder = object.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let copy = tempfile::Builder::new().prefix(".symx-").tempfile_in(folder).map_err(unwritable)?;
    std::fs::copy(object, copy.path()).map_err(unwritable)?;
    let mut command = Command::new(&tool);
    if has_section(copy.path(), name) {
        command.arg("--remove-section").arg(name);
    }
    let mut added = std::ffi::OsString::from(format!("{name}="));
    added.push(&frame);
    let done = command.arg("--add-section").arg(added).arg(copy.path()).output();
    let done = done.map_err(|error| Refusal::unreadable(&tool, error))?;
    if done.status.success() {
        return copy.persist(object).map(drop).map_err(|error| unwritable(error.error));
    }
    let why = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    Err(Refusal::Unwritable { path: object.into(), why })
}

/// Whether a file carries bitcode.
pub fn has_bitcode(path: &Path) -> bool {
    has_section(path, SECTION)
}

fn has_section(path: &Path, name: &str) -> bool {
    std::fs::read(path).is_ok_and(|bytes| section(&bytes, name).is_some())
}

/// The bitcode that a program consists of.
#[derive(Default)]
pub struct Carried {
    /// The modules of its objects.
    modules: Vec<Vec<u8>>,
    /// The names that it gives to shared objects.
    names: FxHashSet<String>,
    /// The shared objects that it loads and that carry bitcode.
    shared: Vec<Shared>,
}

/// The modules of a shared object, and the names that it gives to others.
struct Shared {
    modules: Vec<Vec<u8>>,
    names: FxHashSet<String>,
}

impl Carried {
    /// What tells this bitcode from any other.
    pub fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &[u8]| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text);
        };
        self.modules.iter().for_each(|module| add(module));
        for shared in &self.shared {
            shared.modules.iter().for_each(|module| add(module));
            let mut names: Vec<&str> = shared.names.iter().map(String::as_str).collect();
            names.sort_unstable();
            add(names.join("\0").as_bytes());
        }
        hasher.finalize()
    }

    /// Links it into one module; in messages it is `path`'s. Constructors of shared objects come first.
    pub fn link(&self, path: &Path) -> Result<Vec<u8>, Refusal> {
        let refused = |why| Refusal::Unlinkable { path: path.into(), why };
        let mut before = self.names.clone();
        let mut linked = Vec::new();
        for shared in &self.shared {
            let role = |name: &str| match shared.names.contains(name) {
                false => Definition::Own,
                true if before.contains(name) => Definition::Replaced,
                true => Definition::Found,
            };
            linked.push(symx_recorder::link_shared_object(&shared.modules, &role).map_err(refused)?);
            before.extend(shared.names.iter().cloned());
        }
        linked.reverse();
        linked.extend(self.modules.iter().cloned());
        symx_recorder::link(&linked).map_err(refused)
    }
}

/// The modules of these programs, libraries or objects, and of the shared objects that they load, linked into
/// one.
pub fn extract(files: &[PathBuf]) -> Result<Vec<u8>, Refusal> {
    let mut all = Carried::default();
    for path in files {
        let carried = carried(path).map_err(|refusal| match refusal {
            Refusal::NotAProgram(path) => Refusal::NoBitcode(path),
            refusal => refusal,
        })?;
        all.modules.extend(carried.modules);
        all.names.extend(carried.names);
        all.shared.extend(carried.shared);
    }
    // One that is named as well is part of the program.
    all.shared.retain(|shared| shared.modules.iter().any(|module| !all.modules.contains(module)));
    all.link(files.first().map_or(Path::new(""), PathBuf::as_path))
}

/// The bitcode of a program, a library or an object.
pub fn carried(path: &Path) -> Result<Carried, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    let modules = modules_in(path, &bytes)?.ok_or_else(|| Refusal::NotAProgram(path.into()))?;
    let mut carried = Carried { modules, names: shared_objects::names(&bytes), shared: Vec::new() };
    for (path, bytes) in shared_objects::of(path, &bytes) {
        if let Some(modules) = modules_in(&path, &bytes)? {
            carried.shared.push(Shared { modules, names: shared_objects::names(&bytes) });
        }
    }
    Ok(carried)
}

/// The modules that a file carries.
fn modules_in(path: &Path, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Refusal> {
    let Some(frames) = section(bytes, SECTION) else { return Ok(None) };
    let modules = unframed(&frames, SECTION);
    modules.map(Some).map_err(|why| Refusal::Undecodable { path: path.into(), why })
}

fn section(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    let file = object::File::parse(bytes).ok()?;
    let section = file.section_by_name(name)?;
    section.data().ok().map(<[u8]>::to_vec)
}

fn framed(module: &[u8]) -> Vec<u8> {
    let length = (module.len() as u64).to_le_bytes();
    [&MAGIC[..], &length, blake3::hash(module).as_bytes(), module].concat()
}

/// What the frames of a section hold, in order.
fn unframed(section: &[u8], name: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut modules = Vec::new();
    let mut rest = section;
    loop {
        while let [0, behind @ ..] = rest {
            rest = behind;
        }
        if rest.is_empty() {
            return Ok(modules);
        }
        let at = section.len() - rest.len();
        let damaged = || format!("what it carries is damaged at byte {at} of section {name}");
        let behind = rest.strip_prefix(MAGIC).ok_or_else(damaged)?;
        let (length, behind) = behind.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (hash, behind) = behind.split_first_chunk::<HASH>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (module, behind) = behind.split_at_checked(length).ok_or_else(damaged)?;
        if blake3::hash(module).as_bytes() != hash {
            return Err(damaged());
        }
        modules.push(module.to_vec());
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_after_one_another_and_checked() {
        let section = [framed(b"one"), vec![0; 5], framed(b"two")].concat();
        assert_eq!(unframed(&section, SECTION).unwrap(), [b"one".to_vec(), b"two".to_vec()]);
        for cut in 1..framed(b"one").len() {
            assert!(unframed(&section[..cut], SECTION).is_err(), "{cut}");
        }
        let mut damaged = section.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(unframed(&damaged, SECTION).unwrap_err().contains("damaged at byte"));
    }
}

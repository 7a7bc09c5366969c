//! Paths in system calls, and the walk along their components.

use crate::answer::PosixCall;
use crate::errno::{EBADF, ENAMETOOLONG, ENOENT, ENOTDIR};
use crate::file_names_as_text::file_name_text;
use crate::kernel::nodes::descriptors::descriptor_place;
use crate::kernel::nodes::symbolic_paths::{Decided, SymbolicPath};
use crate::kernel::system_calls::argument;
use crate::places::{NAMES, read, write};
use smallvec::smallvec;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use symx_interp::stop::Stop;
use symx_trace::{Footprint, Mode, Place};

/// The components of a path that are still to be walked, `.` and empty ones left out.
pub(crate) struct Components(VecDeque<String>);

impl Components {
    pub fn new(path: &str) -> Self {
        Self(split(path).collect())
    }

    pub fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts the components of `path`, a link's target, before the rest.
    pub fn prepend(&mut self, path: &str) {
        for (index, name) in split(path).enumerate() {
            self.0.insert(index, name);
        }
    }
}

fn split(path: &str) -> impl Iterator<Item = String> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").map(String::from)
}

/// Classes of the names in a directory. Names in a row are apart.
const CLASSES: u64 = 16;

/// The place of what the directory at the absolute, normal path `directory` has under `name`: that of names
/// in its class. It is no address of an object.
pub(crate) fn name_place(directory: &str, name: &str) -> Place {
    let class = name.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    class_place(directory, class % CLASSES)
}

/// The same of an absolute, normal path.
pub(crate) fn path_place(path: &str) -> Place {
    let (directory, name) = path.rsplit_once('/').unwrap_or_default();
    name_place(directory, name)
}

/// All that the directory at `path` has.
pub(crate) fn entries(path: &str) -> impl Iterator<Item = Place> {
    (0..CLASSES).map(move |class| class_place(path, class))
}

fn class_place(directory: &str, class: u64) -> Place {
    const BITS: u64 = 44;
    let mut hasher = rustc_hash::FxHasher::default();
    directory.trim_end_matches('/').hash(&mut hasher);
    Place::Object(1 << 55 | (hasher.finish() % (1 << BITS)) << 5 | class << 1 | 1)
}

/// Where a path leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// The absolute, normal path, free of links.
    pub path: String,
    /// The node there.
    pub node: Option<u64>,
}

/// Where a path led, and what that depended on.
pub(crate) struct Resolved {
    /// Where, or the error.
    pub found: Result<Found, i32>,
    /// The names that were looked up, and the descriptor of the directory where that began.
    looked: Vec<Place>,
}

impl Resolved {
    /// A path that leads nowhere, whatever there is.
    pub fn failed(error: i32) -> Self {
        Self { found: Err(error), looked: Vec::new() }
    }

    /// One that was followed like this, from an open directory if there is one.
    pub fn new(found: Result<Found, i32>, looked: Vec<Place>) -> Self {
        Self { found, looked }
    }

    /// What looking at the path touches.
    pub fn touched(&self) -> Footprint {
        both(smallvec![read(NAMES)], self.looked.iter().copied().map(read).collect())
    }

    /// What changing what is at the path's end touches.
    pub fn changed(&self) -> Footprint {
        let end = self.found.iter().map(|found| write(path_place(&found.path))).collect();
        both(self.touched(), end)
    }
}

/// What two footprints touch: each place once, and written if one of them writes it.
pub(crate) fn both(mut one: Footprint, other: Footprint) -> Footprint {
    for access in other {
        match one.iter_mut().find(|known| known.place == access.place) {
            Some(known) if access.mode != Mode::Read => known.mode = access.mode,
            Some(_) => {}
            None => one.push(access),
        }
    }
    one
}

/// Denotes the working directory where a directory's descriptor is expected.
pub(crate) const WORKING_DIRECTORY: i32 = -100;
const LONGEST: usize = 4096;

/// The path whose address is argument `index`; symbolic bytes fork over their values.
pub(crate) fn path_argument(call: &mut PosixCall<'_, '_>, index: usize) -> Result<Result<String, i32>, Stop> {
    let address = argument(call, index)?;
    let bytes = call.read_string_within(address, LONGEST as u64)?;
    if bytes.len() >= LONGEST {
        return Ok(Err(ENAMETOOLONG));
    }
    Ok(Ok(file_name_text(&bytes)))
}

/// Whether the path whose address is argument `index` is `text`.
pub(crate) fn is_path_argument(
    call: &mut PosixCall<'_, '_>,
    index: usize,
    text: &[u8],
) -> Result<bool, Stop> {
    let address = argument(call, index)?;
    SymbolicPath::read(call, address, text.len() as u64 + 1)?.is(call, text)
}

/// The directory that relative paths start from, given the descriptor of one in argument `index`.
pub(crate) fn directory_argument(
    call: &mut PosixCall<'_, '_>,
    index: usize,
) -> Result<Result<String, i32>, Stop> {
    let descriptor = argument(call, index)? as i32;
    let kernel = &call.state().data.kernel;
    if descriptor == WORKING_DIRECTORY {
        return Ok(Ok(kernel.own.directory.to_string()));
    }
    let Some(file) = kernel.file_of(descriptor as u32) else { return Ok(Err(EBADF)) };
    let file = kernel.open.get(file);
    Ok(if file.path.is_empty() { Err(ENOTDIR) } else { Ok(file.path.to_string()) })
}

/// Resolves the path in argument `path`, relative to the directory open as argument `directory` or, without
/// one, to the working directory. A symbolic path that names nothing is not decided further, and found
/// missing.
pub(crate) fn resolve(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
) -> Result<Resolved, Stop> {
    match given(call, directory, path, false)? {
        Ok(given) => Ok(walk(call, given, follow)),
        Err(resolved) => Ok(resolved),
    }
}

/// Follows a path to its end.
fn walk(call: &mut PosixCall<'_, '_>, given: Given, follow: bool) -> Resolved {
    let Given { base, mut path, mut looked } = given;
    if follow && let Some((descriptor, rest)) = by_descriptor(&path) {
        looked.push(descriptor_place(descriptor));
        let kernel = &call.state().data.kernel;
        let open = kernel.file_of(descriptor).map(|file| kernel.open.get(file));
        match open {
            None => return Resolved::new(Err(ENOENT), looked),
            Some(file) if rest.is_empty() => {
                let found = Found { path: file.name.to_string(), node: Some(file.node) };
                return Resolved::new(Ok(found), looked);
            }
            Some(file) if file.path.is_empty() => return Resolved::new(Err(ENOTDIR), looked),
            Some(file) => path = format!("{}/{rest}", file.path),
        }
    }
    let host = call.environment().options().host.clone();
    let found = call.data().kernel.files.resolve_noting(&*host, &base, &path, follow, &mut looked);
    Resolved::new(found, looked)
}

/// How the path of an entry ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// In a name.
    Name,
    /// In a name and a slash.
    Slash,
    /// In a dot.
    Dot,
    /// In two dots.
    DotDot,
    /// The path leads to the root.
    Root,
}

impl End {
    fn of(path: &str) -> Self {
        let trimmed = path.trim_end_matches('/');
        match trimmed.rsplit('/').next() {
            Some("") if !path.is_empty() => Self::Root,
            Some(".") => Self::Dot,
            Some("..") => Self::DotDot,
            _ if trimmed.len() < path.len() => Self::Slash,
            _ => Self::Name,
        }
    }

    /// Whether the entry has a name, so that it can be made, renamed or removed by it.
    pub fn is_named(self) -> bool {
        matches!(self, Self::Name | Self::Slash)
    }
}

/// An entry of a directory, as a call names it that makes, renames or removes it.
pub(crate) struct Entry {
    /// Where it is; a link at its end was not followed, as a slash may be behind a name.
    pub resolved: Resolved,
    /// How its path ends.
    pub end: End,
}

/// [`resolve`] of an entry. With `may_be_new`, the call may make it, so that a symbolic name of what is not
/// there is decided as well. With `follow`, a link at the end is followed, but for one with a slash behind.
pub(crate) fn resolve_entry(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    follow: bool,
    may_be_new: bool,
) -> Result<Entry, Stop> {
    let mut given = match given(call, directory, path, may_be_new)? {
        Ok(given) => given,
        Err(resolved) => return Ok(Entry { resolved, end: End::Name }),
    };
    let end = End::of(&given.path);
    if end == End::Slash {
        given.path.truncate(given.path.trim_end_matches('/').len());
    }
    Ok(Entry { resolved: walk(call, given, follow && end != End::Slash), end })
}

/// A path as a call passes it.
struct Given {
    /// The absolute, normal path that a relative one starts from.
    base: String,
    path: String,
    /// The names and the descriptor that were looked at.
    looked: Vec<Place>,
}

/// The path in argument `path`; as resolved if it leads nowhere whatever is behind.
fn given(
    call: &mut PosixCall<'_, '_>,
    directory: Option<usize>,
    path: usize,
    may_be_new: bool,
) -> Result<Result<Given, Resolved>, Stop> {
    let address = argument(call, path)?;
    let path = SymbolicPath::read(call, address, LONGEST as u64)?;
    if path.length() >= LONGEST {
        return Ok(Err(Resolved::failed(ENAMETOOLONG)));
    }
    let mut looked = Vec::new();
    let base = match directory {
        // An absolute path needs no directory.
        Some(index) if !path.is_absolute(call)? => {
            looked.push(descriptor_place(argument(call, index)? as u32));
            match directory_argument(call, index)? {
                Ok(base) => base,
                Err(error) => return Ok(Err(Resolved::new(Err(error), looked))),
            }
        }
        _ => call.state().data.kernel.own.directory.to_string(),
    };
    let error = match path.decide(call, &base, may_be_new, &mut looked)? {
        Decided::Text(path) => return Ok(Ok(Given { base, path, looked })),
        Decided::NotIn(folder) => {
            looked.extend(entries(&folder));
            ENOENT
        }
        Decided::Error(error) => error,
    };
    Ok(Err(Resolved::new(Err(error), looked)))
}

/// The descriptor that a path names, and what follows: `/proc/self/fd/N` leads to the file itself, whatever
/// it is called by now (`proc_pid_fd(5)`).
fn by_descriptor(path: &str) -> Option<(u32, &str)> {
    let rest = path.strip_prefix("/proc/self/fd/")?;
    let (number, rest) = rest.split_once('/').unwrap_or((rest, ""));
    Some((number.parse().ok()?, rest))
}

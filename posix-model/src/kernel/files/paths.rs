//! Paths in system calls, and the walk along their components.

use crate::answer::PosixCall;
use crate::errno::{EBADF, ENAMETOOLONG, ENOTDIR};
use crate::file_names_as_text::file_name_text;
use crate::kernel::system_calls::argument;
use std::collections::VecDeque;
use symx_interp::stop::Stop;

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

/// Denotes the working directory where a directory's descriptor is expected.
pub(crate) const WORKING_DIRECTORY: i32 = -100;
const LONGEST: usize = 4096;

/// The path whose address is argument `index`.
pub(crate) fn path_argument(call: &mut PosixCall<'_, '_>, index: usize) -> Result<Result<String, i32>, Stop> {
    let address = argument(call, index)?;
    let bytes = call.read_string(address)?;
    if bytes.len() >= LONGEST {
        return Ok(Err(ENAMETOOLONG));
    }
    Ok(Ok(file_name_text(&bytes)))
}

/// The directory that relative paths start from, given the descriptor of one in argument `index`.
pub(crate) fn directory_argument(
    call: &mut PosixCall<'_, '_>,
    index: usize,
) -> Result<Result<String, i32>, Stop> {
    let descriptor = argument(call, index)? as i32;
    let kernel = &call.state().data.kernel;
    if descriptor == WORKING_DIRECTORY {
        return Ok(Ok(kernel.directory.to_string()));
    }
    let Some(file) = kernel.open.file_of(descriptor as u32) else { return Ok(Err(EBADF)) };
    let file = kernel.open.get(file);
    Ok(if file.path.is_empty() { Err(ENOTDIR) } else { Ok(file.path.to_string()) })
}

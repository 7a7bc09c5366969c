//! Profiles as files, and the guides that they make.

use crate::refusal::Refusal;
use std::path::Path;
use symx_expr::StopToken;
use symx_interp::paths::guide::{Guide, GuideError};
use symx_ir::Program;
use symx_trace::profile::{DecodeError, Profile, ProfileError};

/// Reads a profile file, which may unfold to more than there is memory for.
pub fn read_profile(path: &Path, stop: &StopToken) -> Result<Profile, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    profile_in(&bytes, path, stop)
}

/// The profile that these bytes of a file are.
pub fn profile_in(bytes: &[u8], path: &Path, stop: &StopToken) -> Result<Profile, Refusal> {
    Profile::read_until(bytes, stop).map_err(|error| match error {
        ProfileError::Stopped(reason) => Refusal::Ended { path: path.into(), reason },
        error => Refusal::Profile { path: path.into(), why: error.to_string() },
    })
}

/// A guide whose every path exists in the program.
pub fn guide(path: &Path, profile: &Profile, program: &Program, stop: &StopToken) -> Result<Guide, Refusal> {
    let refused = |error: GuideError| match error {
        GuideError::Decode(DecodeError::Stopped { reason, .. }) => {
            Refusal::Ended { path: path.into(), reason }
        }
        error => Refusal::Profile { path: path.into(), why: error.to_string() },
    };
    let guide = Guide::new(profile, program, stop).map_err(refused)?;
    guide.verify().map_err(refused)?;
    Ok(guide)
}

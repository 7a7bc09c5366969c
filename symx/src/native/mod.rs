//! Native programs: built, recorded, replayed.

pub(crate) mod driver;
pub(crate) mod enforcement;
pub(crate) mod interpreted_recording;
pub(crate) mod profile_summary;
pub(crate) mod profile_words;
pub(crate) mod replay;

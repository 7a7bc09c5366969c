//! Places in the source, in words.

use symx_ir::short_file;
use symx_trace::Location;

/// `a.c:12`, or nothing.
pub fn place(location: &Location) -> String {
    match (location.file.is_empty(), location.line) {
        (true, _) => String::new(),
        (false, 0) => short_file(&location.file).to_owned(),
        (false, line) => format!("{}:{line}", short_file(&location.file)),
    }
}

/// The file that every one of these locations is in, if it is one.
pub fn common_file<'a>(mut locations: impl Iterator<Item = &'a Location>) -> Option<&'a str> {
    let first = locations.find(|location| location.line != 0)?;
    let is_same = |location: &Location| location.line == 0 || location.file == first.file;
    locations.all(is_same).then_some(first.file.as_str())
}

//! Files that symx writes, and sources that it reads.

pub(crate) mod coverage;
pub(crate) mod left_behind;
pub(crate) mod normal_path;
pub(crate) mod own;
pub(crate) mod paths;
pub(crate) mod program_output;
pub(crate) mod source_text;
pub(crate) mod test_case;
pub(crate) mod unwritten;
pub(crate) mod writable;

//! The symx command line.

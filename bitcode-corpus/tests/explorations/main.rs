//! Explorations as the library gives them: in units, along recorded paths, within growing bounds, and one
//! execution to go about in.

// What it has instantiated is not compiled again.
use symx as _;

mod coming_round;
mod guided;
mod in_units;
mod sums;
mod timeline;
mod within_bounds;

//! Integer instructions: intrinsics, the promises of arithmetic, and what both are as terms.

mod intrinsics;
pub(super) mod promises;
pub(super) mod terms;

//! What records of native runs say besides paths.

mod inputs;
mod order;
mod until_failure;

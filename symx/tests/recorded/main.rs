//! Contents of records of native runs besides paths.

mod followed;
mod hangs;
mod inputs;
mod order;
mod until_failure;

//! Contents of records of native runs besides paths.

mod inputs;
mod order;
mod until_failure;

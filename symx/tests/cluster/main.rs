//! Several workers: of one process, and of several at a NATS server. The results do not depend on them.
//!
//! Tests with a server are skipped, and say so, where `nats-server` is not installed.

mod comparison;
mod deployment;
mod faults;
mod files;
mod guided;
mod large;
mod local;
mod measure;
mod one_process;
mod processes;
mod project_file;
mod properties;
mod refusals;
mod server;
mod suites;
mod troubles;
mod units;

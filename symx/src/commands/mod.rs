//! One file a command.

pub mod cc;
pub mod cluster;
pub mod command_line;
pub mod debug;
pub mod doctor;
pub mod exec;
pub mod explain;
pub mod instrument;
pub mod profile;
pub mod races;
pub mod record;
pub mod replay;
pub mod report;
pub mod run;
pub mod simplify;
pub mod sketch;
pub mod test;
pub mod trace;

mod compose;

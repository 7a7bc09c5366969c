//! What is noted of steps, and what is said of them: positions, titles, failures.

mod census;
mod departure;
mod foretold;
mod report;
mod run_log;
mod title;

pub use title::EntryFunction;

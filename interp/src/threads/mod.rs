//! Threads: their stacks and names, what they are about to do, and their steps.

pub mod agents;
pub mod frame;
pub mod numbers;
pub mod running;
pub mod thread;
mod title;
pub mod user_stack;

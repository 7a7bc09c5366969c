//! Threads: their stacks and names, and what they are about to do.

pub mod frame;
pub mod guide_cursor;
pub mod kept;
pub mod modelled;
pub mod reference_cursor;
pub mod running;
pub mod thread;
pub mod user_stack;

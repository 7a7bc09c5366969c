//! States, threads, memory, stepping, scheduling, exploration and replay.

//! Benchmarks of every hot path.

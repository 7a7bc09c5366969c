//! Engines over traces: what failed, why, and how else it could have gone.

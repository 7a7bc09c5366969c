//! Memory-consistency models: what of program order survives.

//! Programs with their expectations inside, and the harness that runs them.

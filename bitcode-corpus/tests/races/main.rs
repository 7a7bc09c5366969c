//! `symx races` on the programs of `races/`: candidates of the static analysis, and classes of what is found.

mod candidates;
mod classes;

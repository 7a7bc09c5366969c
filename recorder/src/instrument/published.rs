//! Where in a stretch the path so far is published in the log.
//!
//! The word where the next event goes is the path so far if the sum was not 0 since the path began. Else it
//! is nothing (0), which means the same. A path that ends without adding to its sum needs no store if it is
//! published: the cursor moves on. So it is published, too, where ways join that lead to such an end and some
//! of them have published it.

use super::stretch::Stretches;
use symx_ir::path_numbering::Edge;

/// The effect of taking an edge on what the log holds of the path so far.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Publication {
    /// It publishes it.
    Publishes,
    /// Another path begins, of which nothing is published.
    BeginsAnew,
    /// The path is complete, and needs to be published for that.
    Completes,
    /// Nothing.
    Nothing,
}

/// For each block of a stretch, whether the path so far is certainly published there.
pub(super) struct Published {
    of_block: Vec<bool>,
}

impl Published {
    /// Finds out for a function, given what each edge does to it.
    pub(super) fn new(
        successors: &[Vec<u32>],
        stretches: &Stretches,
        publication: impl Fn(Edge, u32) -> Publication,
    ) -> Self {
        let mut edges = Vec::new();
        // Blocks from which a path leads to where it has to be published.
        let mut is_wanted = vec![false; successors.len()];
        for (block, targets) in (0..).zip(successors) {
            for (successor, &target) in (0..).zip(targets) {
                let publication = publication(Edge { block, successor }, target);
                is_wanted[block as usize] |=
                    stretches.contains(block) && publication == Publication::Completes;
                if stretches.goes_on(block, target) {
                    edges.push((block as usize, target as usize, publication));
                }
            }
        }
        spread(&edges, |&(block, target, publication)| {
            let wants = publication == Publication::Nothing && is_wanted[target];
            wants && !std::mem::replace(&mut is_wanted[block], true)
        });
        // It is published where a stretch begins, except at the function's entry.
        let mut of_block: Vec<bool> = (0..successors.len() as u32).map(|block| block != 0).collect();
        for &(_, target, publication) in &edges {
            of_block[target] &= !matches!(publication, Publication::BeginsAnew | Publication::Completes);
        }
        spread(&edges, |&(block, target, publication)| {
            let loses = publication == Publication::Nothing && !of_block[block] && !is_wanted[target];
            loses && std::mem::replace(&mut of_block[target], false)
        });
        Published { of_block }
    }

    /// Whether the path so far is published at the end of a block.
    pub(super) fn at(&self, block: u32) -> bool {
        self.of_block[block as usize]
    }
}

/// Applies a rule to edges until it changes nothing.
fn spread<E>(edges: &[E], mut rule: impl FnMut(&E) -> bool) {
    while edges.iter().filter(|edge| rule(edge)).count() > 0 {}
}

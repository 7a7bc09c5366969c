//! An exploration that was stopped early, written down so that another process can continue.

pub(crate) mod paths;

use crate::reads_from::Position as ClassPosition;
use crate::source_sets::Position as SourceSetPosition;
use crate::source_sets::stretches::OpenStretches;
use paths::SavedPaths;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use symx_interp::Learned;
use symx_interp::memory::Site;

/// Where an exploration stood when time, memory or its user ended it, and what it had learned. It means
/// something only together with the same program, options and build of symx.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    /// Sites that count as visible.
    sites: Vec<u64>,
    /// Known facts about memory.
    learned: Learned,
    walk: SavedWalk,
}

/// Where a walk stood.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum SavedWalk {
    /// It restarts: what it has learned last changes what is a step.
    Beginning,
    /// In the walk over classes of executions in which every read observes the same write.
    Classes(ClassPosition),
    /// In the walk with source sets.
    SourceSets(SourceSetPosition),
    /// In stretches of it, explored by several workers.
    Stretches(OpenStretches),
    /// In the search of paths in another order than depth first.
    Paths(SavedPaths),
    /// In an iterative search.
    Iterative(SavedRound),
}

/// Where an iterative search stood: in the walk within one of its bounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedRound {
    /// How much of what the bound counts an execution may have.
    pub most: u32,
    /// Executions that have less of it are counted already.
    pub counted_below: u32,
    /// Whether the bound has cut an execution.
    pub has_cut: bool,
    /// Where the walk stood; it has not begun, or restarts, if there is none.
    pub position: Option<SourceSetPosition>,
}

impl SavedRound {
    /// The walk within the next bound.
    pub fn next(&self) -> Self {
        let most = self.most + 1;
        Self { most, counted_below: most, has_cut: false, position: None }
    }

    fn is_sound(&self) -> bool {
        self.counted_below == 0 || self.counted_below == self.most
    }
}

impl Saved {
    pub(crate) fn new(sites: &FxHashSet<Site>, learned: &Learned, walk: SavedWalk) -> Self {
        let mut sites: Vec<u64> = sites.iter().map(|site| site.0).collect();
        sites.sort_unstable();
        Self { sites, learned: learned.clone(), walk }
    }

    pub(crate) fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        self.sites.iter().copied().map(Site)
    }

    pub(crate) fn learned(&self) -> &Learned {
        &self.learned
    }

    pub(crate) fn walk(&self) -> &SavedWalk {
        &self.walk
    }

    /// Whether nothing in it contradicts itself.
    pub fn is_sound(&self) -> bool {
        match &self.walk {
            SavedWalk::Beginning | SavedWalk::SourceSets(_) | SavedWalk::Stretches(_) => true,
            SavedWalk::Classes(position) => position.is_sound(),
            SavedWalk::Paths(paths) => paths.is_sound(),
            SavedWalk::Iterative(round) => round.is_sound(),
        }
    }
}

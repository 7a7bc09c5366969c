//! The last few of what there was, to make the same of what comes next one with it.

use crate::caches::hit_rate::HitRate;

/// Bookkeepings kept, and as many of what has been, and address spaces.
const RECENT: usize = 16;

/// How often the same is looked for among these before the hit rate is checked.
const WINDOW: u32 = 256;

/// The last few of what there was.
#[derive(Debug)]
pub(super) struct Recent<T> {
    all: Vec<T>,
    /// The one in whose place the next comes.
    oldest: usize,
    hits: HitRate,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { all: Vec::new(), oldest: 0, hits: HitRate::new(WINDOW) }
    }
}

impl<T: Clone> Recent<T> {
    /// Makes `one` the same as one of the last few, if it is.
    pub(super) fn unify(
        &mut self,
        one: &mut T,
        is_it: impl Fn(&T, &T) -> bool,
        is_same: impl Fn(&T, &T) -> bool,
    ) {
        if self.all.iter().any(|known| is_it(known, one)) || self.rests() {
            return;
        }
        match self.find(|known| is_same(known, one)) {
            Some(known) => *one = known.clone(),
            None => self.keep(one.clone()),
        }
    }

    /// Whether the same is not to be looked for now: it was hardly ever there.
    pub(super) fn rests(&mut self) -> bool {
        self.hits.rests()
    }

    pub(super) fn find(&mut self, is_same: impl Fn(&T) -> bool) -> Option<&T> {
        let found = self.all.iter().find(|known| is_same(known));
        self.hits.note(found.is_some());
        found
    }

    pub(super) fn keep(&mut self, one: T) {
        if self.all.len() < RECENT {
            self.all.push(one);
        } else {
            self.all[self.oldest] = one;
            self.oldest = (self.oldest + 1) % RECENT;
        }
    }
}

//! The last few of what there was, to make the same of what comes next one with it.

/// Bookkeepings kept, and as many of what has been, and address spaces.
const RECENT: usize = 16;

/// How often the same is looked for among these before the hit rate is checked, and of how many one must have
/// been found.
const TRIED: u32 = 256;
const WORTHWHILE: u32 = 4;

/// The last few of what there was.
#[derive(Debug)]
pub(super) struct Recent<T> {
    all: Vec<T>,
    /// The one in whose place the next comes.
    oldest: usize,
    /// How often one was looked for, and found.
    tried: u32,
    found: u32,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { all: Vec::new(), oldest: 0, tried: 0, found: 0 }
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
        if !self.is_worthwhile() || self.all.iter().any(|known| is_it(known, one)) {
            return;
        }
        match self.find(|known| is_same(known, one)) {
            Some(known) => *one = known.clone(),
            None => self.keep(one.clone()),
        }
    }

    /// Whether it is worth while to look for the same: where it is hardly ever there, no more.
    pub(super) fn is_worthwhile(&self) -> bool {
        self.tried < TRIED || self.found * WORTHWHILE >= self.tried
    }

    pub(super) fn find(&mut self, is_same: impl Fn(&T) -> bool) -> Option<&T> {
        self.tried += 1;
        let found = self.all.iter().find(|known| is_same(known));
        self.found += u32::from(found.is_some());
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

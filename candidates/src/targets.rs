//! What accesses may access: those of equal sets of places and of one size together, so that their comparison
//! is one.

use crate::budget::Budget;
use crate::objects::{ObjectId, Place};
use crate::offsets::Offset;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use symx_expr::StopReason;

/// The accesses of one set of places and one size.
pub(crate) struct Class {
    /// By object.
    pub places: Rc<[Place]>,
    size: u64,
    /// The numbers of the accesses.
    pub made: Vec<usize>,
}

impl Class {
    /// The objects of which both may access a byte, each once, with where in it an access of this class is.
    pub fn common(&self, other: &Class) -> Rc<[(ObjectId, Offset)]> {
        let mut common = Vec::new();
        let mut theirs = &other.places[..];
        for ours in self.places.chunk_by(|one, next| one.object == next.object) {
            let object = ours[0].object;
            theirs = &theirs[theirs.partition_point(|place| place.object < object)..];
            let here = &theirs[..theirs.partition_point(|place| place.object == object)];
            let meets = |one: &&Place| {
                here.iter().any(|place| one.offset.overlaps(self.size, place.offset, other.size))
            };
            common.extend(ours.iter().find(meets).map(|place| (object, place.offset)));
        }
        common.into()
    }
}

/// All that accesses may access.
#[derive(Default)]
pub(crate) struct Targets {
    pub classes: Vec<Class>,
    numbers: FxHashMap<(Rc<[Place]>, u64), usize>,
}

impl Targets {
    /// Adds an access.
    pub fn add(&mut self, mut places: Vec<Place>, size: u64, made: usize) {
        places.sort_unstable_by_key(|place| (place.object, place.offset));
        let places: Rc<[Place]> = places.into();
        let number = *self.numbers.entry((Rc::clone(&places), size)).or_insert_with(|| {
            self.classes.push(Class { places, size, made: Vec::new() });
            self.classes.len() - 1
        });
        self.classes[number].made.push(made);
    }

    /// The pairs of classes that have an object in common, the lesser number first.
    pub fn that_meet(&self, budget: &Budget) -> Result<Vec<[usize; 2]>, StopReason> {
        let mut by_object: BTreeMap<ObjectId, Vec<usize>> = BTreeMap::new();
        for (number, class) in self.classes.iter().enumerate() {
            for places in class.places.chunk_by(|one, next| one.object == next.object) {
                by_object.entry(places[0].object).or_default().push(number);
            }
        }
        let mut pairs = FxHashSet::default();
        for classes in by_object.values() {
            for (at, one) in classes.iter().enumerate() {
                for other in &classes[at..] {
                    budget.proceed()?;
                    pairs.insert([*one, *other]);
                }
            }
        }
        let mut pairs: Vec<[usize; 2]> = pairs.into_iter().collect();
        pairs.sort_unstable();
        Ok(pairs)
    }
}

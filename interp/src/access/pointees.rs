//! Which object a symbolic pointer points into: every one that it can is a way of its own.
//!
//! The object that the address is computed from comes first, without asking for an example. Then the solver
//! gives one address after the other that lies where none before did. It lies in an object, in one that is
//! gone, or in a hole between objects, which is left out as a whole. When there is no further address,
//! nothing has been missed.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{AddressSpace, Life, Object};
use crate::state::State;
use crate::stop::Stop;
use smallvec::SmallVec;
use symx_expr::solver::{Branch, Unresolved};
use symx_expr::{BinaryOperator, Node, PathCondition, Term, Terms};

/// Addresses below this are null pointers with an offset.
const NULL_PAGE: u64 = 4096;

/// How far from an object an address still seems to be meant for it.
const AROUND: u64 = 1 << 10;

/// How many regions one fork distinguishes; what remains is one way more, which is split when it is taken.
const MOST_REGIONS: usize = 8;

/// The target of a pointer.
pub(crate) enum Target {
    /// Certainly within the live object at this base.
    Object(u64),
    /// To no object that the access may use; this is an address that it can have.
    Nowhere(u64),
}

/// Addresses that are of one kind to an access: first and last.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Region {
    first: u64,
    last: u64,
    /// Base of the live object that the access would lie within.
    object: Option<u64>,
}

impl Region {
    fn contains(self, terms: &Terms, address: Term) -> Term {
        let offset = terms.subtract(address, terms.constant(64, self.first));
        terms.binary(BinaryOperator::UnsignedLessEqual, offset, terms.constant(64, self.last - self.first))
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Finds where an access of `length` bytes at the symbolic `address` goes. Where several places are
    /// possible, stops with the fork.
    pub(crate) fn target(
        &mut self,
        state: &State<E>,
        address: Term,
        length: u64,
        purpose: Purpose,
    ) -> Result<Target, Stop> {
        let machine = self.machine;
        let terms = &machine.terms;
        if let Some(value) = self.given_value(address) {
            return Ok(match self.locate(state, value, length, purpose) {
                Ok((_, object)) => Target::Object(object.base),
                Err(_) => Target::Nowhere(value),
            });
        }
        let mut objects: SmallVec<[Region; 4]> = SmallVec::new();
        let mut rest = state.path.clone();
        let hint = constant_addend(terms, address).and_then(|hint| state.memory.near(hint));
        let around = hint.map(|object| Region {
            first: object.base - AROUND,
            last: object.base + object.size + AROUND,
            object: None,
        });
        if let Some(region) = hint.and_then(|object| usable(object, length, purpose)) {
            let inside = region.contains(terms, address);
            match self.queries.branch(&state.path, inside) {
                Branch::True => return Ok(Target::Object(region.first)),
                Branch::False => {}
                Branch::Both => {
                    objects.push(region);
                    rest.add(terms, terms.not(inside));
                }
                Branch::Unknown(undecided) => return Err(undecided.into()),
            }
        }
        let mut all = regions(&state.memory, length, purpose);
        if around.is_none() {
            all.insert(0, Region { first: 0, last: NULL_PAGE - 1, object: None });
        }
        self.split(&all, rest, objects, around, address)
    }

    /// Splits what `rest` leaves of the address by the regions `all`, of which `objects` are known already.
    /// Addresses `around` the object it is computed from are the examples that people understand best.
    fn split(
        &mut self,
        all: &[Region],
        mut rest: PathCondition,
        mut objects: SmallVec<[Region; 4]>,
        mut around: Option<Region>,
        address: Term,
    ) -> Result<Target, Stop> {
        let machine = self.machine;
        let terms = &machine.terms;
        let (mut gone, mut holes) = (Vec::new(), Vec::new());
        let mut example = None;
        let complete = loop {
            if objects.len() + gone.len() == MOST_REGIONS {
                break false;
            }
            let mut path = rest.clone();
            if let Some(around) = around {
                path.add(terms, around.contains(terms, address));
            }
            let value = match self.queries.value(&path, address) {
                Ok(value) => value.limbs()[0],
                Err(Unresolved::Infeasible) if around.take().is_some() => continue,
                Err(Unresolved::Infeasible) => break true,
                Err(Unresolved::Unknown(undecided)) => return Err(undecided.into()),
            };
            let region = match region_of(all, value) {
                Ok(region) if region.object.is_some() => {
                    objects.push(region);
                    region
                }
                Ok(region) => {
                    gone.push(region);
                    region
                }
                Err(hole) => {
                    holes.push(hole);
                    hole
                }
            };
            example.get_or_insert(value);
            rest.add(terms, terms.not(region.contains(terms, address)));
        };
        if complete && objects.len() + gone.len() + usize::from(!holes.is_empty()) <= 1 {
            return match (objects.first(), example) {
                (Some(object), _) => Ok(Target::Object(object.first)),
                (None, Some(example)) => Ok(Target::Nowhere(example)),
                (None, None) => Err(Stop::Infeasible),
            };
        }
        // The likeliest object first, then the faults, then objects that the pointer was hardly made for.
        let way = |region: &Region| region.contains(terms, address);
        let hole = terms.any(holes.iter().map(way));
        let known = terms.any(objects.iter().chain(&gone).map(way));
        let mut ways: SmallVec<[Term; 2]> = objects.first().map(way).into_iter().collect();
        if !holes.is_empty() {
            ways.push(if complete { terms.not(known) } else { hole });
        }
        ways.extend(gone.iter().map(way));
        ways.extend(objects.iter().skip(1).map(way));
        if !complete {
            ways.push(terms.not(terms.or(known, hole)));
        }
        Err(Stop::Fork(ways))
    }
}

/// The region of an object that the access may use and that is large enough for it.
fn usable(object: &Object, length: u64, purpose: Purpose) -> Option<Region> {
    let usable = object.life == Life::Live
        && object.size >= length
        && !(purpose == Purpose::Write && object.read_only);
    usable.then(|| Region {
        first: object.base,
        last: object.base + (object.size - length),
        object: Some(object.base),
    })
}

/// Objects, usable or gone or constant, in order of address.
fn regions(memory: &AddressSpace, length: u64, purpose: Purpose) -> Vec<Region> {
    let mut regions = Vec::new();
    memory.for_each(|object| {
        if let Some(region) = usable(object, length, purpose) {
            regions.push(region);
        } else if object.size > 0 && (object.life != Life::Live || object.size >= length) {
            let last = object.base + (object.size - 1);
            regions.push(Region { first: object.base, last, object: None });
        }
    });
    regions
}

/// The region that an address lies in, or the hole between two of them.
fn region_of(regions: &[Region], address: u64) -> Result<Region, Region> {
    let next = regions.partition_point(|region| region.first <= address);
    let before = next.checked_sub(1).map(|index| regions[index]);
    if let Some(region) = before.filter(|region| address <= region.last) {
        return Ok(region);
    }
    let first = before.map_or(0, |region| region.last + 1);
    let last = regions.get(next).map_or(u64::MAX, |region| region.first - 1);
    Err(Region { first, last, object: None })
}

/// The constant that a sum adds, which in an address is most likely the object's.
fn constant_addend(terms: &Terms, term: Term) -> Option<u64> {
    let mut term = term;
    while let Node::Binary { operator: BinaryOperator::Add, left, right, .. } = *terms.node(term) {
        if let Some(constant) = terms.as_constant(right) {
            return Some(constant);
        }
        term = left;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_in_one_region_or_hole() {
        let region = |first, last| Region { first, last, object: None };
        let regions = [region(0, 9), region(20, 29), region(30, 30), region(50, u64::MAX - 1)];
        let find = |address| region_of(&regions, address).map_err(|hole| (hole.first, hole.last));
        assert!(find(0).is_ok_and(|region| region.last == 9));
        assert!(find(10) == Err((10, 19)) && find(19) == Err((10, 19)));
        assert!(find(29).is_ok_and(|region| region.first == 20));
        assert!(find(30).is_ok_and(|region| region.first == 30));
        assert!(find(31) == Err((31, 49)) && find(u64::MAX) == Err((u64::MAX, u64::MAX)));
    }
}

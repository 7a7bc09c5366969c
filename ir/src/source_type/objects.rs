//! Source information on objects that are no global variables. It gives the types of those on a function's
//! stack and of its parameters, and the variable that first points to what a call allocates.
//!
//! Of the user's module alone: the variables of a library are unknown to the user.

use crate::source_type::SourceType;
use crate::span::SpanId;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;

/// A call that allocates for a type, by its place in [`ObjectTypes::elements`], counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypedAllocation(NonZeroU16);

impl TypedAllocation {
    /// Its place, counted from 1.
    pub fn number(self) -> u16 {
        self.0.get()
    }

    /// The one of this place; `None` of 0.
    pub fn of_number(number: u16) -> Option<Self> {
        NonZeroU16::new(number).map(Self)
    }
}

/// Names and types of the objects of a module's functions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ObjectTypes {
    /// The types, each once.
    pub types: Vec<SourceType>,
    /// Objects on stacks, ascending by function and site.
    pub stack: Vec<StackObject>,
    /// Objects that calls allocate, ascending by span.
    pub allocated: Vec<AllocatedObject>,
    /// Types for which calls allocate whose results have no variable, ascending by span.
    pub elements: Vec<ElementType>,
    /// Calls whose results their functions return as `void *`, ascending.
    pub passed_on: Vec<SpanId>,
    /// Parameters, ascending by function and number.
    pub parameters: Vec<DeclaredParameter>,
}

/// The type for which a call allocates: in the library, or for the caller of its function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ElementType {
    /// Where the call is.
    pub span: SpanId,
    /// The type's name.
    pub name: String,
    /// The type, if its parts are of interest: an index of [`ObjectTypes::types`].
    pub of: Option<u32>,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeclaredParameter {
    /// The function, by its index among the defined ones of the module.
    pub function: u32,
    /// The number of the parameter, from 0.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its type or, if it is a pointer, that of what it points to: an index of [`ObjectTypes::types`].
    pub of: Option<u32>,
}

/// An object on a function's stack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StackObject {
    /// The function, by its index among the defined ones of the module.
    pub function: u32,
    /// Its alloca site.
    pub site: u16,
    /// Its type: an index of [`ObjectTypes::types`].
    pub of: u32,
}

/// An object that a call allocates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AllocatedObject {
    /// Where the call is.
    pub span: SpanId,
    /// The variable that first points to the object.
    pub variable: String,
    /// The type that it points to, if that is known: an index of [`ObjectTypes::types`].
    pub of: Option<u32>,
}

impl ObjectTypes {
    /// The type of an object on the stack of a function of the module.
    pub fn on_stack(&self, function: u32, site: u16) -> Option<&SourceType> {
        let at = self.stack.binary_search_by_key(&(function, site), |object| (object.function, object.site));
        self.types.get(self.stack[at.ok()?].of as usize)
    }

    /// The name of a parameter of a function of the module, from 0, and its type or, if it is a pointer, that
    /// of what it points to.
    pub fn parameter(&self, function: u32, number: u32) -> Option<(&str, Option<&SourceType>)> {
        let key = |known: &DeclaredParameter| (known.function, known.number);
        let at = self.parameters.binary_search_by_key(&(function, number), key).ok()?;
        let known = &self.parameters[at];
        Some((&known.name, known.of.and_then(|of| self.types.get(of as usize))))
    }

    /// The variable that first points to what a call at `span` allocates, and the type of what it points to.
    pub fn allocated_at(&self, span: SpanId) -> Option<(&str, Option<&SourceType>)> {
        let at = self.allocated.binary_search_by_key(&span, |object| object.span).ok()?;
        let object = &self.allocated[at];
        Some((&object.variable, object.of.and_then(|of| self.types.get(of as usize))))
    }

    /// The call at `span`, if it is known to allocate for a type. Of more than 65,535 calls the rest are not.
    pub fn typed_allocation(&self, span: SpanId) -> Option<TypedAllocation> {
        let at = self.elements.binary_search_by_key(&span, |element| element.span).ok()?;
        TypedAllocation::of_number(u16::try_from(at + 1).ok()?)
    }

    /// The type for which a call allocates: its name, and its parts if they are of interest.
    pub fn element(&self, call: TypedAllocation) -> Option<(&str, Option<&SourceType>)> {
        let element = self.elements.get(usize::from(call.number()) - 1)?;
        Some((&element.name, element.of.and_then(|of| self.types.get(of as usize))))
    }

    /// The variable of the program's own that first points to what a typed allocation makes, and the type of
    /// what it points to.
    pub fn variable_of(&self, call: TypedAllocation) -> Option<(&str, Option<&SourceType>)> {
        self.allocated_at(self.elements.get(usize::from(call.number()) - 1)?.span)
    }

    /// Whether what the call at `span` allocates is its function's caller's, as in `xmalloc`.
    pub fn is_passed_on(&self, span: SpanId) -> bool {
        self.passed_on.binary_search(&span).is_ok()
    }

    /// Whether objects of one call only are called by a variable of this name.
    pub fn is_unique(&self, variable: &str) -> bool {
        self.allocated.iter().filter(|object| object.variable == variable).count() == 1
    }

    /// Puts the tables into the order in which they are searched.
    pub fn sort(&mut self) {
        self.stack.sort_by_key(|object| (object.function, object.site));
        self.parameters.sort_by_key(|known| (known.function, known.number));
        self.elements.sort_by_key(|element| element.span);
        self.passed_on.sort_unstable();
        self.allocated.sort_by_key(|object| object.span);
        self.allocated.dedup_by_key(|object| object.span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_by_where_they_are_made() {
        let int = SourceType::Plain { size: 4, encoding: crate::debug_info::Encoding::Signed };
        let allocated =
            |span: u32, name: &str, of| AllocatedObject { span: SpanId(span), variable: name.into(), of };
        let mut known = ObjectTypes {
            types: vec![int.clone()],
            stack: vec![
                StackObject { function: 2, site: 0, of: 0 },
                StackObject { function: 1, site: 3, of: 0 },
            ],
            allocated: vec![
                allocated(7, "node", Some(0)),
                allocated(3, "p", None),
                allocated(7, "other", None),
            ],
            elements: vec![ElementType { span: SpanId(9), name: "Job".into(), of: Some(0) }],
            passed_on: vec![SpanId(8), SpanId(2)],
            parameters: vec![
                DeclaredParameter { function: 2, number: 1, name: "size".into(), of: Some(0) },
                DeclaredParameter { function: 2, number: 0, name: "buffer".into(), of: None },
            ],
        };
        known.sort();
        assert_eq!((known.on_stack(1, 3), known.on_stack(1, 2)), (Some(&int), None));
        assert_eq!(known.allocated_at(SpanId(7)), Some(("node", Some(&int))));
        assert_eq!(known.allocated_at(SpanId(3)), Some(("p", None)));
        assert_eq!(known.allocated_at(SpanId(4)), None);
        let job = known.typed_allocation(SpanId(9)).and_then(|call| known.element(call));
        assert_eq!(job, Some(("Job", Some(&int))));
        assert_eq!(known.typed_allocation(SpanId(7)), None);
        assert!(
            known.is_passed_on(SpanId(2)) && known.is_passed_on(SpanId(8)) && !known.is_passed_on(SpanId(9))
        );
        assert_eq!(known.parameter(2, 1), Some(("size", Some(&int))));
        assert_eq!((known.parameter(2, 0), known.parameter(1, 0)), (Some(("buffer", None)), None));
        assert!(known.is_unique("node") && !known.is_unique("none"));
    }
}

//! Names of memory, for people.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Allocation, Object, Site, SiteKind};
use crate::stop::position::location;
use std::borrow::Cow;
use symx_ir::known_functions::{is_vtable, made_by_compiler};
use symx_ir::program::LinkedGlobal;
use symx_ir::{FunctionId, SourceName, SourceType, SpanId, short_file};
use symx_trace::InputType;

impl<E: Environment> Executor<'_, E> {
    /// For people: an object's name, as in "global `count`" or "an object of 16 bytes allocated in `main`".
    pub fn describe_object(&self, object: &Object) -> String {
        self.object_name(object).quoted()
    }

    /// For people: an object's name, or what it is.
    pub(crate) fn object_name(&self, object: &Object) -> SourceName {
        self.allocation_name(object.allocation())
    }

    /// The declared type of a variable; `None` of other objects.
    fn variable_type(&self, object: &Object) -> Option<&SourceType> {
        let program = &self.machine.program;
        match object.site.kind() {
            SiteKind::Global(number) | SiteKind::ThreadLocal(number) => {
                program.globals[number as usize].source_type.as_ref()
            }
            SiteKind::Stack(function, site) => {
                let function = &program.functions[function as usize];
                let known = &program.object_types;
                function.in_program.then(|| known.on_stack(function.module_index, site)).flatten()
            }
            SiteKind::Heap(..) | SiteKind::Environment(_) => None,
        }
    }

    /// The name and the declared type of the variable that first pointed to an object on the heap: of what it
    /// points to.
    fn pointer_to(&self, object: &Object) -> Option<(&str, Option<&SourceType>)> {
        let program = &self.machine.program;
        let SiteKind::Heap(function, pc) = object.site.kind() else { return None };
        match (SiteKind::parameter(pc), object.origin.span) {
            (Some(number), _) => program.declared_parameter(FunctionId(function), number),
            (None, SpanId::UNKNOWN) => None,
            (None, _) => {
                let (variable, of) = self.first_variable(object.allocation())?;
                Some((variable, of.or_else(|| self.element(object)?.1)))
            }
        }
    }

    /// The variable that first pointed to an object on the heap, and the declared type of what it points to:
    /// where the program called the allocator, or where a library did that the program called.
    pub(crate) fn first_variable(&self, of: Allocation) -> Option<(&str, Option<&SourceType>)> {
        let types = &self.machine.program.object_types;
        types.allocated_at(of.origin.span).or_else(|| types.variable_of(of.typed?))
    }

    /// Whether the environment gave the object to a function as a parameter.
    pub(crate) fn is_given(&self, object: &Object) -> bool {
        matches!(object.site.kind(), SiteKind::Heap(_, pc) if SiteKind::parameter(pc).is_some())
    }

    /// Whether an object is a class's table of virtual functions.
    pub(crate) fn is_vtable(&self, object: &Object) -> bool {
        let globals = &self.machine.program.globals;
        matches!(object.site.kind(), SiteKind::Global(number) if is_vtable(&globals[number as usize].name))
    }

    /// The type for which a library, or a function for its caller, allocated an object: its name, and its
    /// parts if they have names.
    pub(crate) fn element(&self, object: &Object) -> Option<(&str, Option<&SourceType>)> {
        self.machine.program.object_types.element(object.typed?)
    }

    /// For people: how the source names a place in an object that a library allocated for a type with parts.
    pub(crate) fn place_in_element(&self, object: &Object, offset: u64, length: u64) -> Option<String> {
        let of = self.element(object)?.1.filter(|of| of.size() > 0)?;
        Some(of.filling(object.size).place(offset, length))
    }

    /// What an object on the heap is called after: the variable that first pointed to it, or the type for
    /// which a library allocated it.
    pub(crate) fn known_as(&self, object: &Object) -> Option<&str> {
        self.known(object).map(|(name, _)| name)
    }

    fn known(&self, object: &Object) -> Option<(&str, Option<&SourceType>)> {
        self.pointer_to(object).or_else(|| self.element(object))
    }

    /// The declared type of an object, and whether it may be an array of that.
    fn declared_type(&self, object: &Object) -> Option<(&SourceType, bool)> {
        match self.variable_type(object) {
            Some(of) => Some((of, false)),
            None => Some((self.known(object)?.1?, true)),
        }
    }

    /// The numbers that bytes of an object are by its declared type, if they are of one type.
    pub(crate) fn numbers_in(&self, object: &Object, offset: u64, length: u64) -> Option<InputType> {
        let (of, may_be_array) = self.declared_type(object)?;
        let whole = if may_be_array { of.filling(object.size) } else { Cow::Borrowed(of) };
        let numbers = whole.numbers(offset, length);
        numbers.map(|(encoding, size)| InputType { encoding, size })
    }

    /// The number, pointer or enumeration that bytes of an object are by its declared type.
    pub(crate) fn number_in(&self, object: &Object, offset: u64, length: u64) -> Option<&SourceType> {
        let (of, may_be_array) = self.declared_type(object)?;
        let within = if may_be_array && !of.is_open() { offset.checked_rem(of.size())? } else { offset };
        of.number(within, length)
    }

    /// For people: how the source names a place in a variable, after the variable's name, as in "\[1\].next".
    pub fn place_in(&self, object: &Object, offset: u64, length: u64) -> Option<String> {
        let of = self.variable_type(object)?;
        // A number on a stack has no parts.
        let is_on_stack = matches!(object.site.kind(), SiteKind::Stack(..));
        let is_number =
            is_on_stack && matches!(of, SourceType::Plain { .. } | SourceType::Enumeration { .. });
        (!is_number).then(|| of.place(offset, length))
    }

    /// The length in bytes of the first of several elements that a variable points to.
    pub(crate) fn first_element(&self, object: &Object) -> Option<u64> {
        let of = self.pointer_to(object)?.1.filter(|of| !of.is_open())?;
        let size = of.size();
        (0 < size && size < object.size).then_some(size)
    }

    /// For people: how the source names a place in an object on the heap, by the variable that first pointed
    /// to the object. Examples are `*node`, `node->next`, `entries[3].hits`. `None` if no variable is known.
    pub fn pointed_to(&self, object: &Object, offset: u64, length: u64) -> Option<SourceName> {
        let (variable, of) = self.pointer_to(object)?;
        let Some(of) = of.filter(|of| of.size() > 0) else {
            return Some(match offset {
                0 => SourceName::expression(format!("*{variable}")),
                offset => SourceName::description(format!("*{variable}+{offset}")),
            });
        };
        let place = of.filling(object.size).place(offset, length);
        Some(SourceName::expression(match place.strip_prefix('.') {
            Some(field) => format!("{variable}->{field}"),
            None if object.size > of.size() && !place.is_empty() => format!("{variable}{place}"),
            None => format!("*{variable}{place}"),
        }))
    }

    /// For people: the function to name together with a variable on a stack; those of `main` need none.
    pub(crate) fn function_of_variable(&self, object: &Object) -> Option<&str> {
        let SiteKind::Stack(number, site) = object.site.kind() else { return None };
        let program = &self.machine.program;
        let function = &program.functions[number as usize];
        let name = function.allocas.get(site as usize).filter(|name| !name.is_empty())?;
        // Those of `main` need no function beside them, but where a global variable has the same name.
        let mut globals = program.globals.iter().filter(|global| global.of_program);
        let is_main = program.main().is_some_and(|main| main.0 == number);
        let is_clear = is_main && globals.all(|global| global.source_name != *name);
        (!is_clear).then_some(function.source_name.as_str())
    }

    /// For people: what tells a variable from others of its name, as in " (a.c:3)"; "" if it has its name for
    /// itself, or its function does.
    pub(crate) fn distinction(&self, site: Site, span: SpanId) -> String {
        let program = &self.machine.program;
        let distinction = match site.kind() {
            SiteKind::Global(number) | SiteKind::ThreadLocal(number) => {
                program.globals[number as usize].distinction.clone()
            }
            SiteKind::Stack(function, site) => {
                let names = &program.functions[function as usize].allocas;
                let name = names.get(site as usize).filter(|name| !name.is_empty());
                let is_twin = names.iter().filter(|other| Some(*other) == name).count() > 1;
                let made = location(program, span);
                let file = short_file(&made.file);
                let place = (is_twin && made.line > 0).then(|| format!("{file}:{}", made.line));
                place.unwrap_or_default()
            }
            SiteKind::Heap(..) | SiteKind::Environment(_) => String::new(),
        };
        if distinction.is_empty() { distinction } else { format!(" ({distinction})") }
    }

    /// For people: a variable's own name, and a place within it.
    pub(crate) fn variable(&self, object: &Object, place: &str) -> Option<SourceName> {
        let program = &self.machine.program;
        match object.site.kind() {
            SiteKind::Global(number) | SiteKind::ThreadLocal(number) => {
                Some(global_name(&program.globals[number as usize], place))
            }
            SiteKind::Stack(function, site) => {
                let name = program.functions[function as usize].allocas.get(site as usize)?;
                (!name.is_empty()).then(|| SourceName::expression(format!("{name}{place}")))
            }
            SiteKind::Heap(..) | SiteKind::Environment(_) => None,
        }
    }

    /// For people: an object's name, or what it is.
    pub(crate) fn allocation_name(&self, of: Allocation) -> SourceName {
        let known = self.first_variable(of).filter(|_| of.origin.span != SpanId::UNKNOWN);
        let variable = known.map_or_else(String::new, |(variable, _)| format!(" (`*{variable}`)"));
        self.described(of, &variable)
    }

    /// The same, with what is known of the variable that points to it.
    pub(crate) fn described(&self, of: Allocation, variable: &str) -> SourceName {
        let program = &self.machine.program;
        let (site, size, span) = (of.site, of.size, of.origin.span);
        let which = self.distinction(site, span);
        SourceName::description(match site.kind() {
            SiteKind::Global(number) | SiteKind::ThreadLocal(number) => {
                return global_name(&program.globals[number as usize], "").and(&which);
            }
            SiteKind::Stack(function, site) => {
                let function = &program.functions[function as usize];
                let of = format!(" of `{}`{which}", function.source_name);
                match function.allocas.get(site as usize) {
                    Some(name) if !name.is_empty() => return SourceName::expression(name).and(&of),
                    _ => format!("a stack object{of}"),
                }
            }
            SiteKind::Heap(function, pc) if SiteKind::parameter(pc).is_some() => {
                let parameter = SiteKind::parameter(pc).and_then(|number| {
                    Some(format!(" as `{}`", program.declared_parameter(FunctionId(function), number)?.0))
                });
                format!(
                    "an object of {size} bytes given to `{}`{}",
                    program.functions[function as usize].source_name,
                    parameter.unwrap_or_default()
                )
            }
            SiteKind::Heap(function, _) => {
                let made = location(program, span);
                // Code of another function may be inlined there.
                let function = match made.function.as_str() {
                    "" => program.functions[function as usize].source_name.as_str(),
                    written => written,
                };
                let file = short_file(&made.file);
                let place = match made.line {
                    0 => String::new(),
                    line => format!(" at {file}:{line}"),
                };
                let element = of.typed.and_then(|call| program.object_types.element(call));
                let of = match element {
                    Some((name, _)) if variable.is_empty() => format!(" (`{name}`)"),
                    _ => String::new(),
                };
                format!("a heap object of {size} bytes{variable}{of} allocated in `{function}`{place}")
            }
            SiteKind::Environment(_) => format!("an object of {size} bytes made by the system"),
        })
    }
}

/// The name of a place in a global variable.
fn global_name(global: &LinkedGlobal, place: &str) -> SourceName {
    let name = format!("{}{place}", global.source_name);
    match made_by_compiler(&global.name) {
        Some(_) => SourceName::description(name),
        None => SourceName::expression(name),
    }
}

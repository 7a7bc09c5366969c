//! The effects of calls on pointers: arguments, results, new threads, and functions without a body.

use super::code::number;
use super::{Analysis, CodePlace, NodeId, Source};
use crate::externals::{
    Effect, LISTS, MAPPING_FLAGS, MAPS, SETS_HANDLER, Uses, effect, maps_memory, may_be_of_file, text_of,
};
use crate::objects::{Object, Place, PlaceId};
use crate::offsets::{Offset, Shift};
use symx_ir::function::Passing;
use symx_ir::program::LinkedFunction;
use symx_ir::{CallSite, CallTarget, ExternalId, FunctionId, Operand};

/// In which way a call has a function called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    /// It calls it.
    Called { site: u32 },
    /// It has it called without arguments, and waits.
    CalledBack,
    /// As the first function of a thread, on an argument.
    Started { argument: Option<NodeId> },
    /// Some time.
    Later { argument: Option<NodeId> },
}

impl Analysis<'_> {
    pub(super) fn call(&mut self, id: FunctionId, function: &LinkedFunction, site: u32, pc: u32) {
        let call = &function.calls[site as usize];
        let at = (id, pc);
        if let Some(uses) = text_of(self.program, &call.target) {
            return self.uses(at, call, uses);
        }
        match call.target {
            CallTarget::Function(callee) => self.call_function(at, call, callee, true),
            CallTarget::External(callee) => self.call_external(at, call, callee),
            CallTarget::Pointer(target) => {
                let target = self.source(id, target);
                self.bind_all(at, target, Callee::Called { site });
            }
            CallTarget::Assembly(_) | CallTarget::Symbol(_) => {}
        }
    }

    /// Binds what an operand names.
    fn bind_operand(&mut self, at: CodePlace, function: Option<Operand>, callee: Callee) {
        if let Some(function) = function {
            let target = self.source(at.0, function);
            self.bind_all(at, target, callee);
        }
    }

    fn flow_operand(&mut self, id: FunctionId, operand: Option<Operand>, to: NodeId) {
        if let Some(operand) = operand {
            let source = self.source(id, operand);
            self.flow(source, to, Shift::NONE);
        }
    }

    /// Binds what is known to be called, and what will be.
    fn bind_all(&mut self, at: CodePlace, target: Source, callee: Callee) {
        match target {
            Source::Place(place) => self.bind(at, callee, place),
            Source::Node(node) => {
                let number = self.calls.len() as u32;
                self.calls.push((at, callee));
                self.solver.call(node, number);
            }
            Source::Nothing => {}
        }
    }

    pub(super) fn bind(&mut self, at: CodePlace, callee: Callee, place: PlaceId) {
        let object = self.solver.objects.object(self.solver.objects.place(place).object);
        let program = self.program;
        let site = |site: u32| &program.function(at.0).calls[site as usize];
        match (callee, object) {
            (Callee::Called { site: number }, Object::Function(id)) => {
                self.call_function(at, site(number), id, false)
            }
            (Callee::Called { site: number }, Object::External(id)) => {
                let known = self.externals.entry(at).or_default();
                if !known.contains(&id) {
                    known.push(id);
                    self.call_external(at, site(number), id);
                }
            }
            (Callee::CalledBack, Object::Function(id)) => self.note_callee(at, id),
            (Callee::Started { argument }, Object::Function(id)) => {
                let starts = self.starts.entry(at).or_default();
                if !starts.contains(&id) {
                    starts.push(id);
                }
                if let Some(argument) = argument {
                    self.solver.copy(argument, self.handed_over, Shift::NONE);
                }
                self.reach(id);
                self.hand_over(id, argument);
                let results = self.results[id.0 as usize];
                for slot in 0..program.function(id).return_slots {
                    self.solver.copy(NodeId(results + slot), self.thread_results, Shift::NONE);
                }
            }
            (Callee::Later { argument }, Object::Function(id)) => {
                self.later.insert(id);
                self.reach(id);
                self.hand_over(id, argument);
            }
            _ => {}
        }
    }

    /// A function is run on an argument, by whichever thread.
    fn hand_over(&mut self, id: FunctionId, argument: Option<NodeId>) {
        let parameter = self.program.function(id).params.first();
        if let (Some(argument), Some(parameter)) = (argument, parameter) {
            let parameter = self.register(id, parameter.slot);
            self.solver.copy(argument, parameter, Shift::NONE);
        }
    }

    fn note_callee(&mut self, at: CodePlace, callee: FunctionId) {
        self.reach(callee);
        let callees = self.callees.entry(at).or_default();
        if !callees.contains(&callee) {
            callees.push(callee);
        }
    }

    fn call_function(&mut self, at: CodePlace, call: &CallSite, callee: FunctionId, is_direct: bool) {
        self.note_callee(at, callee);
        let program = self.program;
        let called = program.function(callee);
        for (argument, number) in call.arguments.iter().zip(0..) {
            let Some(parameter) = called.params.get(number as usize) else {
                self.variable_argument(at, callee, argument);
                continue;
            };
            if let Passing::Copy { size, .. } = argument.passing {
                let copy = self.solver.objects.start(Object::Copy(at.0, at.1, number));
                let parameter = self.register(callee, parameter.slot);
                self.solver.add(parameter, copy);
                let to = self.solver.nodes(1);
                self.solver.add(to, copy);
                if let Some(from) = self.node(at.0, argument.operand) {
                    self.solver.copy_memory(to, from, Some(u64::from(size)));
                }
                continue;
            }
            for slot in 0..argument.slots.min(parameter.slots) {
                let source = self.source(at.0, argument.operand.offset(slot));
                let parameter = self.register(callee, parameter.slot + slot);
                self.flow(source, parameter, Shift::NONE);
            }
        }
        if is_direct && self.wrappers.contains(&callee) {
            return self.allocate(at, call);
        }
        if is_direct && maps_memory(&called.name) && !called.in_program {
            return self.map(at, call);
        }
        for slot in 0..call.return_slots.min(called.return_slots) {
            let result = NodeId(self.results[callee.0 as usize] + slot);
            let dst = self.register(at.0, call.dst + slot);
            self.solver.copy(result, dst, Shift::NONE);
        }
    }

    fn variable_argument(
        &mut self,
        at: CodePlace,
        callee: FunctionId,
        argument: &symx_ir::function::Argument,
    ) {
        let object = self.solver.objects.id(Object::Variadic(callee));
        let cell = self.solver.cell(Place { object, offset: Offset::ANYWHERE });
        for slot in 0..argument.slots {
            let source = self.source(at.0, argument.operand.offset(slot));
            self.flow(source, cell, Shift::NONE);
        }
    }

    fn allocate(&mut self, at: CodePlace, call: &CallSite) {
        if call.return_slots > 0 {
            let place = self.solver.objects.start(Object::Heap(at.0, at.1));
            let dst = self.register(at.0, call.dst);
            self.solver.add(dst, place);
        }
    }

    /// New memory, which may be a part of a file.
    fn map(&mut self, at: CodePlace, call: &CallSite) {
        self.allocate(at, call);
        let flags = call.arguments.get(MAPPING_FLAGS);
        if may_be_of_file(flags.and_then(|flags| number(self.program.function(at.0), flags.operand))) {
            let place = self.solver.objects.start(Object::Heap(at.0, at.1));
            self.solver.add(self.of_files, place);
        }
    }

    /// The old object may be the new one, and else its contents are copied.
    fn reallocate(&mut self, at: CodePlace, call: &CallSite) {
        self.allocate(at, call);
        if let (true, Some(old)) = (call.return_slots > 0, call.arguments.first()) {
            let dst = self.register(at.0, call.dst);
            let old = self.source(at.0, old.operand);
            self.flow(old, dst, Shift::NONE);
            if let Source::Node(old) = old {
                self.solver.copy_memory(dst, old, None);
            }
        }
    }

    /// A new object whose address is stored where an operand points.
    fn allocate_at(&mut self, at: CodePlace, pointer: Option<Operand>) {
        let place = self.solver.objects.start(Object::Heap(at.0, at.1));
        let new = self.solver.nodes(1);
        self.solver.add(new, place);
        if let Some(address) = pointer.and_then(|pointer| self.node(at.0, pointer)) {
            self.solver.store(address, new);
        }
    }

    fn call_external(&mut self, at: CodePlace, call: &CallSite, callee: ExternalId) {
        let external = &self.program.externals[callee.0 as usize];
        let fallback = external.fallback;
        let Some(effect) = effect(&external.name, fallback.is_some()) else {
            if let Some(body) = fallback {
                self.call_function(at, call, body, false);
            }
            return;
        };
        let id = at.0;
        let operand = |number: usize| call.arguments.get(number).map(|argument| argument.operand);
        let dst = (call.return_slots > 0).then(|| self.register(id, call.dst));
        match effect {
            Effect::Allocate => self.allocate(at, call),
            Effect::Reallocate => self.reallocate(at, call),
            Effect::AllocateAt(number) => self.allocate_at(at, operand(number)),
            Effect::Copy { returns_end } => {
                let (Some(to), Some(from)) = (operand(0), operand(1)) else { return };
                let size =
                    call.arguments.get(2).and_then(|size| number(self.program.function(id), size.operand));
                self.copy_memory(id, to, from, size);
                self.first_is_returned(at, call, if returns_end { Shift::ANYWHERE } else { Shift::NONE });
            }
            Effect::Fill => self.first_is_returned(at, call, Shift::NONE),
            Effect::Create { function, argument } => {
                let argument = operand(argument).and_then(|operand| self.node(id, operand));
                self.bind_operand(at, operand(function), Callee::Started { argument });
            }
            Effect::Join { .. } => {
                if let Some(to) = operand(1).and_then(|operand| self.node(id, operand)) {
                    self.solver.store(to, self.thread_results);
                }
            }
            Effect::EndThread => self.flow_operand(id, operand(0), self.thread_results),
            Effect::Calls(function) => self.bind_operand(at, operand(function), Callee::CalledBack),
            Effect::CallsLater { function, argument } => {
                let argument = match argument {
                    Some(argument) => operand(argument).and_then(|operand| self.node(id, operand)),
                    None => Some(self.kept),
                };
                self.bind_operand(at, operand(function), Callee::Later { argument });
            }
            Effect::SetSpecific => self.flow_operand(id, operand(1), self.kept),
            Effect::GetSpecific => {
                if let Some(dst) = dst {
                    self.solver.copy(self.kept, dst, Shift::NONE);
                }
            }
            Effect::Throw => self.flow_operand(id, operand(0), self.thrown),
            Effect::Atomic { object, written, result, expected } => {
                let [object, written, result, expected] =
                    [Some(object), written, result, expected].map(|number| number.and_then(operand));
                let Some(object) = object else { return };
                written.into_iter().for_each(|from| self.copy_memory(id, object, from, None));
                result.into_iter().chain(expected).for_each(|to| self.copy_memory(id, to, object, None));
            }
            Effect::Uses(uses) => self.uses(at, call, uses),
            Effect::SystemCall { .. } => self.system_call(at, call),
            Effect::Unknown => self.unknown(at, call),
            Effect::Nothing
            | Effect::Free
            | Effect::Lock { .. }
            | Effect::Unlock
            | Effect::Section { .. } => {}
        }
    }

    fn first_is_returned(&mut self, at: CodePlace, call: &CallSite, shift: Shift) {
        if let (Some(first), true) = (call.arguments.first(), call.return_slots > 0) {
            let (source, dst) = (self.source(at.0, first.operand), self.register(at.0, call.dst));
            self.flow(source, dst, shift);
        }
    }

    fn uses(&mut self, at: CodePlace, call: &CallSite, Uses { result, end, .. }: Uses) {
        let operand = |number: usize| call.arguments.get(number).map(|argument| argument.operand);
        if let (Some(into), true) = (result.and_then(operand), call.return_slots > 0) {
            let (source, dst) = (self.source(at.0, into), self.register(at.0, call.dst));
            self.flow(source, dst, Shift::ANYWHERE);
        }
        let end = end.and_then(operand).and_then(|end| self.node(at.0, end));
        let text = operand(0).and_then(|text| self.behind(at.0, text, Shift::ANYWHERE));
        if let (Some(end), Some(text)) = (end, text) {
            self.solver.store(end, text);
        }
    }

    fn system_call(&mut self, at: CodePlace, call: &CallSite) {
        let function = self.program.function(at.0);
        let called = call.arguments.first().and_then(|argument| number(function, argument.operand));
        if called.is_none_or(|called| MAPS.contains(&called)) {
            self.allocate(at, call);
        }
        let list = |called: u64| LISTS.iter().any(|(number, _)| *number == called);
        if called.is_some_and(|called| called == SETS_HANDLER || list(called))
            && let Some(behind) = call.arguments.get(2)
            && let Some(behind) = self.behind(at.0, behind.operand, Shift::ANYWHERE)
        {
            let inside = self.solver.nodes(1);
            self.solver.load(behind, inside);
            if called == Some(SETS_HANDLER) {
                self.bind_all(at, Source::Node(inside), Callee::Later { argument: None });
            } else {
                self.pieces.insert(at, inside);
            }
        }
    }

    /// Anything that the arguments point to may be called, on anything there.
    fn unknown(&mut self, at: CodePlace, call: &CallSite) {
        let all = self.solver.nodes(1);
        for argument in &call.arguments {
            for slot in 0..argument.slots {
                if let Some(node) = self.node(at.0, argument.operand.offset(slot)) {
                    let inside = self.solver.nodes(1);
                    let behind = self.solver.nodes(1);
                    self.solver.copy(node, behind, Shift::ANYWHERE);
                    self.solver.load(behind, inside);
                    self.solver.copy(node, all, Shift::NONE);
                    self.solver.copy(inside, all, Shift::NONE);
                }
            }
        }
        self.solver.copy(all, self.handed_over, Shift::NONE);
        self.bind_all(at, Source::Node(all), Callee::Later { argument: Some(all) });
        if call.return_slots > 0 {
            let dst = self.register(at.0, call.dst);
            self.solver.copy(all, dst, Shift::ANYWHERE);
        }
    }
}

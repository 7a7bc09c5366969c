//! The program out of what was reached: its addresses, and constants, calls and globals bound to them.

use super::spans::SpanTables;
use super::{LinkError, Linker, Target};
use crate::address::{self, Cell};
use crate::function::{CallTarget, ExternalId, Function, FunctionId};
use crate::known_functions::standard_stream;
use crate::module::Global;
use crate::program::{External, GlobalId, LinkedFunction, LinkedGlobal, Program};
use crate::symbol::{Constant, SymbolId};
use rustc_hash::FxHashMap;

impl<'m> Linker<'m> {
    pub(super) fn finish(self, module_count: usize) -> Result<Program, LinkError> {
        let cells = lay_out(self.globals.iter().map(|&(m, i)| &self.modules[m].globals[i as usize]))?;
        let addresses: Vec<u64> = (self.globals.iter().zip(&cells))
            .map(|(&(m, i), cell)| cell.base(self.modules[m].globals[i as usize].align_log2))
            .collect();
        let mut program = Program {
            path: self.modules[0].path.clone(),
            hash: self.modules[0].hash,
            externals: (self.external_names.iter().zip(0..))
                .map(|(name, id)| External {
                    name: name.to_string(),
                    fallback: self.fallbacks.get(&ExternalId(id)).copied(),
                })
                .collect(),
            undefined_variables: self.undefined_variables.iter().map(ToString::to_string).collect(),
            // Names only; a program without them runs the same.
            object_types: self.modules[0].object_types.get().cloned().unwrap_or_default(),
            ..Program::default()
        };
        let function_count = self.functions.len() as u32;
        let labels = self.lay_out_labels();
        let address_of = |target: Target| match target {
            Target::Function(id) => address::function_address(id.0),
            Target::External(id) => address::function_address(function_count + id.0),
            Target::Global(id, offset) => addresses[id.0 as usize].wrapping_add_signed(offset),
            Target::Labels(id) => labels[&id],
            Target::UndefinedVariable(number) => address::undefined_variable_address(number),
            Target::Absent => 0,
        };
        program.names = self.looked_up.bind(&address_of);
        let bind = |module: usize, constant: &Constant| -> u64 {
            let address = |symbol: SymbolId| address_of(self.targets[&(module, symbol)]);
            match *constant {
                Constant::Bits(bits) => bits,
                Constant::Address(symbol, offset) => address(symbol).wrapping_add_signed(offset),
                Constant::Difference(left, right, offset) => {
                    address(left).wrapping_add_signed(offset).wrapping_sub(address(right))
                }
            }
        };
        let mut spans = SpanTables::new(&mut program, self.modules);
        for &(module, index) in &self.functions {
            let mut function = Function::clone(&self.modules[module].functions[index as usize]);
            spans.rebase(module, &mut function);
            let id = FunctionId(program.functions.len() as u32);
            self.bind_calls((module, id), &mut function, &bind, &mut program.aliased_calls);
            function.in_program &= module == 0;
            let constants = function.constants.iter().map(|constant| bind(module, constant)).collect();
            program.function_names.entry(function.name.clone()).or_insert(id);
            program.functions.push(LinkedFunction { function, constants });
        }
        program.mark_library_sources();
        for (number, (cell, address)) in cells.iter().zip(&addresses).enumerate() {
            let global = self.bound_global(number, (*cell, *address), &bind);
            program.global_names.entry(global.name.clone()).or_insert(GlobalId(number as u32));
            program.globals.push(global);
        }
        // Later modules are libraries: their constructors run first, as a dynamic linker would have it.
        for module in (0..module_count).rev() {
            program.constructors.extend(self.in_order(module, &self.modules[module].constructors));
        }
        for module in 0..module_count {
            let mut destructors = self.in_order(module, &self.modules[module].destructors);
            destructors.reverse();
            program.destructors.extend(destructors);
        }
        Ok(program)
    }

    /// Binds the symbols that a function calls.
    fn bind_calls(
        &self,
        (module, id): (usize, FunctionId),
        function: &mut Function,
        bind: &impl Fn(usize, &Constant) -> u64,
        aliased: &mut FxHashMap<(FunctionId, u32), String>,
    ) {
        for (call, site) in function.calls.iter_mut().zip(0..) {
            if let CallTarget::Symbol(symbol) = call.target {
                if module == 0
                    && let Some(name) = self.alias(symbol)
                {
                    aliased.insert((id, site), name.to_string());
                }
                call.target = match self.targets[&(module, symbol)] {
                    Target::Function(id) => CallTarget::Function(id),
                    Target::External(id) => CallTarget::External(id),
                    // A call of an absent or misdeclared symbol jumps to its address and faults there.
                    Target::Global(..)
                    | Target::Labels(_)
                    | Target::UndefinedVariable(_)
                    | Target::Absent => {
                        let value = bind(module, &Constant::Address(symbol, 0));
                        function.constants.push(Constant::Bits(value));
                        CallTarget::Pointer(crate::Operand::constant(function.constants.len() as u32 - 1))
                    }
                };
            }
        }
    }

    /// A global variable with its addresses bound.
    fn bound_global(
        &self,
        number: usize,
        (cell, address): (Cell, u64),
        bind: &impl Fn(usize, &Constant) -> u64,
    ) -> LinkedGlobal {
        let (module, index) = self.globals[number];
        let global = &self.modules[module].globals[index as usize];
        let mut bytes = global.initializer.bytes.clone();
        for (offset, width, constant) in &global.initializer.relocations {
            let (start, width) = (*offset as usize, *width as usize);
            if bytes.len() < start + width {
                bytes.resize(start + width, 0);
            }
            bytes[start..start + width].copy_from_slice(&bind(module, constant).to_le_bytes()[..width]);
        }
        let known = standard_stream(&global.name).filter(|_| module != 0);
        LinkedGlobal {
            name: global.name.clone(),
            source_name: known.map_or_else(|| global.source_name.clone(), str::to_owned),
            distinction: global.distinction.clone(),
            source_type: global.source_type.clone(),
            cell,
            address,
            size: global.size,
            align_log2: global.align_log2,
            constant: global.constant,
            library: module != 0,
            thread_local: global.thread_local,
            bytes,
            of_program: module == 0,
        }
    }

    /// The address of the first label of each function whose labels something names.
    fn lay_out_labels(&self) -> FxHashMap<FunctionId, u64> {
        let mut owners: Vec<FunctionId> = (self.targets.values())
            .filter_map(|target| match target {
                Target::Labels(id) => Some(*id),
                _ => None,
            })
            .collect();
        owners.sort_unstable();
        owners.dedup();
        let mut next = address::LABEL_BASE;
        let place = |id: FunctionId| {
            let (module, index) = self.functions[id.0 as usize];
            let first = next;
            next += self.modules[module].functions[index as usize].blocks.len() as u64;
            (id, first)
        };
        owners.into_iter().map(place).collect()
    }

    fn in_order(&self, module: usize, list: &[(u32, SymbolId)]) -> Vec<FunctionId> {
        let mut list = list.to_vec();
        list.sort_by_key(|entry| entry.0);
        list.iter()
            .filter_map(|&(_, symbol)| match self.targets.get(&(module, symbol)) {
                Some(&Target::Function(id)) => Some(id),
                _ => None,
            })
            .collect()
    }
}

fn lay_out<'g>(globals: impl Iterator<Item = &'g Global>) -> Result<Vec<Cell>, LinkError> {
    let (mut small, mut large) = (0, 0);
    globals
        .map(|global| {
            if global.size > address::LARGE_LIMIT {
                return Err(LinkError::TooLarge { name: global.name.clone(), size: global.size });
            }
            // A small cell's lead grows with the alignment, which must leave room for the object.
            if global.size <= address::SMALL_LIMIT && global.align_log2 <= 15 {
                small += 1;
                return Ok(Cell::small(small - 1));
            }
            large += 1;
            // The other half is for the heap.
            if large > address::LARGE_CELLS / 2 {
                Err(LinkError::TooManyGlobals)
            } else {
                Ok(Cell::large(large - 1))
            }
        })
        .collect()
}

//! The module being decoded, as every part of the loader sees it: types, symbols, layout.

use crate::encoding::encoding;
use crate::enumerators::enumerators;
use crate::llvm::{Block, DataLayout, Metadata, Parsed, Type, Value};
use crate::rust_locks::KnownLocks;
use crate::shape::Shape;
use crate::unsupported::{Translated, unsupported};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use symx_ir::debug_info::Encoding;
use symx_ir::{Definition, Linkage, Symbol, SymbolId};

/// The module being decoded.
pub struct Source<'m> {
    /// LLVM's module.
    pub parsed: &'m Parsed,
    /// Its data layout.
    pub layout: DataLayout<'m>,
    shapes: RefCell<FxHashMap<Type<'m>, Translated<Rc<Shape>>>>,
    symbols: RefCell<Symbols<'m>>,
    encodings: RefCell<FxHashMap<Metadata<'m>, Encoding>>,
    enumerators: RefCell<FxHashMap<Metadata<'m>, Vec<(String, i64)>>>,
    labels: RefCell<FxHashMap<Value<'m>, Labels<'m>>>,
    /// The locks of Rust's standard library whose operations are known.
    pub rust_locks: KnownLocks,
}

/// The labels of a function: their common symbol, and each one's number.
struct Labels<'m> {
    symbol: SymbolId,
    numbers: FxHashMap<Block<'m>, u32>,
}

#[derive(Default)]
struct Symbols<'m> {
    list: Vec<Symbol>,
    by_value: FxHashMap<Value<'m>, SymbolId>,
    /// Names seen from outside the module.
    by_name: FxHashMap<String, SymbolId>,
}

impl<'m> Source<'m> {
    /// A module of which nothing is decoded yet.
    pub fn new(parsed: &'m Parsed) -> Self {
        Self {
            parsed,
            layout: parsed.data_layout(),
            shapes: RefCell::default(),
            symbols: RefCell::default(),
            encodings: RefCell::default(),
            enumerators: RefCell::default(),
            labels: RefCell::default(),
            rust_locks: KnownLocks::of(parsed),
        }
    }

    /// How values of type `of` are laid out in slots and memory.
    pub fn shape(&self, of: Type<'m>) -> Translated<Rc<Shape>> {
        if let Some(known) = self.shapes.borrow().get(&of) {
            return known.clone();
        }
        let shape = Shape::new(self.layout, of).map(Rc::new);
        self.shapes.borrow_mut().insert(of, shape.clone());
        shape
    }

    /// How the bits of a basic type are read.
    pub fn encoding(&self, node: Metadata<'m>) -> Encoding {
        *self.encodings.borrow_mut().entry(node).or_insert_with(|| encoding(node, self.parsed))
    }

    /// The names and values of an enumeration's enumerators.
    pub fn enumerators(&self, node: Metadata<'m>) -> Vec<(String, i64)> {
        let mut known = self.enumerators.borrow_mut();
        known.entry(node).or_insert_with(|| enumerators(node, self.parsed)).clone()
    }

    /// Adds a symbol for a global value.
    pub fn declare(&self, value: Value<'m>, symbol: Symbol) -> SymbolId {
        let mut symbols = self.symbols.borrow_mut();
        let id = SymbolId(symbols.list.len() as u32);
        symbols.by_value.insert(value, id);
        if symbol.linkage != Linkage::Internal {
            symbols.by_name.insert(symbol.name.clone(), id);
        }
        symbols.list.push(symbol);
        id
    }

    /// Says what a declared symbol is.
    pub fn define(&self, id: SymbolId, definition: Definition) {
        self.symbols.borrow_mut().list[id.0 as usize].definition = definition;
    }

    /// The symbol of a global value.
    pub fn symbol(&self, value: Value<'m>) -> Translated<SymbolId> {
        match self.symbols.borrow().by_value.get(&value) {
            Some(&id) => Ok(id),
            None => unsupported(format!("the address of `{}`", value.name())),
        }
    }

    /// The name of a symbol.
    pub fn symbol_name(&self, id: SymbolId) -> String {
        self.symbols.borrow().list[id.0 as usize].name.clone()
    }

    /// The symbol of a function of the C library that the code uses without naming it,
    /// as `llvm.pow` uses `pow`.
    pub fn library_function(&self, name: &str) -> SymbolId {
        let mut symbols = self.symbols.borrow_mut();
        if let Some(&id) = symbols.by_name.get(name) {
            return id;
        }
        let id = SymbolId(symbols.list.len() as u32);
        symbols.by_name.insert(name.to_owned(), id);
        symbols.list.push(Symbol {
            name: name.to_owned(),
            linkage: Linkage::Strong,
            definition: Definition::None,
            is_function: true,
        });
        id
    }

    /// The address of `block` of `function` as its labels' symbol and the distance from it.
    pub fn label(&self, function: Value<'m>, block: Block<'m>) -> Translated<(SymbolId, i64)> {
        let mut labels = self.labels.borrow_mut();
        let known = match labels.entry(function) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.labels_of(function)?),
        };
        match known.numbers.get(&block) {
            Some(&number) => Ok((known.symbol, number.into())),
            None => unsupported(format!("a label of `{}`", function.name())),
        }
    }

    fn labels_of(&self, function: Value<'m>) -> Translated<Labels<'m>> {
        let id = self.symbol(function)?;
        let mut symbols = self.symbols.borrow_mut();
        let Symbol { definition: Definition::Function(index), ref name, .. } = symbols.list[id.0 as usize]
        else {
            return unsupported(format!("a label of `{}`", function.name()));
        };
        let name = format!("{name}.labels");
        let symbol = SymbolId(symbols.list.len() as u32);
        symbols.list.push(Symbol {
            name,
            linkage: Linkage::Internal,
            definition: Definition::Labels(index),
            is_function: false,
        });
        let numbers = function.blocks().into_iter().zip(0..).collect();
        Ok(Labels { symbol, numbers })
    }

    /// The finished symbol table.
    pub fn into_symbols(self) -> Vec<Symbol> {
        self.symbols.into_inner().list
    }
}

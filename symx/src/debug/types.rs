//! Types of values: those of the program, and those that expressions make.

use symx_ir::debug_info::{DebugInfo, Encoding, Member, RecordKeyword, TypeId, TypeKind};

/// How many names for names are followed.
const MOST_ALIASES: u32 = 64;

/// The type of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// One of the program's.
    Known(TypeId),
    /// A pointer; to `void` if to nothing.
    Pointer(Option<Box<Kind>>),
    /// An integer of the program's language.
    Integer {
        /// Its size in bytes.
        size: u64,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A row of an array of several dimensions.
    Row {
        /// The type of its elements in the end.
        element: TypeId,
        /// Its own dimensions.
        counts: Vec<Option<u64>>,
    },
    /// A function.
    Function,
    /// Nothing is known of it but its size.
    Bytes(u64),
}

/// The form of a type, its names resolved.
#[derive(Clone, PartialEq, Debug)]
pub enum Form<'t> {
    /// A number of this many bytes.
    Number(Encoding, u64),
    /// A pointer, or a reference.
    Pointer {
        /// To what.
        to: Option<Kind>,
        /// Whether it is a reference.
        is_reference: bool,
    },
    /// A structure, class or union.
    Record(&'t [Member]),
    /// An array.
    Array {
        /// Of what.
        element: Kind,
        /// How many.
        count: Option<u64>,
    },
    /// An enumeration.
    Enumeration {
        /// Its enumerators.
        values: &'t [(String, i64)],
        /// How many bytes.
        size: u64,
        /// Whether the type that it is stored as has a sign.
        is_signed: bool,
    },
    /// A function.
    Function,
    /// This many bytes.
    Bytes(u64),
}

/// The types of a program.
#[derive(Clone, Copy)]
pub struct Types<'t>(pub &'t DebugInfo);

impl<'t> Types<'t> {
    /// The form of a type.
    pub fn form(self, kind: &Kind) -> Form<'t> {
        match kind {
            Kind::Known(id) => self.known_form(*id),
            Kind::Pointer(to) => Form::Pointer { to: to.as_deref().cloned(), is_reference: false },
            Kind::Integer { size, signed: true } => Form::Number(Encoding::Signed, *size),
            Kind::Integer { size, signed: false } => Form::Number(Encoding::Unsigned, *size),
            Kind::Float => Form::Number(Encoding::Float, 4),
            Kind::Double => Form::Number(Encoding::Float, 8),
            Kind::Row { element, counts } => array(*element, counts),
            Kind::Function => Form::Function,
            Kind::Bytes(size) => Form::Bytes(*size),
        }
    }

    fn known_form(self, id: TypeId) -> Form<'t> {
        let mut at = id;
        for _ in 0..MOST_ALIASES {
            let Some(known) = self.0.types.get(at.0 as usize) else { break };
            match &known.kind {
                TypeKind::Alias { of: Some(of), .. } => at = *of,
                TypeKind::Number(encoding) => return Form::Number(*encoding, known.size),
                TypeKind::Pointer { to, is_reference } => {
                    return Form::Pointer { to: to.map(Kind::Known), is_reference: *is_reference };
                }
                TypeKind::Record { members, .. } => return Form::Record(members),
                TypeKind::Array { element, counts } => return array(*element, counts),
                TypeKind::Enumeration { values, of } => {
                    let is_signed = match of.map(|of| self.known_form(of)) {
                        Some(Form::Number(encoding, _)) => encoding.is_signed(),
                        _ => values.iter().any(|(_, value)| *value < 0),
                    };
                    return Form::Enumeration { values, size: known.size, is_signed };
                }
                TypeKind::Function => return Form::Function,
                TypeKind::Alias { of: None, .. } | TypeKind::Other => return Form::Bytes(known.size),
            }
        }
        Form::Bytes(0)
    }

    /// Its size in bytes; 0 if that is not known.
    pub fn size(self, kind: &Kind) -> u64 {
        self.size_within(kind, 0)
    }

    fn size_within(self, kind: &Kind, depth: u32) -> u64 {
        if let Kind::Known(id) = kind
            && let Some(known) = self.0.types.get(id.0 as usize)
            && known.size > 0
        {
            return known.size;
        }
        match self.form(kind) {
            Form::Number(_, size) | Form::Enumeration { size, .. } | Form::Bytes(size) => size,
            Form::Pointer { .. } => 8,
            Form::Array { element, count } if depth < MOST_ALIASES => {
                self.size_within(&element, depth + 1).saturating_mul(count.unwrap_or(0))
            }
            Form::Record(_) => self.record_size(kind),
            Form::Array { .. } | Form::Function => 0,
        }
    }

    fn record_size(self, kind: &Kind) -> u64 {
        let Kind::Known(mut at) = *kind else { return 0 };
        for _ in 0..MOST_ALIASES {
            match self.0.types.get(at.0 as usize) {
                Some(known) if known.size > 0 => return known.size,
                Some(known) => match known.kind {
                    TypeKind::Alias { of: Some(of), .. } => at = of,
                    _ => return 0,
                },
                None => return 0,
            }
        }
        0
    }

    /// Its name as the source would write it.
    pub fn name(self, kind: &Kind) -> String {
        self.name_within(kind, 0)
    }

    fn name_within(self, kind: &Kind, depth: u32) -> String {
        let void = || "void".to_owned();
        if depth == MOST_ALIASES {
            return "...".into();
        }
        match kind {
            Kind::Known(id) => self.known_name(*id, depth),
            Kind::Pointer(to) => {
                let to = to.as_ref().map_or_else(void, |to| self.name_within(to, depth + 1));
                pointer_to(&to, "*")
            }
            Kind::Integer { size, signed } => {
                let sign = if *signed { "" } else { "unsigned " };
                let word = match size {
                    1 => "char",
                    2 => "short",
                    4 => "int",
                    _ => "long",
                };
                format!("{sign}{word}")
            }
            Kind::Float => "float".into(),
            Kind::Double => "double".into(),
            Kind::Row { element, counts } => self.known_name(*element, depth) + &dimensions(counts),
            Kind::Function => "function".into(),
            Kind::Bytes(size) => format!("{size} bytes"),
        }
    }

    fn known_name(self, id: TypeId, depth: u32) -> String {
        let Some(known) = self.0.types.get(id.0 as usize).filter(|_| depth < MOST_ALIASES) else {
            return "...".into();
        };
        let inner = |of: &Option<TypeId>| match of {
            Some(of) => self.known_name(*of, depth + 1),
            None => "void".into(),
        };
        match &known.kind {
            TypeKind::Pointer { to, is_reference } => {
                pointer_to(&inner(to), if *is_reference { "&" } else { "*" })
            }
            TypeKind::Alias { qualifier, of } if !qualifier.is_empty() => {
                let inner = inner(of);
                // A qualifier of a pointer stands after it.
                if inner.ends_with('*') { inner + qualifier } else { format!("{qualifier} {inner}") }
            }
            TypeKind::Alias { of, .. } if known.name.is_empty() => inner(of),
            TypeKind::Array { element, counts } => self.known_name(*element, depth + 1) + &dimensions(counts),
            TypeKind::Record { keyword, .. } if known.name.is_empty() => format!("{keyword} {{...}}"),
            TypeKind::Record { keyword, .. } if *keyword != RecordKeyword::Class => {
                format!("{keyword} {}", known.name)
            }
            TypeKind::Enumeration { .. } => format!("enum {}", known.name).trim_end().to_owned(),
            TypeKind::Function => "function".into(),
            _ => known.name.clone(),
        }
    }
}

fn pointer_to(to: &str, sign: &str) -> String {
    if to.ends_with('*') { format!("{to}{sign}") } else { format!("{to} {sign}") }
}

fn dimensions(counts: &[Option<u64>]) -> String {
    counts.iter().map(|count| count.map_or("[]".into(), |count| format!("[{count}]"))).collect()
}

fn array<'t>(element: TypeId, counts: &[Option<u64>]) -> Form<'t> {
    match counts {
        [] => Form::Bytes(0),
        [count] => Form::Array { element: Kind::Known(element), count: *count },
        [count, rest @ ..] => {
            Form::Array { element: Kind::Row { element, counts: rest.to_vec() }, count: *count }
        }
    }
}

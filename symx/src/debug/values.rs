//! Values of the program: where they are, reading them, showing them, taking them apart.

use crate::debug::types::{Form, Kind, Types};
use symx_expr::{IndeterminateTerms, Term, evaluate};
use symx_interp::access::object_names;
use symx_interp::machine::Executor;
use symx_interp::memory::Life;
use symx_interp::state::State;
use symx_interp::value::Byte;
use symx_ir::Code;
use symx_ir::debug_info::Encoding;
use symx_memmodel::ByteRange;
use symx_posix_model::Posix;
use symx_trace::ThreadId;

/// Characters of a text that a pointer points to that are shown.
const MOST_CHARACTERS: u64 = 200;

/// Bytes of a value shown in one line, and parts of it.
const MOST_TOLD: usize = 100;
const MOST_PARTS: usize = 8;

/// Parts that a value is taken into at once; a client may ask for others by number.
pub const MOST_CHILDREN: u64 = 1000;

/// Where a value is.
#[derive(Clone, PartialEq, Debug)]
pub enum Stored {
    /// In memory.
    At(u64),
    /// Some bits of memory, from a bit after an address on.
    Bits(u64, u64, u64),
    /// In registers, or nowhere: its bytes, where they are known.
    Held(Vec<Option<u8>>),
}

/// A value with its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Datum {
    /// Its type.
    pub kind: Kind,
    /// Where it is.
    pub stored: Stored,
}

impl Datum {
    /// A value that is nowhere in the program.
    pub fn held(kind: Kind, bits: u64) -> Self {
        Self { kind, stored: Stored::Held(bits.to_le_bytes().map(Some).to_vec()) }
    }

    /// Where it is, if in memory.
    pub fn address(&self) -> Option<u64> {
        match self.stored {
            Stored::At(address) => Some(address),
            _ => None,
        }
    }
}

/// A state as one of its threads sees it.
#[derive(Clone, Copy)]
pub struct Scene<'s> {
    /// The executor.
    pub executor: &'s Executor<'s, Posix>,
    /// The state.
    pub state: &'s State<Posix>,
    /// The thread.
    pub thread: ThreadId,
    /// Types.
    pub types: Types<'s>,
    /// Names of places.
    pub names: &'s object_names::Names,
}

/// A part of a value.
pub struct Part {
    /// Its name within the whole.
    pub name: String,
    /// The suffix that makes an expression for it from that of the whole.
    pub path: String,
    /// The part.
    pub datum: Datum,
}

impl<'s> Scene<'s> {
    /// The byte in this execution; none if it is unwritten.
    pub fn byte(&self, byte: Byte) -> Option<u8> {
        match byte {
            Byte::Concrete(byte) => Some(byte),
            Byte::Symbolic(term) => self.word(term).map(|word| word as u8),
        }
    }

    /// The number that a term is under the inputs of this execution.
    pub fn word(&self, term: Term) -> Option<u64> {
        let terms = &self.executor.machine.terms;
        if IndeterminateTerms::new().occur_in(terms, term) {
            return None;
        }
        let assignment = self.executor.machine.options.assignment.clone().unwrap_or_default();
        evaluate(terms, term, &assignment).limbs().first().copied()
    }

    /// The bytes that the thread would read: memory, and before it the thread's own stores on their way. The
    /// error says why it could not.
    pub fn bytes(&self, address: u64, length: u64) -> Result<Vec<Option<u8>>, String> {
        let object = self.state.memory.near(address);
        let object = object.ok_or_else(|| format!("nothing is at {address:#x}"))?;
        let offset = address.wrapping_sub(object.base);
        if !object.contains(offset, length) {
            let name = self.names.name(self.executor, self.state, address, 0);
            return Err(format!("{address:#x} is out of bounds ({name})"));
        }
        match object.life {
            Life::Live => {}
            Life::Freed(_) => return Err(format!("the memory at {address:#x} is freed")),
            Life::Returned(_) | Life::OutOfScope(_) => {
                return Err(format!("the life of the variable at {address:#x} has ended"));
            }
        }
        let terms = &self.executor.machine.terms;
        let byte = |at: u64| {
            if object.has_symbolic(offset + at, 1) {
                self.byte(object.byte(terms, offset + at))
            } else {
                read(object, offset + at)
            }
        };
        let mut bytes: Vec<Option<u8>> = (0..length).map(byte).collect();
        for own in self.state.thread(self.thread).buffer.forward(ByteRange::new(address, length)) {
            bytes[own.offset as usize] = self.byte(*own.value);
        }
        Ok(bytes)
    }

    /// The bytes of a value.
    pub fn bytes_of(&self, datum: &Datum) -> Result<Vec<Option<u8>>, String> {
        let size = self.types.size(&datum.kind);
        match &datum.stored {
            Stored::At(address) => self.bytes(*address, size),
            Stored::Held(bytes) => {
                let mut bytes = bytes.clone();
                bytes.resize(size as usize, None);
                Ok(bytes)
            }
            Stored::Bits(address, first, count) => {
                let start = address.wrapping_add(first / 8);
                // In a packed structure, 64 bits may lie in nine bytes.
                let bytes = self.bytes(start, (first % 8 + count).div_ceil(8).min(9))?;
                let whole = bytes
                    .iter()
                    .rev()
                    .try_fold(0_u128, |whole, byte| byte.map(|byte| whole << 8 | u128::from(byte)));
                let Some(whole) = whole else { return Ok(vec![None; size as usize]) };
                let word = (whole >> (first % 8)) as u64;
                let signed = match self.types.form(&datum.kind) {
                    Form::Number(encoding, _) => encoding.is_signed(),
                    Form::Enumeration { is_signed, .. } => is_signed,
                    _ => false,
                };
                let unused = 64 - (*count).clamp(1, 64);
                let word = word << unused;
                let word = if signed { (word as i64 >> unused) as u64 } else { word >> unused };
                Ok(word.to_le_bytes().iter().take(size as usize).copied().map(Some).collect())
            }
        }
    }

    /// The first bytes of a value, which may be large; the error says why they are not there.
    pub fn first_bytes_of(&self, datum: &Datum) -> Result<Vec<Option<u8>>, String> {
        let size = self.types.size(&datum.kind);
        match &datum.stored {
            Stored::At(address) => self.bytes(*address, size.min(MOST_CHARACTERS)),
            _ => self.bytes_of(datum),
        }
    }

    /// The bits of a value of at most eight bytes.
    pub fn bits_of(&self, datum: &Datum) -> Result<u64, String> {
        let bytes = self.bytes_of(datum)?;
        if bytes.is_empty() || bytes.len() > 8 {
            return Err(format!("a value of type `{}` is no number", self.types.name(&datum.kind)));
        }
        let is_nowhere = matches!(&datum.stored, Stored::Held(bytes) if bytes.is_empty());
        word(&bytes).ok_or_else(|| if is_nowhere { OPTIMISED_AWAY } else { UNDEFINED }.to_owned())
    }

    /// A value in one line.
    pub fn tell(&self, datum: &Datum) -> String {
        self.in_words(datum, 0).unwrap_or_else(|why| format!("<{why}>"))
    }

    fn in_words(&self, datum: &Datum, depth: u32) -> Result<String, String> {
        match self.types.form(&datum.kind) {
            Form::Number(encoding, size) => self.number(datum, encoding, size),
            Form::Pointer { to, is_reference } => self.pointer(datum, to, is_reference, depth),
            Form::Enumeration { values, size, is_signed } => {
                let unused = 64 - 8 * size.clamp(1, 8);
                let bits = self.bits_of(datum)? << unused;
                let bits = if is_signed { (bits as i64 >> unused) as u64 } else { bits >> unused };
                let value = if is_signed { (bits as i64).to_string() } else { bits.to_string() };
                let is_it = |known: i64| (known as u64) << unused == bits << unused;
                let named = values.iter().find(|(_, known)| is_it(*known));
                Ok(named.map_or_else(|| value.clone(), |(name, _)| format!("{name} ({value})")))
            }
            Form::Function => Ok(datum.address().map_or_else(String::new, |address| self.code(address))),
            Form::Bytes(_) => Ok("...".into()),
            Form::Record(_) | Form::Array { .. } => {
                // Whether it is there at all is asked of it as a whole.
                let bytes = self.first_bytes_of(datum)?;
                if let Stored::Held(held) = &datum.stored
                    && held.iter().all(Option::is_none)
                {
                    return Err(OPTIMISED_AWAY.into());
                }
                if let Some(text) = self.text_of(datum, &bytes) {
                    return Ok(text);
                }
                Ok(self.parts_in_a_line(datum, depth))
            }
        }
    }

    fn parts_in_a_line(&self, datum: &Datum, depth: u32) -> String {
        let is_record = matches!(self.types.form(&datum.kind), Form::Record(_));
        let parts = self.parts(datum, 0, MOST_PARTS as u64 + 1);
        let mut told = Vec::new();
        for part in parts.iter().take(MOST_PARTS) {
            let value = if depth < 2 {
                self.in_words(&part.datum, depth + 1).unwrap_or_else(|why| format!("<{why}>"))
            } else {
                "...".into()
            };
            told.push(if is_record { format!("{} = {value}", part.name) } else { value });
            if told.iter().map(String::len).sum::<usize>() > MOST_TOLD {
                break;
            }
        }
        if told.len() < parts.len() {
            told.push("...".into());
        }
        format!("{{{}}}", told.join(", "))
    }

    fn number(&self, datum: &Datum, encoding: Encoding, size: u64) -> Result<String, String> {
        // Of numbers with a point, those of C's `float` and `double` alone are read.
        if size > 8 || encoding == Encoding::Float && size != 4 && size != 8 {
            let bytes = self.bytes_of(datum)?;
            let digits =
                bytes.iter().rev().map(|byte| byte.map_or("??".into(), |byte| format!("{byte:02x}")));
            return Ok(format!("0x{}", digits.collect::<String>()));
        }
        let bits = self.bits_of(datum)?;
        let unused = 64 - 8 * size.clamp(1, 8);
        let signed = (bits << unused) as i64 >> unused;
        Ok(match encoding {
            Encoding::Boolean => match bits {
                0 => "false".into(),
                1 => "true".into(),
                other => format!("true ({other})"),
            },
            Encoding::Float if size == 4 => f32::from_bits(bits as u32).to_string(),
            Encoding::Float if size == 8 => f64::from_bits(bits).to_string(),
            Encoding::SignedChar | Encoding::UnsignedChar => {
                let value = if encoding == Encoding::SignedChar { signed } else { bits as i64 };
                match u32::try_from(value).ok().and_then(char::from_u32) {
                    Some(shown) if !shown.is_control() => format!("{value} '{shown}'"),
                    _ => value.to_string(),
                }
            }
            Encoding::Signed => signed.to_string(),
            _ => bits.to_string(),
        })
    }

    fn pointer(
        &self,
        datum: &Datum,
        to: Option<Kind>,
        is_reference: bool,
        depth: u32,
    ) -> Result<String, String> {
        let address = self.bits_of(datum)?;
        if let (Some(to), true) = (&to, is_reference) {
            return self.in_words(&Datum { kind: to.clone(), stored: Stored::At(address) }, depth + 1);
        }
        if address == 0 {
            return Ok("NULL".into());
        }
        if self.executor.machine.program.code_at(address).is_some() {
            return Ok(self.code(address));
        }
        let mut told = format!("{address:#x}");
        if self.state.memory.near(address).is_some() {
            told += &format!(" &{}", self.names.name(self.executor, self.state, address, 0));
        }
        let is_text = to.is_some_and(|to| is_character(&self.types.form(&to)));
        if is_text && let Some(text) = self.text_at(address) {
            told += &format!(" {text}");
        }
        Ok(told)
    }

    fn code(&self, address: u64) -> String {
        let program = &self.executor.machine.program;
        match program.code_at(address) {
            Some(Code::Function(id)) => program.function(id).source_name.clone(),
            Some(Code::External(id)) => program.externals[id.0 as usize].name.clone(),
            None => format!("{address:#x}"),
        }
    }

    /// The text that begins at an address.
    fn text_at(&self, address: u64) -> Option<String> {
        let object = self.state.memory.near(address)?;
        let left = object.size.checked_sub(address.wrapping_sub(object.base))?;
        let bytes = self.bytes(address, left.min(MOST_CHARACTERS)).ok()?;
        quoted(&bytes)
    }

    /// An array of characters as text.
    fn text_of(&self, datum: &Datum, bytes: &[Option<u8>]) -> Option<String> {
        match self.types.form(&datum.kind) {
            Form::Array { element, .. } if is_character(&self.types.form(&element)) => {
                quoted(&bytes[..bytes.len().min(MOST_CHARACTERS as usize)])
            }
            _ => None,
        }
    }

    /// How many parts a value has.
    pub fn count_parts(&self, datum: &Datum) -> u64 {
        match self.types.form(&datum.kind) {
            Form::Record(members) => members.len() as u64,
            Form::Array { count, .. } => count.unwrap_or(0),
            Form::Pointer { to: Some(to), is_reference } => match self.bits_of(datum) {
                Ok(address) if address != 0 && self.types.size(&to) > 0 => {
                    let target = Datum { kind: to, stored: Stored::At(address) };
                    if self.first_bytes_of(&target).is_err() {
                        0
                    } else if is_reference || matches!(self.types.form(&target.kind), Form::Record(_)) {
                        self.count_parts(&target)
                    } else {
                        1
                    }
                }
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The parts of a value, from a number on: members, elements, what a pointer leads to.
    pub fn parts(&self, datum: &Datum, from: u64, most: u64) -> Vec<Part> {
        match self.types.form(&datum.kind) {
            Form::Record(members) => {
                let members = members.iter().skip(from as usize).take(most as usize);
                members.map(|member| self.member(datum, member)).collect()
            }
            Form::Array { element, count } => {
                let size = self.types.size(&element);
                let until = count.unwrap_or(0).min(from.saturating_add(most));
                let element = |index: u64| Part {
                    name: format!("[{index}]"),
                    path: format!("[{index}]"),
                    datum: self.part(datum, index.wrapping_mul(size), element.clone()),
                };
                (from..until).map(element).collect()
            }
            Form::Pointer { to: Some(to), is_reference } => {
                let Ok(address) = self.bits_of(datum) else { return Vec::new() };
                let target = Datum { kind: to, stored: Stored::At(address) };
                if is_reference || matches!(self.types.form(&target.kind), Form::Record(_)) {
                    let mut parts = self.parts(&target, from, most);
                    if !is_reference {
                        parts.iter_mut().for_each(|part| {
                            if let Some(rest) = part.path.strip_prefix('.') {
                                part.path = format!("->{rest}");
                            }
                        });
                    }
                    return parts;
                }
                vec![Part { name: "*".into(), path: "[0]".into(), datum: target }]
            }
            _ => Vec::new(),
        }
    }

    fn member(&self, whole: &Datum, member: &symx_ir::debug_info::Member) -> Part {
        let kind = Kind::Known(member.of);
        let datum = match (member.bits, &whole.stored) {
            (Some(bits), Stored::At(address)) => {
                Datum { kind, stored: Stored::Bits(*address, member.offset_bits, bits) }
            }
            _ => self.part(whole, member.offset_bits / 8, kind),
        };
        if member.name.is_empty() || member.is_base {
            let name = self.types.name(&datum.kind);
            return Part { name, path: String::new(), datum };
        }
        Part { name: member.name.clone(), path: format!(".{}", member.name), datum }
    }

    /// The part `offset` bytes within a value.
    pub fn part(&self, whole: &Datum, offset: u64, kind: Kind) -> Datum {
        let stored = match &whole.stored {
            Stored::At(address) => Stored::At(address.wrapping_add(offset)),
            Stored::Bits(address, first, _) => Stored::At(address.wrapping_add(first / 8 + offset)),
            Stored::Held(bytes) => {
                let size = self.types.size(&kind) as usize;
                Stored::Held(bytes.iter().skip(offset as usize).take(size).copied().collect())
            }
        };
        Datum { kind, stored }
    }

    /// The member of this name, also in unnamed members and base classes.
    pub fn member_named(&self, whole: &Datum, name: &str) -> Option<Datum> {
        self.member_within(whole, name, 0)
    }

    fn member_within(&self, whole: &Datum, name: &str, depth: u32) -> Option<Datum> {
        let Form::Record(members) = self.types.form(&whole.kind) else { return None };
        let named = members.iter().find(|member| member.name == name && !member.is_base);
        if let Some(member) = named {
            return Some(self.member(whole, member).datum);
        }
        let inner = members.iter().filter(|member| member.name.is_empty() || member.is_base);
        let mut inner = inner.filter(|_| depth < 16).map(|member| self.member(whole, member).datum);
        inner.find_map(|datum| self.member_within(&datum, name, depth + 1))
    }
}

/// Shown in the place of a value that is not there.
const OPTIMISED_AWAY: &str = "optimised away";
const UNDEFINED: &str = "undefined";

fn read(object: &symx_interp::memory::Object, offset: u64) -> Option<u8> {
    let mut byte = [0];
    object.copy_out(offset, &mut byte);
    Some(byte[0])
}

/// The number that bytes are, if all are known.
fn word(bytes: &[Option<u8>]) -> Option<u64> {
    let mut word = 0;
    for (index, byte) in bytes.iter().enumerate().take(8) {
        word |= u64::from((*byte)?) << (8 * index);
    }
    Some(word)
}

fn is_character(form: &Form<'_>) -> bool {
    matches!(form, Form::Number(Encoding::SignedChar | Encoding::UnsignedChar, 1))
}

/// Bytes up to a zero as text in quotes; none if they are not all written.
fn quoted(bytes: &[Option<u8>]) -> Option<String> {
    let mut text = Vec::new();
    let mut is_whole = false;
    for byte in bytes {
        match (*byte)? {
            0 => {
                is_whole = true;
                break;
            }
            byte => text.push(byte),
        }
    }
    let text: String = String::from_utf8_lossy(&text).escape_debug().collect();
    Some(format!("\"{text}\"{}", if is_whole { "" } else { "..." }))
}

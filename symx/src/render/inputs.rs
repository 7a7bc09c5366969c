//! The symbolic inputs of a failing execution by name, type and value, the same in all forms of a report.

use crate::text::counted;
use symx_trace::{Input, InputOrigin};

/// Bytes of an input that are shown at most.
const MOST_BYTES: usize = 16;

/// An input for people.
pub struct DescribedInput {
    /// The name that the program, or the option that made it symbolic, gives it.
    pub name: String,
    /// `4-byte integer`, `5 bytes`.
    pub kind: String,
    /// `7 (0x7)`, `"mpo2"`.
    pub value: String,
}

impl DescribedInput {
    /// `n: 4-byte integer = 7 (0x7)`.
    pub fn text(&self) -> String {
        format!("{}: {} = {}", self.name, self.kind, self.value)
    }
}

/// Inputs for people, in the order in which the program asked for them.
pub fn described(inputs: &[Input]) -> impl Iterator<Item = DescribedInput> {
    inputs.iter().map(|input| {
        let (name, bytes) = (name(input), &input.bytes);
        let is_text = !matches!(input.origin, InputOrigin::Program | InputOrigin::Parameter(_));
        let (kind, value) = match integer(bytes).filter(|_| !is_text) {
            Some((signed, bits)) => {
                (format!("{}-byte integer", bytes.len()), format!("{signed} ({bits:#x})"))
            }
            None => (counted(bytes.len() as u64, "byte"), text(bytes)),
        };
        DescribedInput { name, kind, value }
    })
}

/// The name given in the program, without the number that makes it unique.
fn name(input: &Input) -> String {
    let own = input.name.rsplit_once('#').map_or(input.name.as_str(), |(name, _)| name);
    match &input.origin {
        InputOrigin::Argument(number) => format!("argument {number}"),
        InputOrigin::StandardInput => "standard input".into(),
        InputOrigin::File(path) => path.clone(),
        InputOrigin::External(function) => format!("result of {function}()"),
        InputOrigin::Parameter(_) | InputOrigin::Program => own.to_owned(),
    }
}

fn integer(bytes: &[u8]) -> Option<(i64, u64)> {
    if !matches!(bytes.len(), 1 | 2 | 4 | 8) {
        return None;
    }
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(whole);
    let unused = 64 - 8 * bytes.len() as u32;
    Some(((bits << unused) as i64 >> unused, bits))
}

/// As a string literal of C.
fn text(bytes: &[u8]) -> String {
    // Bytes after the end of a string are seldom part of what matters.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let shown: String =
        bytes[..end].iter().take(MOST_BYTES).flat_map(|byte| byte.escape_ascii()).map(char::from).collect();
    let rest = if end > MOST_BYTES { "..." } else { "" };
    format!("\"{shown}\"{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, bytes: &[u8], origin: InputOrigin) -> Input {
        Input { name: name.into(), bytes: bytes.into(), origin }
    }

    #[test]
    fn inputs_have_names_types_and_values() {
        let inputs = [
            input("n#0", &[0xf9, 0xff, 0xff, 0xff], InputOrigin::Program),
            input("key#1", b"mpo2\0", InputOrigin::Program),
            input("arg1#2", b"a\n\0\0", InputOrigin::Argument(1)),
        ];
        assert_eq!(
            described(&inputs).map(|input| input.text()).collect::<Vec<_>>(),
            [
                "n: 4-byte integer = -7 (0xfffffff9)",
                "key: 5 bytes = \"mpo2\"",
                "argument 1: 4 bytes = \"a\\n\"",
            ]
        );
    }
}

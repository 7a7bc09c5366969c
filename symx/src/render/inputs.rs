//! The symbolic inputs of a failing execution by name, type and value, the same in all forms of a report.

use symx_trace::Input;

/// An input for people.
pub struct DescribedInput {
    /// The name that the program, or the option that made it symbolic, gives it.
    pub name: String,
    /// `4-byte unsigned integer`, `5 bytes`.
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
    inputs.iter().map(|input| DescribedInput {
        name: input.origin.name_for_people(&input.name),
        kind: input.type_for_people(),
        value: input.value_for_people(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_ir::debug_info::Encoding;
    use symx_trace::{InputOrigin, InputType};

    #[test]
    fn inputs_have_names_types_and_values() {
        let input = |name: &str, bytes: &[u8], origin, declared| Input {
            name: name.into(),
            bytes: bytes.into(),
            origin,
            declared,
        };
        let unsigned = InputType { encoding: Encoding::Unsigned, size: 4 };
        let inputs = [
            input("n#0", &[0xf9, 0xff, 0xff, 0xff], InputOrigin::Program, None),
            input("u#1", &[0xf9, 0xff, 0xff, 0xff], InputOrigin::Program, Some(unsigned)),
            input("key#2", b"mpo2\0", InputOrigin::Program, None),
            input("arg1#3", b"a\n\0\0", InputOrigin::Argument(1), None),
        ];
        assert_eq!(
            described(&inputs).map(|input| input.text()).collect::<Vec<_>>(),
            [
                "n: 4-byte integer = -7 (0xfffffff9)",
                "u: 4-byte unsigned integer = 4294967289 (0xfffffff9)",
                "key: 5 bytes = \"mpo2\"",
                "argument 1: 4 bytes = \"a\\n\"",
            ]
        );
    }
}

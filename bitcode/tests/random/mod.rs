//! Random C programs without undefined behaviour (given `-fwrapv`): mixed widths, loops, branches, arrays.

use std::fmt::Write;

/// A generator of reproducible numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const TYPES: [&str; 12] = [
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "__int128",
    "unsigned __int128",
    "_Bool",
    "double",
];

struct Program {
    random: Random,
    text: String,
    variables: Vec<String>,
    loops: u32,
}

/// Text of `count` functions `random_N(a, b)`.
pub fn functions(seed: u64, count: u32) -> String {
    let mut program = Program { random: Random(seed), text: String::new(), variables: Vec::new(), loops: 0 };
    for number in 0..count {
        program.function(number);
    }
    // Doubles of any size as a word, without undefined behaviour.
    let word = "static u64 word(double x) { return x > -1e15 && x < 1e15 ? (u64)(int64_t)(x * 4) : 17; }";
    format!("#include <stdint.h>\ntypedef uint64_t u64;\n{word}\n{}", program.text)
}

impl Program {
    fn function(&mut self, number: u32) {
        self.variables = vec!["a".to_owned(), "b".to_owned()];
        writeln!(self.text, "u64 random_{number}(u64 a, u64 b) {{ int t[8] = {{ 0 }};").unwrap();
        for index in 0..6 {
            let of = self.random.pick(&TYPES);
            let value = self.expression(3);
            let value = if of == "double" { value } else { self.integer(&value) };
            writeln!(self.text, "{of} v{index} = {value};").unwrap();
            self.variables.push(format!("v{index}"));
        }
        self.statements(3);
        self.text.push_str("u64 r = a ^ b;\n");
        for variable in self.variables.clone() {
            let integer = self.integer(&variable);
            writeln!(self.text, "r = r * 31 + (u64)({integer});").unwrap();
        }
        self.text.push_str("for (int i = 0; i < 8; i++) r = r * 7 + (u64)t[i];\nreturn r; }\n");
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..2 + self.random.below(3) {
            let value = self.expression(depth);
            let condition = self.expression(2);
            match self.random.below(if depth == 0 { 2 } else { 5 }) {
                0 => {
                    let target = self.random.below(6);
                    writeln!(self.text, "v{target} = {};", self.integer(&value)).unwrap();
                }
                1 => {
                    let index = self.random.below(6);
                    let index = self.integer(&format!("v{index}"));
                    writeln!(self.text, "t[(unsigned)({index}) & 7] += (int)({});", self.integer(&value))
                        .unwrap();
                }
                2 => {
                    writeln!(self.text, "if ({condition}) {{").unwrap();
                    self.statements(depth - 1);
                    self.text.push_str("} else {\n");
                    self.statements(depth - 1);
                    self.text.push_str("}\n");
                }
                3 => {
                    let name = format!("i{}", self.loops);
                    self.loops += 1;
                    let limit = 1 + self.random.below(9);
                    writeln!(self.text, "for (int {name} = 0; {name} < {limit}; {name}++) {{").unwrap();
                    self.variables.push(name);
                    self.statements(depth - 1);
                    self.variables.pop();
                    writeln!(self.text, "if ({condition}) break; }}").unwrap();
                }
                _ => {
                    writeln!(self.text, "switch ((int)({})) {{", self.integer(&value)).unwrap();
                    for case in 0..self.random.below(6) {
                        let label = case * (1 + self.random.below(2)) + case * 100 * self.random.below(2);
                        // Labels must differ.
                        writeln!(self.text, "case {}:", label * 8 + case).unwrap();
                        self.statements(0);
                        self.text.push_str(self.random.pick(&["break;\n", "/* fall through */\n"]));
                    }
                    self.text.push_str("default: b++; }\n");
                }
            }
        }
    }

    /// `value` as an integer; doubles are first made small enough to be converted.
    fn integer(&self, value: &str) -> String {
        format!("_Generic(({value}), double: word((double)({value})), default: ({value}))")
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(8) == 0 {
            return match self.random.below(4) {
                0 => format!("{}ull", self.random.0 >> self.random.below(64)),
                1 => format!("(-{})", self.random.below(300)),
                _ => {
                    let index = self.random.below(self.variables.len() as u64) as usize;
                    self.variables[index].clone()
                }
            };
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        let (x, y) = (self.integer(&left), self.integer(&right));
        let of = self.random.pick(&TYPES[..10]);
        match self.random.below(12) {
            0 => format!("({x} + {y})"),
            1 => format!("({x} - {y})"),
            2 => format!("({x} * {y})"),
            3 => format!("(({x}) {} ((({y}) & 63) | 1))", self.random.pick(&["/", "%"])),
            4 => format!("({x} {} {y})", self.random.pick(&["&", "|", "^"])),
            5 => format!("((int64_t)({x}) {} ({y} & 31))", self.random.pick(&["<<", ">>"])),
            6 => format!("((u64)({x}) {} ({y} & 31))", self.random.pick(&["<<", ">>"])),
            7 => format!("({left} {} {right})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="])),
            8 => format!("({of})({x})"),
            9 => format!("({x} ? ({of})({y}) : ({of})({x}))"),
            10 => format!("((double)(int)({x}) {} 3.5)", self.random.pick(&["+", "-", "*", "/"])),
            _ => format!("t[(unsigned)({x}) & 7]"),
        }
    }
}

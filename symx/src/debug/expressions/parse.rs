//! From words to expressions: C's grammar of operators.

use super::words::{Word, words};
use super::{Binary, Expression, Unary, Unevaluable};

/// How deep expressions may lie in each other: people write a few.
const DEEPEST: u32 = 64;

/// How many words an expression may have. Operators of one precedence in a row lie in each other, too.
const MOST_WORDS: usize = 1 << 10;

/// Operators by precedence, loosest first.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::Unequal)],
    &[
        ("<", Binary::Less),
        ("<=", Binary::LessOrEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterOrEqual),
    ],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

const PREFIXES: &[(&str, Unary)] = &[
    ("*", Unary::Dereference),
    ("&", Unary::Address),
    ("-", Unary::Negate),
    ("!", Unary::Not),
    ("~", Unary::Complement),
];

/// The expression that a text is.
pub fn parse(text: &str) -> Result<Expression, Unevaluable> {
    let words = words(text)?;
    if words.len() > MOST_WORDS {
        return Err(Unevaluable::Syntax("the expression is too long".into()));
    }
    let mut parser = Parser { words, position: 0, depth: 0 };
    let expression = parser.conditional()?;
    match parser.peek() {
        None => Ok(expression),
        Some(Word::Sign("=")) => {
            Err(Unevaluable::Syntax("nothing can be assigned: the execution is recorded".into()))
        }
        Some(Word::Sign("(")) => {
            Err(Unevaluable::Syntax("functions cannot be called: the execution is recorded".into()))
        }
        Some(word) => Err(Unevaluable::Syntax(format!("{} is not expected", shown(word)))),
    }
}

fn shown(word: &Word) -> String {
    match word {
        Word::Name(name) => format!("`{name}`"),
        Word::Integer { bits, .. } => format!("`{bits}`"),
        Word::Float { number, .. } => format!("`{number}`"),
        Word::Sign(sign) => format!("`{sign}`"),
    }
}

struct Parser {
    words: Vec<Word>,
    position: usize,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.position)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Word::Sign(next)) if *next == sign);
        self.position += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, sign: &str) -> Result<(), Unevaluable> {
        if self.takes(sign) { Ok(()) } else { Err(Unevaluable::Syntax(format!("`{sign}` is missing"))) }
    }

    fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Unevaluable>,
    ) -> Result<T, Unevaluable> {
        if self.depth == DEEPEST {
            return Err(Unevaluable::Syntax("the expression is too deep".into()));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn conditional(&mut self) -> Result<Expression, Unevaluable> {
        self.deeper(|parser| {
            let condition = parser.binary(0)?;
            if !parser.takes("?") {
                return Ok(condition);
            }
            let then = parser.conditional()?;
            parser.expect(":")?;
            let otherwise = parser.conditional()?;
            Ok(Expression::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)))
        })
    }

    fn binary(&mut self, level: usize) -> Result<Expression, Unevaluable> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.takes(sign)) {
            let right = self.binary(level + 1)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Unevaluable> {
        if self.takes("+") {
            return self.deeper(Self::unary);
        }
        if let Some((_, operator)) = PREFIXES.iter().find(|(sign, _)| self.takes(sign)) {
            let operand = self.deeper(Self::unary)?;
            return Ok(Expression::Unary(*operator, Box::new(operand)));
        }
        if matches!(self.peek(), Some(Word::Name(name)) if name == "sizeof") {
            self.position += 1;
            let operand = self.deeper(Self::unary)?;
            return Ok(Expression::Unary(Unary::SizeOf, Box::new(operand)));
        }
        let mut operand = self.primary()?;
        loop {
            operand = if self.takes("[") {
                let index = self.conditional()?;
                self.expect("]")?;
                Expression::Index(Box::new(operand), Box::new(index))
            } else if self.takes(".") {
                Expression::Member { whole: Box::new(operand), name: self.name()?, is_arrow: false }
            } else if self.takes("->") {
                Expression::Member { whole: Box::new(operand), name: self.name()?, is_arrow: true }
            } else {
                return Ok(operand);
            };
        }
    }

    fn name(&mut self) -> Result<String, Unevaluable> {
        match self.peek() {
            Some(Word::Name(name)) => {
                let name = name.clone();
                self.position += 1;
                Ok(name)
            }
            _ => Err(Unevaluable::Syntax("the name of a member is missing".into())),
        }
    }

    fn primary(&mut self) -> Result<Expression, Unevaluable> {
        if self.takes("(") {
            let inside = self.conditional()?;
            self.expect(")")?;
            return Ok(inside);
        }
        let missing = || Unevaluable::Syntax("a variable or number is missing".into());
        let expression = match self.peek().ok_or_else(missing)? {
            Word::Name(name) => Expression::Name(name.clone()),
            Word::Integer { bits, size, signed } => {
                Expression::Integer { bits: *bits, size: *size, signed: *signed }
            }
            Word::Float { number, is_single } => Expression::Float { number: *number, is_single: *is_single },
            word @ Word::Sign(_) => {
                return Err(Unevaluable::Syntax(format!("{} is not expected", shown(word))));
            }
        };
        self.position += 1;
        Ok(expression)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As text with every operation in brackets.
    fn bracketed(text: &str) -> String {
        fn bracket(expression: &Expression) -> String {
            match expression {
                Expression::Integer { bits, .. } => bits.to_string(),
                Expression::Float { number, .. } => number.to_string(),
                Expression::Name(name) => name.clone(),
                Expression::Unary(operator, of) => format!("({operator:?} {})", bracket(of)),
                Expression::Binary(operator, a, b) => format!("({} {operator:?} {})", bracket(a), bracket(b)),
                Expression::Index(a, b) => format!("{}[{}]", bracket(a), bracket(b)),
                Expression::Member { whole, name, is_arrow } => {
                    format!("{}{}{name}", bracket(whole), if *is_arrow { "->" } else { "." })
                }
                Expression::Conditional(a, b, c) => {
                    format!("({} ? {} : {})", bracket(a), bracket(b), bracket(c))
                }
            }
        }
        parse(text).map_or_else(|why| why.to_string(), |expression| bracket(&expression))
    }

    #[test]
    fn any_words_are_an_expression_or_refused() {
        let words = [
            "a", "1", "0x7f", "2.5", "'c'", "sizeof", "*", "&", "-", "->", ".", "(", ")", "[", "]", "?", ":",
            "<<", "||", "=", "\u{e9}", "'",
        ];
        let mut random = fastrand::Rng::with_seed(26);
        for _ in 0..20_000 {
            let text: Vec<&str> =
                (0..random.usize(..24)).map(|_| words[random.usize(..words.len())]).collect();
            let _ = parse(&text.join(if random.bool() { " " } else { "" }));
        }
        for long in
            ["1 + ".repeat(1 << 20) + "1", "(".repeat(1 << 20), "a".to_owned() + &".b".repeat(1 << 20)]
        {
            assert!(parse(&long).is_err_and(|why| why.to_string().contains("too ")));
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(bracketed("a + 2 * b[1].c"), "(a Add (2 Multiply b[1].c))");
        assert_eq!(bracketed("*p->next == &x"), "((Dereference p->next) Equal (Address x))");
        assert_eq!(bracketed("a<<1 < 3 && !b || c"), "((((a ShiftLeft 1) Less 3) And (Not b)) Or c)");
        assert_eq!(bracketed("a - b - c"), "((a Subtract b) Subtract c)");
        assert_eq!(bracketed("std::x ? -1 : 'a'"), "(std::x ? (Negate 1) : 97)");
        assert_eq!(bracketed("0x10 + 010 + 1.5"), "((16 Add 8) Add 1.5)");
    }

    #[test]
    fn what_is_no_expression_is_said_so() {
        assert_eq!(bracketed(""), "a variable or number is missing");
        assert_eq!(bracketed("a ="), "nothing can be assigned: the execution is recorded");
        assert_eq!(bracketed("f(1)"), "functions cannot be called: the execution is recorded");
        assert_eq!(bracketed("a b"), "`b` is not expected");
        assert_eq!(bracketed("(a"), "`)` is missing");
        assert_eq!(bracketed("a."), "the name of a member is missing");
        assert_eq!(bracketed("#"), "`#` is no part of an expression");
        assert_eq!(bracketed("12x"), "`12x` is no number");
        assert!(bracketed(&"(".repeat(1_000)).contains("too deep"));
        assert!(bracketed(&"-".repeat(1_000)).contains("too deep"));
    }
}

//! The text of inline assembly as machine instructions and their operands. Whatever its syntax is, they are
//! as AT&T's has them.

use super::written::{Instruction, LABEL, Written, integer, named, number};
use super::{intel, machine};

/// The syntax of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Syntax {
    Att,
    Intel,
}

/// The text without what the assembler takes for comments: `#` and `//` to the end of a line, `/* */`.
pub(super) fn without_comments(text: &str) -> String {
    let (mut found, mut rest) = (String::new(), text);
    while let Some(at) = ["#", "//", "/*"].into_iter().filter_map(|mark| rest.find(mark)).min() {
        found += &rest[..at];
        let (end, skipped) = match rest[at..].starts_with("/*") {
            true => ("*/", 2),
            false => ("\n", 0),
        };
        // A block ends after its mark, a line before it.
        rest = rest[at..].find(end).map_or("", |length| &rest[at + length + skipped..]);
    }
    found + rest
}

/// Splits a text into instructions; `None` if one is not of a form known here.
pub(super) fn parse(text: &str, syntax: Syntax) -> Option<Vec<Instruction>> {
    let mut found = Vec::new();
    let mut locked = false;
    let mut repeated = false;
    let text = alternatives_of(syntax, text)?;
    for statement in text.split([';', '\n']) {
        let mut rest = statement.trim();
        if let Some((label, after)) = rest.split_once(':')
            && let Ok(label) = label.parse()
        {
            let operands = vec![Written::Label(label)];
            found.push(Instruction { locked: false, name: LABEL.into(), operands });
            rest = after.trim();
        }
        while let Some(word) = ["lock", "rep"].into_iter().find(|word| {
            rest.strip_prefix(word)
                .is_some_and(|tail| tail.is_empty() || tail.starts_with(char::is_whitespace))
        }) {
            locked |= word == "lock";
            repeated |= word == "rep";
            rest = rest[word.len()..].trim();
        }
        if rest.is_empty() || rest.starts_with(".align") || rest.starts_with(".p2align") {
            continue;
        }
        let (name, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let mut name = name.to_lowercase();
        if std::mem::take(&mut repeated) {
            name = repeated_name(&name)?;
        }
        let operands = match syntax {
            _ if name.starts_with('j') => vec![label_before(operands)?],
            Syntax::Att => split_operands(operands).into_iter().map(operand).collect::<Option<_>>()?,
            Syntax::Intel => intel_operands(&mut name, operands)?,
        };
        found.push(Instruction { locked: std::mem::take(&mut locked), name, operands });
    }
    (!locked && !repeated).then_some(found)
}

/// `1b`: the label before of this number. Jumps forward are not known.
fn label_before(text: &str) -> Option<Written> {
    text.trim().strip_suffix('b')?.parse().ok().map(Written::Label)
}

/// Intel's operands. The destination comes first, and widths are theirs: the instruction gets the width as
/// its last letter.
fn intel_operands(name: &mut String, text: &str) -> Option<Vec<Written>> {
    let operands: Option<Vec<_>> = split_operands(text).into_iter().map(intel::operand).collect();
    let operands = operands?;
    if let Some(bits) = operands.iter().find_map(|(_, bits)| *bits).filter(|_| machine::has_width(name)) {
        name.push(intel::letter(bits));
    }
    Some(operands.into_iter().rev().map(|(written, _)| written).collect())
}

/// The instruction that one after `rep` is: an old spelling of `pause`, or a count of zeros, of which a bit
/// scan with the prefix has the bytes. Others move strings.
fn repeated_name(name: &str) -> Option<String> {
    let counts = [("bsf", "tzcnt"), ("bsr", "lzcnt")].into_iter();
    counts.chain([("nop", "nop")]).find_map(|(written, meant)| {
        let width = name.strip_prefix(written)?;
        ["", "w", "l", "q"].contains(&width).then(|| format!("{meant}{width}"))
    })
}

/// A text without alternatives for other syntaxes: of `$(...$|...$)`, the first is AT&T's, the second
/// Intel's.
fn alternatives_of(syntax: Syntax, text: &str) -> Option<String> {
    let mut parts = text.split("$(");
    let mut chosen = parts.next()?.to_owned();
    for part in parts {
        let (alternatives, rest) = part.split_once("$)")?;
        chosen += alternatives.split("$|").nth(syntax as usize)?;
        chosen += rest;
    }
    Some(chosen)
}

/// At the commas outside parentheses.
fn split_operands(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|character| {
        depth += match character {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        character == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn operand(text: &str) -> Option<Written> {
    if let Some(number) = text.strip_prefix("$$") {
        return integer(number).map(Written::Immediate);
    }
    if let Some(offset) = text.strip_prefix("%fs:") {
        return match (integer(offset), operand(offset)) {
            (Some(0), _) => Some(Written::OfThread(None)),
            (_, Some(Written::Number(number, None))) => Some(Written::OfThread(Some(number))),
            _ => None,
        };
    }
    if let Some(name) = text.strip_prefix('%') {
        return named(name);
    }
    if text.ends_with("(%rsp)") || text.ends_with("(%esp)") {
        return Some(Written::StackTop);
    }
    if let Some((offset, inner)) = text.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        let offset = if offset.trim().is_empty() { 0 } else { integer(offset.trim())? };
        return operand(inner.trim())?.behind(offset);
    }
    number(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Vec<Instruction>> {
        super::parse(text, Syntax::Att)
    }

    #[test]
    fn prefixes_and_operands() {
        let found = parse("lock; cmpxchgl $2, $1\n\tsete ${0:b}").unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].locked && !found[1].locked);
        assert_eq!(found[0].operands, [Written::Number(2, None), Written::Number(1, None)]);
        assert_eq!(found[1].operands, [Written::Number(0, Some(8))]);
        let found = parse("lock ; orl $$0, -8(%rsp);").unwrap();
        assert_eq!(found[0].operands, [Written::Immediate(0), Written::StackTop]);
        assert_eq!(parse("movq %rax, ($0)").unwrap()[0].operands[0], Written::Named("ax", 64));
        assert_eq!(parse("movq %fs:0, $0").unwrap()[0].operands[0], Written::OfThread(None));
        assert_eq!(parse("movq %fs:$1, $0").unwrap()[0].operands[0], Written::OfThread(Some(1)));
        assert_eq!(parse("movq %fs:40, $0"), None);
        let found = parse("xchg$(q$|$) $(%$|$)rbx,${1:q}").unwrap();
        assert_eq!(found[0].name, "xchgq");
        assert_eq!(found[0].operands, [Written::Named("bx", 64), Written::Number(1, Some(64))]);
        assert_eq!(parse("xchg$(q rbx"), None);
        assert_eq!(parse("rep movsb"), None);
        assert!(parse("rep; nop").is_some() && parse("rep nop").is_some());
        assert_eq!(parse("rep bsf $1, $0").unwrap()[0].name, "tzcnt");
        assert_eq!(parse("rep; bsrq $1, $0").unwrap()[0].name, "lzcntq");
    }
    #[test]
    fn comments() {
        assert_eq!(without_comments("# forget that $0 is const"), "");
        assert_eq!(without_comments("mfence # all\n\tpause // now\n"), "mfence \n\tpause \n");
        assert_eq!(without_comments("a /* b; // c */ d /* e"), "a  d ");
    }
}

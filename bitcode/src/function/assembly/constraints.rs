//! The constraint string of inline assembly: where each operand lives.

use super::written::{self, Written};

/// The role of an operand in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A register that is part of the result.
    Output,
    /// A register or number.
    Input,
    /// Memory that an argument points to.
    Memory,
    /// A register that the text may use, and no operand of it.
    Scratch,
}

/// One operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Constraint {
    pub place: Place,
    /// The call's argument it takes.
    pub argument: Option<usize>,
    /// The output whose register this input shares.
    pub tied: Option<usize>,
    /// Whether memory may be a register for as long as the text runs (`*imr`).
    pub may_be_register: bool,
    /// The machine register it names, as in `{ax}`.
    pub register: Option<String>,
    /// For a condition code as output (`{@ccz}`): which.
    pub condition: Option<String>,
}

/// The operand that is the machine register `name`: an output, else an input, else one that may be used.
pub(super) fn named(constraints: &[Constraint], name: &str) -> Option<usize> {
    let at = |place| {
        constraints
            .iter()
            .position(|constraint| constraint.place == place && constraint.register.as_deref() == Some(name))
    };
    at(Place::Output).or_else(|| at(Place::Input)).or_else(|| at(Place::Scratch))
}

/// A register that may be used, by the name that constraints have.
pub(super) fn scratch(name: &str) -> Constraint {
    Constraint {
        place: Place::Scratch,
        argument: None,
        tied: None,
        may_be_register: false,
        register: Some(name.to_owned()),
        condition: None,
    }
}

/// Parses a constraint string; `None` if it uses alternatives. Registers that are clobbered come last.
pub(super) fn parse(text: &str) -> Option<Vec<Constraint>> {
    let mut found = Vec::new();
    let mut argument = 0;
    for part in text.split(',').filter(|part| !part.is_empty() && !part.starts_with(['~', '!'])) {
        if part.contains('|') {
            return None;
        }
        let is_output = part.starts_with('=');
        let body = part.trim_start_matches(['=', '&', '%']);
        let place = match (body.contains('*'), is_output) {
            (true, _) => Place::Memory,
            (_, true) => Place::Output,
            _ => Place::Input,
        };
        let named = body.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let letter = match body {
            "a" => Some("ax"),
            "b" => Some("bx"),
            "c" => Some("cx"),
            "d" => Some("dx"),
            "S" => Some("si"),
            "D" => Some("di"),
            _ => None,
        };
        let condition = named.and_then(|name| name.strip_prefix("@cc")).map(str::to_owned);
        let uses_argument = place != Place::Output;
        found.push(Constraint {
            place,
            argument: uses_argument.then_some(argument),
            tied: body.parse().ok().filter(|_| place == Place::Input),
            may_be_register: named.is_none() && body.contains('r'),
            register: named.or(letter).filter(|_| condition.is_none()).map(str::to_owned),
            condition,
        });
        argument += usize::from(uses_argument);
    }
    let outputs = found.len();
    let clobbered = text.split(',').filter_map(|part| part.strip_prefix("~{")?.strip_suffix('}'));
    found.extend(clobbered.filter_map(|name| match written::named(name) {
        Some(Written::Named(name, _)) => Some(scratch(name)),
        _ => None,
    }));
    (found.iter().all(|constraint| constraint.tied.is_none_or(|tied| tied < outputs))).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_inputs_memory_and_ties() {
        let found = parse("=r,=*m,={@ccz},r,*m,0,{ax},~{memory},~{flags}").unwrap();
        let places: Vec<Place> = found.iter().map(|constraint| constraint.place).collect();
        use Place::*;
        assert_eq!(places, [Output, Memory, Output, Input, Memory, Input, Input]);
        let arguments: Vec<_> = found.iter().map(|constraint| constraint.argument).collect();
        assert_eq!(arguments, [None, Some(0), None, Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(found[5].tied, Some(0));
        assert_eq!(found[6].register.as_deref(), Some("ax"));
        assert_eq!(found[2].condition.as_deref(), Some("z"));
        let found = parse("=r,~{ecx},~{r10},~{dirflag}").unwrap();
        let names: Vec<_> = found[1..].iter().map(|constraint| constraint.register.as_deref()).collect();
        assert_eq!(names, [Some("cx"), Some("r10")]);
        assert_eq!(parse("=r|m,0"), None);
        assert_eq!(parse("=r,7"), None);
    }
}

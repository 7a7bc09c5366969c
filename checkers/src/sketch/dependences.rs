//! What a program says about its code: source locations and direct dependences.

use symx_trace::{CodePlace, Location};

/// The program of a sketch.
pub trait Source {
    /// Where an instruction is in the source.
    fn location(&self, place: CodePlace) -> Location;

    /// Where the code is that a control-flow edge of the instruction's function leads to.
    fn target(&self, place: CodePlace, edge: u32) -> Location;

    /// What an instruction depends on directly, memory left out.
    fn dependences(&self, need: Need) -> Dependences;

    /// Whether it is a jump without a condition, which no statement is about.
    fn is_jump(&self, place: CodePlace) -> bool;

    /// Whether an instruction is a call that never returns: a failed assertion, or `abort`.
    fn never_returns(&self, place: CodePlace) -> bool;

    /// The first instruction of an instruction's block.
    fn block_entry(&self, place: CodePlace) -> CodePlace;
}

/// A need for an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// Its execution, whatever it computes.
    Execution(CodePlace),
    /// Its result or its effect on memory.
    Value(CodePlace),
    /// Of a call, the argument of this number.
    Argument(CodePlace, usize),
}

impl Need {
    /// The instruction.
    pub fn place(self) -> CodePlace {
        match self {
            Self::Execution(place) | Self::Value(place) | Self::Argument(place, _) => place,
        }
    }
}

/// A call of a function, or one that is handed its address: the creation of a thread, for example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The call.
    pub place: CodePlace,
    /// Whether it calls the function itself.
    pub is_direct: bool,
}

impl Caller {
    /// The need for what it passes as a parameter of the function.
    pub(super) fn passes(&self, parameter: usize) -> Need {
        if self.is_direct { Need::Argument(self.place, parameter) } else { Need::Value(self.place) }
    }
}

/// What an instruction depends on directly.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    /// The branches that decide whether its block is entered.
    pub branches: Vec<CodePlace>,
    /// The calls of its function.
    pub callers: Vec<Caller>,
    /// What computes the values that it needs, in its function and in the function that it calls.
    pub values: Vec<Need>,
    /// The numbers of its function's parameters that it needs.
    pub parameters: Vec<usize>,
}

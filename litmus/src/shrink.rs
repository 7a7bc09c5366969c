//! Making a failing program small: instructions, threads and orderings go while it keeps failing.

use crate::program::{Instruction, Operand, Program};
use symx_memmodel::Ordering;

/// The smallest program this finds that still `fails`, which `program` does.
pub fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    while let Some(smaller) = simpler(&smallest).into_iter().find(&mut fails) {
        smallest = smaller;
    }
    smallest
}

/// Programs that are one step simpler, the greatest steps first.
fn simpler(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Program)| {
        let mut changed = program.clone();
        change(&mut changed);
        changed.observe_everything();
        all.push(changed);
    };
    for thread in 0..program.threads.len() {
        if program.threads.len() > 1 {
            add(&|program| drop(program.threads.remove(thread)));
        }
    }
    for (thread, code) in program.threads.iter().enumerate() {
        for at in 0..code.len() {
            if !matches!(code[at], Instruction::SkipUnless { .. }) && code.len() > 1 {
                add(&|program| remove(&mut program.threads[thread], at));
            }
        }
    }
    for (thread, code) in program.threads.iter().enumerate() {
        for (at, instruction) in code.iter().enumerate() {
            for plainer in plainer(instruction) {
                add(&|program| program.threads[thread][at] = plainer.clone());
            }
            if matches!(instruction, Instruction::SkipUnless { .. }) {
                add(&|program| {
                    program.threads[thread].remove(at);
                });
            }
        }
    }
    all
}

/// Takes an instruction out, with what depends on it.
fn remove(code: &mut Vec<Instruction>, at: usize) {
    let gone = code.remove(at);
    // A condition in front of it is about nothing else.
    if at > 0 && matches!(code[at - 1], Instruction::SkipUnless { .. }) {
        code.remove(at - 1);
    }
    let (Instruction::Load { register: lost, .. } | Instruction::Update { register: lost, .. }) = gone else {
        return;
    };
    code.retain(|one| !matches!(one, Instruction::SkipUnless { register, .. } if *register == lost));
    for instruction in code {
        if let Instruction::Store { value, .. } = instruction
            && value.register == Some(lost)
        {
            *value = Operand { register: None, constant: value.constant };
        }
    }
}

/// The instruction with a weaker ordering, or without its dependency.
fn plainer(instruction: &Instruction) -> Vec<Instruction> {
    let mut all = Vec::new();
    match instruction {
        Instruction::Load { register, range, ordering } if *ordering != Ordering::NotAtomic => {
            all.push(Instruction::Load { register: *register, range: *range, ordering: Ordering::NotAtomic });
        }
        Instruction::Store { range, value, ordering } => {
            if *ordering != Ordering::NotAtomic {
                let (value, ordering) = (value.clone(), Ordering::NotAtomic);
                all.push(Instruction::Store { range: *range, value, ordering });
            }
            if value.register.is_some() {
                let value = Operand { register: None, constant: value.constant };
                all.push(Instruction::Store { range: *range, value, ordering: *ordering });
            }
        }
        Instruction::Update { register, range, update, ordering } if *ordering != Ordering::Monotonic => {
            let (register, range, update) = (*register, *range, update.clone());
            all.push(Instruction::Update { register, range, update, ordering: Ordering::Monotonic });
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let program = Program::parse(&["r0=x; if(r0==0){y:rel=1}; r1=z", "y=r2+1; F; z:sc=3"], "r0");
        let stores_z = |program: &Program| program.to_string().contains("z");
        let smallest = shrink(&program, |program| stores_z(program));
        assert_eq!(smallest.to_string(), "thread z:na=3\nobserve z\n");
    }
}

//! Functions as text, for debugging the loader or the interpreter.

use super::{CallTarget, Function};
use crate::instruction::Inst;
use std::fmt::Write;

/// The code of `function`, one instruction a line: `%5` is slot 5, `#5` entry 5 of the constant pool.
pub fn listing(function: &Function) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, function);
    out
}

fn write(out: &mut String, function: &Function) -> std::fmt::Result {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|param| {
            if param.slots == 1 {
                format!("%{}", param.slot)
            } else {
                format!("%{}+{}", param.slot, param.slots)
            }
        })
        .collect();
    let dots = if function.variadic { ", ..." } else { "" };
    writeln!(
        out,
        "{}({}{dots}) -> {} slots, frame of {}",
        function.name,
        params.join(", "),
        function.return_slots,
        function.slots
    )?;
    for (index, constant) in function.constants.iter().enumerate() {
        writeln!(out, "  #{index} = {constant:?}")?;
    }
    for (number, block) in function.blocks.iter().enumerate() {
        writeln!(out, "block {number}:")?;
        let end = function.blocks.get(number + 1).map_or(function.code.len(), |next| next.start as usize);
        for instruction in &function.code[block.start as usize..end] {
            write_instruction(out, function, instruction)?;
        }
        for edge in block.edges() {
            let taken = &function.edges[edge];
            write!(out, "  edge {edge} to block {}", taken.block)?;
            let first = taken.first_move as usize;
            for step in &function.moves[first..first + taken.move_count as usize] {
                write!(out, ", %{} = {:?}", step.dst, step.src)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

fn write_instruction(out: &mut String, function: &Function, instruction: &Inst) -> std::fmt::Result {
    match *instruction {
        Inst::Extended { index } => writeln!(out, "    {:?}", function.extended[index as usize]),
        Inst::Switch { value, index } => {
            let switch = &function.switches[index as usize];
            writeln!(
                out,
                "    Switch {value:?} of {} bits: {:?}, else {}",
                switch.bits, switch.cases, switch.default_edge
            )
        }
        Inst::Call { site } => {
            let call = &function.calls[site as usize];
            let arguments: Vec<String> = call
                .arguments
                .iter()
                .map(|argument| format!("{:?}:{}", argument.operand, argument.bits))
                .collect();
            let target = match &call.target {
                CallTarget::Assembly(assembly) => format!("assembly {:?}", assembly.text),
                other => format!("{other:?}"),
            };
            writeln!(out, "    Call %{}:{} = {target}({})", call.dst, call.return_bits, arguments.join(", "))
        }
        ref plain => writeln!(out, "    {plain:?}"),
    }
}

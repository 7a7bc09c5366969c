//! Several modules made one, as a linker makes one program of several objects.

use crate::module::Module;

/// Links modules, each bitcode or textual IR, into one; that as bitcode. The error is LLVM's message.
pub fn link(modules: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let (first, others) = modules.split_first().ok_or("there is no module")?;
    if others.is_empty() {
        return Ok(first.clone());
    }
    let mut program = Module::parse(first)?;
    for other in others {
        program.link(other)?;
    }
    program.verify()?;
    Ok(program.bitcode())
}

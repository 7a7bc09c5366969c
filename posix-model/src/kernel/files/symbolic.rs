//! Symbolic standard input and files, made before the program starts.

use crate::answer::PosixCall;
use crate::kernel::nodes::content::Content;
use crate::kernel::nodes::kinds::NodeKind;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::memory::pieces::BYTES_A_MARK;
use symx_interp::stop::Stop;
use symx_interp::value::Byte;
use symx_ir::short_file;
use symx_trace::InputOrigin;

/// Makes what the options ask for.
pub(crate) fn prepare(call: &mut PosixCall<'_, '_>) -> Result<(), Stop> {
    let symbolic = call.environment().options().symbolic.clone();
    if symbolic.standard_input > 0 {
        let bytes = stretch(call, symbolic.standard_input, "stdin", InputOrigin::StandardInput)?;
        let kernel = &mut call.data().kernel;
        let input = kernel.input;
        kernel.files.change(input, |node| {
            if let NodeKind::File(content) = &mut node.kind {
                content.put(content.length(), &bytes);
            }
        });
    }
    for file in symbolic.files {
        let name = short_file(&file.path);
        let bytes = stretch(call, file.length, name, InputOrigin::File(file.path.clone()))?;
        let mut content = Content::default();
        content.put(0, &bytes);
        let me = call.thread();
        call.data().kernel.files.create(me, &file.path, NodeKind::File(content), 0o644);
    }
    Ok(())
}

fn stretch(
    call: &mut PosixCall<'_, '_>,
    length: u64,
    name: &str,
    origin: InputOrigin,
) -> Result<Stretch, Stop> {
    let bytes = call.symbolic_bytes(length, name, origin)?;
    // As a stretch, and in the file.
    call.ask(2 * length * BYTES_A_MARK)?;
    Ok(Stretch::of(bytes.iter().map(|term| Byte::Symbolic(*term))))
}

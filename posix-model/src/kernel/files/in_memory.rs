//! Files without a name in any folder: `memfd_create`.

use crate::answer::{PosixCall, Step, announced, failed, made};
use crate::errno::EINVAL;
use crate::kernel::nodes::content::Content;
use crate::kernel::nodes::descriptors::Opener;
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::open_files::{self, READ_AND_WRITE};
use crate::kernel::system_calls::{SystemCall, argument, call as row};

pub(crate) const CALLS: &[SystemCall] = &[row(319, "memfd_create", create)];

// Flags that the kernel modelled knows; it refuses those of later ones (`MFD_EXEC`).
const CLOSE_ON_EXEC: u64 = 1;
const ALLOW_SEALING: u64 = 2;
const HUGE_PAGES: u64 = 4;

/// The longest name, the kernel's `memfd:` before it not counted.
const LONGEST_NAME: u64 = 249;

/// `memfd_create(name, flags)`. The name is for people: files with the same one have nothing in common.
fn create(call: &mut PosixCall<'_, '_>) -> Step {
    let (name, flags) = (argument(call, 0)?, argument(call, 1)? & u64::from(u32::MAX));
    if flags & !(CLOSE_ON_EXEC | ALLOW_SEALING | HUGE_PAGES) != 0 {
        return failed(EINVAL);
    }
    if call.read_string_within(name, LONGEST_NAME + 1)?.len() as u64 > LONGEST_NAME {
        return failed(EINVAL);
    }
    if flags & HUGE_PAGES != 0 {
        return Err(call.unsupported("a file in huge pages"));
    }
    let opener = Opener::of(call);
    if let Some(park) = announced(call, opener.touched().collect()) {
        return Ok(park);
    }
    let flags = if flags & CLOSE_ON_EXEC != 0 { open_files::CLOSE_ON_EXEC } else { 0 };
    made(call.data().kernel.open_new(opener, READ_AND_WRITE, flags, |kernel| {
        kernel.files.add(opener.thread, NodeKind::File(Content::new(&[])), 0o777)
    }))
}

//! What memory is called, for people.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Object, Site, SiteKind};
use crate::report::location;
use symx_ir::SpanId;

impl<E: Environment> Executor<'_, E> {
    /// For people: an object's name, as in "global `count`" or "an object of 16 bytes allocated in `main`".
    pub fn describe_object(&self, object: &Object) -> String {
        self.describe_site(object.site, object.size, object.origin.span)
    }

    /// For people: how the source names a place in a variable, behind its name, as in "\[1\].next".
    pub fn place_in(&self, object: &Object, offset: u64, length: u64) -> Option<String> {
        let (SiteKind::Global(number) | SiteKind::ThreadLocal(number)) = object.site.kind() else {
            return None;
        };
        let source_type = self.machine.program.globals[number as usize].source_type.as_ref()?;
        Some(source_type.place(offset, length))
    }

    /// For people: the name of an object of `size` bytes from a site, made at `span`.
    pub(crate) fn describe_site(&self, site: Site, size: u64, span: SpanId) -> String {
        let program = &self.machine.program;
        match site.kind() {
            SiteKind::Global(number) | SiteKind::ThreadLocal(number) => {
                format!("`{}`", program.globals[number as usize].source_name)
            }
            SiteKind::Stack(function, site) => {
                let function = &program.functions[function as usize];
                match function.allocas.get(site as usize).map(String::as_str) {
                    Some("") | None => format!("a stack object of `{}`", function.source_name),
                    Some(name) => format!("`{name}` of `{}`", function.source_name),
                }
            }
            SiteKind::Heap(function, SiteKind::GIVEN) => {
                format!(
                    "an object of {size} bytes given to `{}`",
                    program.functions[function as usize].source_name
                )
            }
            SiteKind::Heap(function, _) => {
                let function = &program.functions[function as usize].source_name;
                let made = location(program, span);
                let file = made.file.rsplit('/').next().unwrap_or_default();
                let place = match made.line {
                    0 => String::new(),
                    line => format!(" at {file}:{line}"),
                };
                format!("a heap object of {size} bytes allocated in `{function}`{place}")
            }
            SiteKind::Environment(_) => format!("an object of {size} bytes made by the system"),
        }
    }
}

//! The spans of all modules in one table.

use crate::function::Function;
use crate::module::Module;
use crate::program::Program;
use crate::span::SpanId;

/// Joins the modules' span tables: each module's entries move by a fixed distance.
pub(super) struct SpanTables {
    span_base: Vec<u32>,
}

impl SpanTables {
    pub(super) fn new(program: &mut Program, modules: &[Module]) -> Self {
        program.spans.push(Default::default());
        let mut span_base = Vec::new();
        for module in modules {
            let base = program.spans.len() as u32 - 1;
            let (file_base, scope_base) = (program.files.len() as u32, program.scopes.len() as u32);
            span_base.push(base);
            program.spans.extend(module.spans.iter().skip(1).map(|span| crate::Span {
                file: span.file + file_base,
                scope: span.scope + scope_base,
                inlined_at: moved(span.inlined_at, base),
                ..*span
            }));
            program.files.extend(module.files.iter().cloned());
            program.scopes.extend(module.scopes.iter().cloned());
        }
        if program.files.is_empty() {
            program.files.push(String::new());
        }
        if program.scopes.is_empty() {
            program.scopes.push(String::new());
        }
        Self { span_base }
    }

    pub(super) fn rebase(&mut self, module: usize, function: &mut Function) {
        let base = self.span_base[module];
        function.span = moved(function.span, base);
        for span in &mut function.spans {
            *span = moved(*span, base);
        }
    }
}

fn moved(span: SpanId, base: u32) -> SpanId {
    if span == SpanId::UNKNOWN { span } else { SpanId(span.0 + base) }
}

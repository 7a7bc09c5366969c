//! The corpus's programs with threads, for audits: which are audited, compiled and bound to a model.

#[path = "../linked/mod.rs"]
mod linked;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use symx::harness::{Case, Expectations, cases, compile_bitcode};
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::{cache, folder, is_whole_corpus_audited};
use symx_expr::Terms;
use symx_interp::{Machine, Options};
use symx_ir::{Module, Program};
use symx_posix_model::{Posix, PosixOptions};

/// Functions by which a program creates threads.
const CREATORS: [&str; 2] = ["pthread_create", "thrd_create"];

/// C programs that create threads, by name, with their cases under these models: those in `folders`, or with
/// `SYMX_AUDIT=all` all but those `left_out`.
pub fn programs(folders: &[&str], left_out: &[&str], models: &[&str]) -> BTreeMap<String, Vec<Case>> {
    let is_whole = is_whole_corpus_audited();
    let mut programs: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases(folder()).expect("the corpus is beside this file") {
        let is_in = |folders: &[&str]| folders.iter().any(|folder| case.name.starts_with(folder));
        let is_wanted = is_in(folders) || is_whole && !is_in(left_out);
        let is_c = case.source.extension().is_some_and(|extension| extension == "c");
        let text = std::fs::read_to_string(&case.source).unwrap_or_default();
        let has_threads = CREATORS.iter().any(|creator| text.contains(creator));
        if is_c && is_wanted && has_threads && models.contains(&case.model) {
            programs.entry(case.name.replace('/', "::")).or_default().push(case);
        }
    }
    assert!(programs.len() > 100, "only {} programs were found", programs.len());
    programs
}

/// A case's program, compiled with its own flags and these.
pub fn program(case: &Case, more: &[&str]) -> Result<Arc<Program>, String> {
    static LIBRARY: LazyLock<Module> = LazyLock::new(linked::library);
    let text = std::fs::read_to_string(&case.source).map_err(|error| error.to_string())?;
    let mut flags = Expectations::parse(&text).unwrap_or_default().compiler_flags;
    flags.extend(more.iter().map(ToString::to_string));
    let bitcode = compile_bitcode(&case.source, &flags, &cache()).map_err(|error| error.to_string())?;
    Ok(linked::link(linked::module(&bitcode, &LoadOptions::default()), &LIBRARY))
}

/// The program under the case's model, and with numbers of descriptors as the case has them.
pub fn machine(program: &Arc<Program>, case: &Case, options: Options) -> Result<Machine<Posix>, String> {
    let arguments = vec![b"audited".to_vec()];
    let text = std::fs::read_to_string(&case.source).map_err(|error| error.to_string())?;
    let flags = Expectations::parse(&text).unwrap_or_default().flags;
    let independent_descriptors = flags.iter().any(|flag| flag == "--independent-descriptors");
    let posix = Posix::new(PosixOptions { arguments, independent_descriptors, ..PosixOptions::default() });
    let model = symx_memmodel::by_name(case.model).ok_or("no such model")?;
    Ok(Machine::new(Arc::clone(program), posix, model, Arc::new(Terms::new()), options))
}

//! A suggested fix as a change of the source: a unified diff that `patch` and `git apply` take.
//!
//! Inserted text stands on lines of its own, between whole statements. Where a fix has no such place, there
//! is no patch, and the reason is given. What was verified is code between instructions; lines are something
//! else. So the changed source is compiled and explored, where the program is a source file.

mod whole_statements;

use super::explored_fix::{explored, trial_of};
use super::lock_trial::{functions, section};
use super::mutex_trial::{WithMutex, sections, with_mutex};
use crate::files::source_text::SourceText;
use crate::limits::budget::Deadline;
use crate::load::Changed;
use crate::load::language::Language;
use crate::session::Session;
use similar::TextDiff;
use std::collections::BTreeMap;
use std::path::Path;
use symx_ir::guard::Section;
use symx_posix_explore::ExploreOptions;
use symx_trace::explanation::{Explanation, Remedy, Trial};
use whole_statements::Code;

/// The mutex of a critical section that had none.
const MUTEX: &str = "symx_fix_mutex";

/// Lines around a change that the diff shows.
const CONTEXT: usize = 3;

/// Why a fix is no patch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPatch {
    /// No fix is suggested, or none that was verified.
    #[error("no suggested fix is verified")]
    NothingVerified,
    /// It is about orders, which no fixed statements establish.
    #[error(
        "the verified fix is no statement to insert: how threads wait for each other is a choice of design"
    )]
    NoStatement,
    /// The source is not there, or may not be shown.
    #[error("the source of {0} is not at hand (see --source-root)")]
    NoSource(String),
    /// The lines are part of a statement, or control leaves them in the middle.
    #[error("the lines {first} to {last} of {file} are not whole statements that run to their end")]
    NoStatements {
        /// The file.
        file: String,
        /// The first line, from 1.
        first: u32,
        /// The last.
        last: u32,
    },
    /// A block is verified as one step. With the mutex, threads may wait for each other or for themselves,
    /// and accesses that neither execution makes are outside it.
    #[error("the critical section is verified as one step, but not with one mutex on these lines")]
    NotWithMutex,
    /// The lock is a member of an object, and the lines may not be allowed to name it.
    #[error("the lock {0} is a member: whether the code there may access it is not known")]
    Member(String),
    /// The lock has no name there.
    #[error("the lock {0} has no name in the source there")]
    NoName(String),
    /// The statements are those of C and C++.
    #[error("{0} is neither C nor C++")]
    OtherLanguage(String),
    /// A diff of other bytes would not apply.
    #[error("{0} is not in UTF-8")]
    OtherEncoding(String),
    /// What has to be inserted is not known there, or is no statement there.
    #[error("the source does not compile with the verified fix around these lines")]
    NotCompiled,
    /// Between lines it is not what was verified between instructions.
    #[error("the source with the fix around whole lines was explored, and is not verified: {0}")]
    NotSafe(String),
}

/// A fix as a change of the source.
pub struct Patch {
    /// The unified diff.
    pub diff: String,
    /// Whether the changed source was compiled and explored. How bitcode came about is not known.
    pub is_tried: bool,
}

/// What the program with a patch is explored with.
pub struct Trying<'a> {
    /// The program.
    pub session: &'a Session,
    /// How to explore.
    pub options: &'a ExploreOptions,
    /// When to stop.
    pub end: &'a Deadline,
}

impl Trying<'_> {
    /// Whether no execution of the program fails with what the diff inserts for a fix. An atomic block was
    /// tried as one step; what is inserted for it is a mutex, which has to be tried itself.
    fn is_verified(&self, explanation: &Explanation, remedy: &Remedy) -> bool {
        if !matches!(remedy, Remedy::AtomicBlock { .. }) {
            return true;
        }
        let sections = sections(explanation, remedy).map(joined);
        sections.is_some_and(|sections| {
            let tried = with_mutex(self.session, &sections, self.options, self.end);
            matches!(tried, WithMutex::Safe { .. })
        })
    }

    /// Compiles and explores the changed source, if the program is a source file, and says whether it was.
    fn try_changed(&self, explanation: &Explanation, changed: &[Changed]) -> Result<bool, NoPatch> {
        let loaded = &self.session.loaded;
        let is_source = Language::of(&loaded.path).is_some_and(Language::is_checked);
        let failure = explanation.failing.failure.as_ref();
        let Some(failure) = failure.filter(|_| is_source && loaded.what_if.is_empty()) else {
            return Ok(false);
        };
        let session = self.session.of_changed(changed).map_err(|_| NoPatch::NotCompiled)?;
        match trial_of(&explored(&session, self.options, true, self.end), failure) {
            Trial::Safe => Ok(true),
            Trial::Fails(why) | Trial::Incomplete(why) => Err(NoPatch::NotSafe(why)),
            Trial::Untried | Trial::SafeTogether => Ok(false),
        }
    }
}

/// The first verified fix that is one. Files below `folder` are named as seen from there.
pub fn patch(explanation: &Explanation, trying: &Trying<'_>, folder: &Path) -> Result<Patch, NoPatch> {
    let verified = explanation.remedies.iter().filter(|remedy| *remedy.trial() == Trial::Safe);
    let mut why = NoPatch::NothingVerified;
    for remedy in verified {
        match patch_of(explanation, remedy, trying, folder) {
            Ok(patch) => return Ok(patch),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

fn patch_of(
    explanation: &Explanation,
    remedy: &Remedy,
    trying: &Trying<'_>,
    folder: &Path,
) -> Result<Patch, NoPatch> {
    let changed = insertions(explanation, remedy)?.changes(&trying.session.loaded.source)?;
    if !trying.is_verified(explanation, remedy) {
        return Err(NoPatch::NotWithMutex);
    }
    let files: Vec<Changed> = changed
        .iter()
        .map(|(file, [_, text])| Changed { path: folder.join(file), text: text.clone() })
        .collect();
    let is_tried = trying.try_changed(explanation, &files)?;
    Ok(Patch { diff: changed.iter().map(|(file, texts)| diff(file, texts, folder)).collect(), is_tried })
}

/// The change of a file, as a unified diff.
fn diff(file: &str, [text, changed]: &[String; 2], folder: &Path) -> String {
    let path = Path::new(file);
    let path = path.strip_prefix(folder).or_else(|_| path.strip_prefix("/")).unwrap_or(path);
    let (old, new) = (format!("a/{}", path.display()), format!("b/{}", path.display()));
    let diff = TextDiff::from_lines(text.as_str(), changed.as_str());
    diff.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string()
}

/// Statements around stretches of lines, and declarations of files.
#[derive(Default)]
struct Insertions {
    /// By file: stretches with what is to stand before and after each.
    around: BTreeMap<String, Vec<(Section, [String; 2])>>,
    /// The header that is needed.
    include: Option<&'static str>,
    /// The text after the includes.
    declaration: Option<String>,
}

fn insertions(explanation: &Explanation, remedy: &Remedy) -> Result<Insertions, NoPatch> {
    let failing = &explanation.failing;
    let mut insertions = Insertions::default();
    match remedy {
        Remedy::HoldLock { taken, .. } => {
            let lock = &failing.steps[*taken as usize];
            let functions = functions(failing, *taken).filter(|_| lock.object.is_expression());
            let Some([take, free]) = functions else { return Err(NoPatch::NoName(lock.object.quoted())) };
            let section = section(failing, remedy).ok_or(NoPatch::NoStatement)?;
            if is_cxx(&section.file) && (lock.object.contains('.') || lock.object.contains("->")) {
                return Err(NoPatch::Member(lock.object.quoted()));
            }
            let text = match is_cxx(&section.file) && lock.library.is_some() {
                true => ["lock", "unlock"].map(|method| format!("{}.{method}();", lock.object)),
                false => [take, free].map(|function| format!("{function}(&{});", lock.object)),
            };
            insertions.add(section, text);
        }
        Remedy::AtomicBlock { .. } => {
            let sections = sections(explanation, remedy).ok_or(NoPatch::NoStatement)?;
            // A mutex of one file is enough for one file.
            if sections.iter().any(|section| section.file != sections[0].file) {
                return Err(NoPatch::NoStatement);
            }
            let is_cxx = is_cxx(&sections[0].file);
            let text = match is_cxx {
                true => ["lock", "unlock"].map(|method| format!("{MUTEX}.{method}();")),
                false => ["lock", "unlock"].map(|what| format!("pthread_mutex_{what}(&{MUTEX});")),
            };
            for section in joined(sections) {
                insertions.add(section, text.clone());
            }
            insertions.include = Some(if is_cxx { "#include <mutex>" } else { "#include <pthread.h>" });
            insertions.declaration = Some(match is_cxx {
                true => format!("\nstatic std::mutex {MUTEX};"),
                false => format!("\nstatic pthread_mutex_t {MUTEX} = PTHREAD_MUTEX_INITIALIZER;"),
            });
        }
        Remedy::Fence { before, .. } => {
            let place = &failing.steps[*before as usize].location;
            let section = Section { file: place.file.clone(), first: place.line, last: place.line };
            let (include, fence) = match is_cxx(&place.file) {
                true => ("#include <atomic>", "std::atomic_thread_fence(std::memory_order_seq_cst);"),
                false => ("#include <stdatomic.h>", "atomic_thread_fence(memory_order_seq_cst);"),
            };
            insertions.add(section, [fence.into(), String::new()]);
            insertions.include = Some(include);
        }
        Remedy::Order { .. } | Remedy::Atomic { .. } | Remedy::Lock { .. } | Remedy::Join { .. } => {
            return Err(NoPatch::NoStatement);
        }
    }
    Ok(insertions)
}

/// Sections in order; those that meet or touch are one.
fn joined(mut sections: Vec<Section>) -> Vec<Section> {
    sections.sort_by_key(|section| (section.first, section.last));
    let mut joined: Vec<Section> = Vec::new();
    for section in sections {
        match joined.last_mut().filter(|known| section.first <= known.last + 1) {
            Some(known) => known.last = known.last.max(section.last),
            None => joined.push(section),
        }
    }
    joined
}

impl Insertions {
    fn add(&mut self, section: Section, text: [String; 2]) {
        self.around.entry(section.file.clone()).or_default().push((section, text));
    }

    /// By file: its text as it is and as it is to be.
    fn changes(&self, source: &SourceText) -> Result<BTreeMap<String, [String; 2]>, NoPatch> {
        let mut changes = BTreeMap::new();
        for (file, around) in &self.around {
            if Language::of(Path::new(file)).is_some_and(|language| !language.is_checked()) {
                return Err(NoPatch::OtherLanguage(file.clone()));
            }
            let text = source.read(file).ok_or_else(|| NoPatch::NoSource(file.clone()))?;
            // What cannot be decoded was replaced.
            if text.contains(char::REPLACEMENT_CHARACTER) {
                return Err(NoPatch::OtherEncoding(file.clone()));
            }
            let changed = self.changed(file, &text, around)?;
            changes.insert(file.clone(), [text, changed]);
        }
        Ok(changes)
    }

    /// A file's text with what is inserted.
    fn changed(&self, file: &str, text: &str, around: &[(Section, [String; 2])]) -> Result<String, NoPatch> {
        let code = Code::new(text);
        let mut before: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let include = self.include.filter(|include| !lines.iter().any(|line| line.trim() == *include));
        let declared = include.map(str::to_owned).into_iter().chain(self.declaration.clone());
        let begin = around.iter().map(|(section, _)| section.first).min().unwrap_or(1);
        before.entry(code.last_include(begin) + 1).or_default().extend(declared);
        for (Section { first, last, .. }, [open, close]) in around {
            if !code.are_statements(*first, *last) {
                return Err(NoPatch::NoStatements { file: file.into(), first: *first, last: *last });
            }
            let line = lines[*first as usize - 1];
            let indent = &line[..line.len() - line.trim_start().len()];
            for (at, statement) in [(*first, open), (*last + 1, close)] {
                if !statement.is_empty() {
                    before.entry(at).or_default().push(format!("{indent}{statement}"));
                }
            }
        }
        let mut changed = String::new();
        for (number, line) in (1..).zip(lines.iter().copied().chain([""])) {
            for statement in before.get(&number).into_iter().flatten() {
                if !changed.is_empty() && !changed.ends_with('\n') {
                    changed.push('\n');
                }
                changed += statement;
                changed.push('\n');
            }
            changed += line;
        }
        Ok(changed)
    }
}

fn is_cxx(file: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["cc", "cpp", "cxx", "C", "hpp", "hh", "hxx"].contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "#include <stdio.h>\nint count;\nvoid add(void) {\n    count++;\n}\n";

    fn section(first: u32, last: u32) -> Section {
        Section { file: "count.c".into(), first, last }
    }

    fn changed(section: Section, declaration: Option<&str>) -> Result<String, NoPatch> {
        let mut insertions =
            Insertions { declaration: declaration.map(str::to_owned), ..Insertions::default() };
        insertions.add(section, ["lock();".into(), "unlock();".into()]);
        insertions.changed("count.c", SOURCE, &insertions.around["count.c"])
    }

    #[test]
    fn statements_stand_around_the_lines_as_deep_as_they() {
        let expected = "#include <stdio.h>\nint m;\nint count;\nvoid add(void) {\n    lock();\n    count++;\n    unlock();\n}\n";
        assert_eq!(changed(section(4, 4), Some("int m;")).as_deref(), Ok(expected));
    }

    #[test]
    fn parts_of_statements_are_refused() {
        let why = NoPatch::NoStatements { file: "count.c".into(), first: 3, last: 4 };
        assert_eq!(changed(section(3, 4), None), Err(why));
    }

    #[test]
    fn sections_that_touch_are_one() {
        let together = joined(vec![section(9, 9), section(4, 5), section(6, 7)]);
        assert_eq!(together, [section(4, 7), section(9, 9)]);
    }
}

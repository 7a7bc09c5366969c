//! Why nothing was run: bad input and bad usage, one line each.

use crate::exit_code;
use std::path::PathBuf;
use symx_expr::StopReason;

/// A refusal: printed as `symx: error: ...`, exit code 2 unless a limit was met.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A file cannot be read.
    #[error("cannot read `{}`: {why}", path.display())]
    Unreadable {
        /// The file, as the user named it.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {why}", path.display())]
    Unwritable {
        /// The file, as the user named it.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// A program cannot be decoded.
    #[error("`{}`: {why}", path.display())]
    Undecodable {
        /// The file, as the user named it.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// A program of that kind cannot be loaded.
    #[error("`{}` is not a program symx can load (.bc, .ll, .c, .i, .cc, .cpp, .cxx, .rs, or built by `symx cc`)", .0.display())]
    NotAProgram(PathBuf),
    /// A script, not a program.
    #[error("`{}` is a script{hint}", path.display())]
    Script {
        /// The file.
        path: PathBuf,
        /// Where the program is, after a colon; "" if that is not known.
        hint: String,
    },
    /// It was not built by symx's compilers.
    #[error("`{}` carries no bitcode: programs, libraries and objects do that `symx cc` or `symx c++` built", .0.display())]
    NoBitcode(PathBuf),
    /// No compiler.
    #[error("no {compiler} was found on PATH to compile `{}`", path.display())]
    NoCompiler {
        /// The source.
        path: PathBuf,
        /// The compiler looked for.
        compiler: &'static str,
    },
    /// The compiler refused the source; what it said is already on stderr.
    #[error("{compiler} could not compile `{}`{otherwise}", path.display())]
    NotCompiled {
        /// The source.
        path: PathBuf,
        /// The compiler that refused.
        compiler: &'static str,
        /// How to compile it otherwise, after a space; "" if nothing is known.
        otherwise: &'static str,
    },
    /// The C library is missing.
    #[error("the C library as bitcode was not found: run `./x setup`, or set SYMX_LIBC to libc.bc")]
    NoLibrary,
    /// The parts of the program do not fit together.
    #[error("cannot link `{}`: {why}", path.display())]
    Unlinkable {
        /// The program.
        path: PathBuf,
        /// The error.
        why: String,
    },
    /// The program has no `main`.
    #[error("`{}` defines no function `main`", .0.display())]
    NoMain(PathBuf),
    /// A schedule file is not one, or belongs to something else.
    #[error("schedule `{}`: {why}", path.display())]
    Schedule {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// A profile is not one, or belongs to something else.
    #[error("profile `{}`: {why}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// A limit ended what comes before exploring: reading a profile, or the run near which failures are
    /// looked for.
    #[error("`{}`: incomplete: {reason}, before anything was explored", path.display())]
    Ended {
        /// The profile, or the program that was run.
        path: PathBuf,
        /// Which limit.
        reason: StopReason,
    },
    /// A list of candidates or a campaign is not one, or belongs to something else.
    #[error("candidates `{}`: {why}", path.display())]
    Candidates {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// A report of a program that watches is not one, or belongs to something else.
    #[error("report `{}`: {why}", path.display())]
    FieldReport {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// A symbolic trace is not one.
    #[error("trace `{}`: {why}", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// The files of an earlier exploration do not fit.
    #[error("unfinished exploration `{}`: {why}", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// An explanation is not one.
    #[error("explanation `{}`: {why}", path.display())]
    Explanation {
        /// The file.
        path: PathBuf,
        /// The error in it.
        why: String,
    },
    /// The project's file, a specification or a verification task says what cannot be.
    #[error("{}:{line}:{column}: {why}", path.display())]
    Misstated {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// The error there.
        why: String,
    },
    /// Instrumenting or recording did not work.
    #[error("{0}")]
    Recording(String),
    /// A server, or what it keeps, is not there.
    #[error("{0}")]
    Cluster(#[from] symx_cluster::ClusterError),
    /// Options or environment that make no sense together.
    #[error("{0}")]
    Usage(String),
}

impl Refusal {
    /// Its exit code: a limit that was met is no bad input.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ended { .. } => exit_code::INCOMPLETE,
            _ => exit_code::REFUSED,
        }
    }

    /// A file that cannot be read.
    pub fn unreadable(path: impl Into<PathBuf>, error: std::io::Error) -> Self {
        Self::Unreadable { path: path.into(), why: plain(&error) }
    }

    /// A file that cannot be written.
    pub fn unwritable(path: impl Into<PathBuf>, error: std::io::Error) -> Self {
        Self::Unwritable { path: path.into(), why: plain(&error) }
    }
}

/// An error of the system without its number.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_one_line_in_the_users_words() {
        let missing = std::fs::read("no/such/file").unwrap_err();
        let refusal = Refusal::unreadable("no/such/file", missing);
        assert_eq!(refusal.to_string(), "cannot read `no/such/file`: no such file or directory");
    }
}

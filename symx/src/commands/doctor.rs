//! `symx doctor`: what symx needs beside itself, whether it is there, and how to get it.

use crate::exit_code::REFUSED;
use crate::load::compile::on_path;
use crate::load::{c_library, compiler, cxx_library};
use crate::options::project_file::{self, ProjectFile};
use crate::refusal::Refusal;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Something that symx needs, or can make use of.
struct Need {
    /// Its name.
    name: &'static str,
    /// Its purpose.
    purpose: &'static str,
    /// Where it is.
    found: Option<PathBuf>,
    /// Whether nothing works without it.
    is_required: bool,
    /// How to get it.
    remedy: &'static str,
}

/// Runs the command: a line for each need. The exit code says whether all that is required is there.
pub fn doctor() -> Result<u8, Refusal> {
    let mut needs = needs();
    needs.push(Need {
        name: "symx.toml",
        purpose: "settings of a project",
        found: project_file()?,
        is_required: false,
        remedy: "optional, in the project's folder (docs/project-file.md)",
    });
    for need in &needs {
        println!("{}", line_of(need));
    }
    let is_fit = needs.iter().all(|need| need.found.is_some() || !need.is_required);
    Ok(if is_fit { 0 } else { REFUSED })
}

/// The project's file, if it can be read.
fn project_file() -> Result<Option<PathBuf>, Refusal> {
    let path = project_file::find();
    path.map(|path| ProjectFile::read(path.clone()).map(|_| path)).transpose()
}

fn needs() -> Vec<Need> {
    vec![
        Need {
            name: "C library as bitcode",
            purpose: "every program",
            found: c_library(),
            is_required: true,
            remedy: "run `./x setup`, or set SYMX_LIBC to libc.bc",
        },
        Need {
            name: "C++ library as bitcode",
            purpose: "programs in C++",
            found: cxx_library(),
            is_required: false,
            remedy: "run `./x setup`, or set SYMX_LIBSTDCXX to libstdcxx.bc",
        },
        Need {
            name: "clang",
            purpose: "sources in C, `symx cc`, `symx instrument`",
            found: compiler(false),
            is_required: false,
            remedy: "install clang; its LLVM has to be 22 or older (Debian: package clang)",
        },
        Need {
            name: "clang++",
            purpose: "sources in C++, `symx c++`",
            found: compiler(true),
            is_required: false,
            remedy: "install clang; its LLVM has to be 22 or older (Debian: package clang)",
        },
        Need {
            name: "rustc",
            purpose: "sources in Rust",
            found: on_path(&["rustc"]),
            is_required: false,
            remedy: "install Rust with rustup; its LLVM has to be 22 or older",
        },
        Need {
            name: "gdb",
            purpose: "`symx replay --gdb`",
            found: on_path(&["gdb"]),
            is_required: false,
            remedy: "install gdb (Debian: package gdb)",
        },
    ]
}

/// A need, described in a line.
fn line_of(need: &Need) -> String {
    let Need { name, purpose, .. } = need;
    match &need.found {
        Some(path) => {
            let path = &path.canonicalize().unwrap_or_else(|_| path.clone());
            let version = version_of(path).map_or(String::new(), |version| format!(" ({version})"));
            format!("ok       {name}: {}{version}", path.display())
        }
        None if need.is_required => format!("missing  {name}, for {purpose}: {}", need.remedy),
        None => format!("absent   {name}, for {purpose}: {}", need.remedy),
    }
}

/// The first line that a tool prints of itself; `None` for what is no tool.
fn version_of(path: &std::path::Path) -> Option<String> {
    let is_data = path.extension().is_some_and(|extension| extension == "bc" || extension == "toml");
    if is_data {
        return None;
    }
    let output =
        Command::new(path).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_needs_are_listed_with_how_to_get_them() {
        let mut need = Need {
            name: "clang",
            purpose: "sources in C",
            found: None,
            is_required: true,
            remedy: "install clang",
        };
        assert_eq!(line_of(&need), "missing  clang, for sources in C: install clang");
        need.is_required = false;
        assert_eq!(line_of(&need), "absent   clang, for sources in C: install clang");
        need.found = Some("libc.bc".into());
        assert_eq!(line_of(&need), "ok       clang: libc.bc");
    }
}

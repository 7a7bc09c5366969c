//! The output of `symx --version`: a report of a defect needs all of it.

use std::sync::LazyLock;

/// The version of symx, the commit it was built from where its package says that, and the versions of LLVM,
/// Z3 and CaDiCaL in it.
pub fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        let commit = option_env!("SYMX_COMMIT").map_or(String::new(), |commit| format!(" (commit {commit})"));
        format!(
            "{}{commit}\nLLVM {}\n{}\nCaDiCaL {}",
            env!("CARGO_PKG_VERSION"),
            symx_bitcode::llvm_version(),
            symx_expr::solver::z3_full_version(),
            symx_checkers::synthesis::cadical_version(),
        )
    });
    &LONG
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_versions_are_named() {
        let lines: Vec<&str> = super::long().lines().collect();
        assert!(lines[0].starts_with(env!("CARGO_PKG_VERSION")));
        for (line, name) in lines[1..].iter().zip(["LLVM 22.", "Z3 ", "CaDiCaL "]) {
            let version = line.strip_prefix(name);
            assert!(
                version.is_some_and(|version| version.starts_with(|digit: char| digit.is_ascii_digit())),
                "{line}"
            );
        }
    }
}

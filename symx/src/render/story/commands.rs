//! The commands to continue with after a failure, as a shell takes them.

use std::path::{Path, PathBuf};

/// The subject of the commands.
pub struct Commands<'a> {
    /// The program as the user named it.
    pub program: &'a Path,
    /// The folder of the artefacts.
    pub folder: &'a Path,
    /// Further files of the host that the program sees.
    pub mounts: &'a [PathBuf],
    /// The schedule of the failure, if it could be written.
    pub schedule: Option<&'a str>,
    /// Its page, if it could be written.
    pub page: Option<&'a str>,
    /// How many more failures there are.
    pub others: usize,
}

impl Commands<'_> {
    /// A line each. The schedule of an explained failure has as few context switches as were found.
    pub fn of_explained(&self) -> Vec<String> {
        self.lines(&["replay", "explain"])
    }

    /// The same of one that was not explained.
    pub fn of_unexplained(&self) -> Vec<String> {
        self.lines(&["replay", "simplify", "explain"])
    }

    fn lines(&self, names: &[&str]) -> Vec<String> {
        let Some(schedule) = self.schedule else { return Vec::new() };
        let mounts: String =
            self.mounts.iter().map(|path| format!(" --mount {}", quoted(&path.to_string_lossy()))).collect();
        let program = quoted(&self.program.to_string_lossy());
        let command =
            |name: &str, schedule: &str| format!("symx {name} {program} {}{mounts}", quoted(schedule));
        let mut lines: Vec<String> =
            self.page.iter().map(|page| format!("page       {}", quoted(page))).collect();
        lines.extend(names.iter().map(|name| format!("{name:10} {}", command(name, schedule))));
        if self.others > 0 {
            let second = self.folder.join("failure-2.schedule.json");
            let what = if self.others == 1 {
                "1 more failure".to_owned()
            } else {
                format!("{} more failures", self.others)
            };
            lines.push(format!("{what}: {}", command("explain", &second.to_string_lossy())));
        }
        lines
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+=:,@%".contains(character);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("symx-out/failure-1.html"), "symx-out/failure-1.html");
        assert_eq!(quoted("my program.bc"), "'my program.bc'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}

//! The programs in `examples/` do what the comment at their top says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The statements of a comment: the command, its exit code, and texts that it prints, in order.
struct Promise {
    arguments: Vec<String>,
    exit_code: i32,
    texts: Vec<String>,
}

impl Promise {
    /// Indented lines are the command first, then texts; what is indented further goes on a text.
    fn read(source: &str) -> Self {
        let comment: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//")).collect();
        let mut quoted = comment.iter().filter_map(|line| line.strip_prefix("     "));
        let command = quoted.next().and_then(|line| line.strip_prefix("symx ")).expect("a command of symx");
        let mut texts: Vec<String> = Vec::new();
        for line in quoted {
            match (line.strip_prefix("  "), texts.last_mut()) {
                (Some(rest), Some(text)) => *text += &format!(" {}", rest.trim()),
                _ => texts.push(line.trim().to_owned()),
            }
        }
        let prose = comment.join(" ");
        let exit_code = prose.split_once("exit code ").and_then(|(_, rest)| rest.split(' ').next());
        Self {
            arguments: command.split(' ').map(String::from).collect(),
            exit_code: exit_code.and_then(|code| code.parse().ok()).expect("an exit code"),
            texts,
        }
    }
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn each_example_does_what_its_comment_says() {
    let examples = examples();
    assert!(examples.len() >= 8, "{examples:?}");
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("examples")).unwrap();
    for example in &examples {
        let name = example.file_name().unwrap();
        let source = std::fs::read_to_string(example).unwrap();
        let there = Path::new("examples").join(name);
        std::fs::write(place.path().join(&there), &source).unwrap();
        let promise = Promise::read(&source);
        assert_eq!(promise.arguments.last().map(Path::new), Some(&*there), "its own path");
        let run = Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(&promise.arguments)
            .current_dir(place.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed = String::from_utf8(run.stdout).unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(promise.exit_code), "{name:?}: {printed}{errors}");
        // Lines are broken elsewhere in a comment than on a terminal.
        let printed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut rest = printed.as_str();
        assert!(promise.texts.len() >= 2, "{name:?}: its verdict and its fix");
        for text in &promise.texts {
            let (_, after) =
                rest.split_once(text.as_str()).unwrap_or_else(|| panic!("{name:?}: no `{text}` in {rest}"));
            rest = after;
        }
        let is_fixed =
            promise.texts.iter().any(|text| text.contains("Verified: no failure in any execution."));
        assert_eq!(is_fixed, promise.exit_code == 1, "{name:?}: a failure has a verified fix");
    }
}

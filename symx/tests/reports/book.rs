//! The commands of the book and of the README print what these say. With `SYMX_BLESS_BOOK` set, what they
//! print is written there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Matches any lines.
const LEFT_OUT: &str = "...";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A fenced block of a chapter: what follows its opening fence, and its lines.
struct Block<'t> {
    info: &'t str,
    lines: Vec<&'t str>,
}

fn blocks(chapter: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for line in chapter.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some(Block { info, lines: Vec::new() }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without end");
    found
}

/// The output of a shell for a command, numbers of seconds left out.
fn printed(command: &str, place: &Path) -> String {
    let symx = Path::new(env!("CARGO_BIN_EXE_symx")).parent().unwrap();
    let path = format!("{}:{}", symx.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("({command}) 2>&1")])
        .current_dir(place)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| without_times(line) + "\n").collect()
}

/// How long something took depends on the machine.
fn without_times(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for at in 1..words.len() {
        if matches!(words[at], "s" | "s," | "s;") && words[at - 1].parse::<f64>().is_ok() {
            words[at - 1] = "N";
        }
    }
    words.join(" ")
}

/// Whether a text is as the book has it.
fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&LEFT_OUT, rest)) => (0..=printed.len()).any(|at| matches(rest, &printed[at..])),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| without_times(line) == *first && matches(rest, others)),
    }
}

/// Runs a chapter's commands in its order in one folder; what differs, and the chapter as it would be right.
fn run(chapter: &str) -> (String, String) {
    let place = tempfile::tempdir().unwrap();
    for folder in ["examples", "bitcode-corpus/explained"] {
        copy(&root().join(folder), &place.path().join(folder));
    }
    let (mut differs, mut right) = (String::new(), chapter.to_owned());
    for block in blocks(chapter) {
        if let Some((_, file)) = block.info.split_once("file=") {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, block.lines.join("\n") + "\n").unwrap();
        }
        if block.info != "console" {
            continue;
        }
        for step in block.lines.chunk_by(|_, next| !next.starts_with("$ ")) {
            let (command, expected) = step.split_first().unwrap();
            let printed = printed(command.strip_prefix("$ ").expect("a command"), place.path());
            if !matches(expected, &printed.lines().collect::<Vec<_>>()) {
                writeln!(differs, "{command}\n{printed}").unwrap();
                right = right.replacen(&(step.join("\n") + "\n"), &format!("{command}\n{printed}"), 1);
            }
        }
    }
    (differs, right)
}

/// Copies the files of a folder, without folders in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn commands_of_the_book_and_the_readme_print_what_these_say() {
    let folder = root().join("docs/book/src");
    let summary = std::fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1);
    let mut listed: Vec<PathBuf> = links.map(|link| folder.join(link.split(')').next().unwrap())).collect();
    let mut wrong = String::new();
    for path in listed.iter().chain([&root().join("README.md")]) {
        let chapter = std::fs::read_to_string(path).unwrap();
        let (differs, right) = run(&chapter);
        if !differs.is_empty() && std::env::var_os("SYMX_BLESS_BOOK").is_some() {
            std::fs::write(path, right).unwrap();
        }
        if !differs.is_empty() {
            writeln!(wrong, "{}:\n{differs}", path.display()).unwrap();
        }
    }
    let mut chapters: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    chapters.retain(|path| path.is_file() && !path.ends_with("SUMMARY.md"));
    chapters.sort();
    listed.sort();
    assert_eq!(listed, chapters, "the summary lists every chapter once");
    assert!(wrong.is_empty(), "{wrong}");
}

//! Files an exploration leaves in `--out`.

use crate::confirm::Confirmed;
use crate::refusal::Refusal;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Writes schedule, inputs and trace of the `number`-th failure (from 1), and notes the paths in its violation. The
/// first failure's trace is `trace.json`, later ones' `failure-N.trace.json`.
pub fn write(folder: &Path, number: usize, confirmed: &mut Confirmed) -> Result<(), Refusal> {
    std::fs::create_dir_all(folder).map_err(|error| Refusal::unwritable(folder, error))?;
    let named = |what: &str| folder.join(format!("failure-{number}.{what}.json"));
    let schedule = named("schedule");
    write_json(&schedule, &confirmed.schedule)?;
    let inputs = named("inputs");
    write_json(&inputs, &confirmed.schedule.inputs)?;
    let trace = if number == 1 { folder.join("trace.json") } else { named("trace") };
    write_json(&trace, &confirmed.trace)?;
    confirmed.violation.schedule = Some(text(&schedule));
    confirmed.violation.inputs = Some(text(&inputs));
    Ok(())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn write_json(path: &PathBuf, value: &impl Serialize) -> Result<(), Refusal> {
    let file = std::fs::File::create(path).map_err(|error| Refusal::unwritable(path, error))?;
    let mut out = std::io::BufWriter::new(file);
    serde_json::to_writer(&mut out, value)
        .map_err(std::io::Error::from)
        .and_then(|()| std::io::Write::flush(&mut out))
        .map_err(|error| Refusal::unwritable(path, error))
}

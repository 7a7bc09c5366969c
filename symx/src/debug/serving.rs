//! The server: reads requests, loads the program that is to be debugged, hands over to its session.

use crate::debug::protocol::{self, Client, Request, Requests, complain};
use crate::debug::session::Session;
use crate::debug::variables::Variables;
use crate::files::source_text::SourceOptions;
use crate::load;
use crate::options::SurroundingOptions;
use crate::refusal::Refusal;
use crate::schedules::scheduled::Scheduled;
use serde_json::{Value, json};
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use symx_expr::StopToken;
use symx_ir::debug_info::DebugInfo;
use symx_posix_explore::{Cursor, FixedSchedule, Timeline};

/// The program debugged unless the client names another one.
#[derive(Debug, Default)]
pub struct Defaults {
    /// The program.
    pub program: Option<PathBuf>,
    /// The schedule.
    pub schedule: Option<PathBuf>,
    /// The part of the host that the program sees.
    pub visible: SurroundingOptions,
    /// Where its source lies.
    pub source: SourceOptions,
}

/// The requests that a client may make.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsDataBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsRestartFrame": true,
        "supportsRestartRequest": true,
        "supportsGotoTargetsRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsTerminateRequest": true,
    })
}

/// Answers a client until it disconnects. The error is one of writing to it.
pub fn serve(input: impl Read + Send + 'static, output: impl Write, defaults: &Defaults) -> io::Result<()> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let requests = listen(input, Arc::clone(&interrupted));
    let mut client = Client::new(output);
    while let Ok(request) = requests.recv() {
        let request = match request {
            Ok(request) => request,
            Err(why) => {
                complain(&mut client, &why)?;
                continue;
            }
        };
        match request.command.as_str() {
            "initialize" => client.answer(&request, &capabilities())?,
            "launch" => match debug(&request, defaults, &requests, &interrupted, &mut client) {
                Ok(ended) => {
                    if ended? {
                        return Ok(());
                    }
                }
                Err(why) => client.refuse(&request, &why.to_string())?,
            },
            "disconnect" | "terminate" => {
                client.answer(&request, &Value::Null)?;
                return Ok(());
            }
            "attach" => client.refuse(&request, "a recorded execution is launched, not attached to")?,
            _ => client.refuse(&request, "no program is launched")?,
        }
    }
    Ok(())
}

/// Reads requests beside everything else, so that a search in a long execution can be interrupted.
fn listen(input: impl Read + Send + 'static, interrupted: Arc<AtomicBool>) -> Requests {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let message = match protocol::read(&mut input) {
                Ok(None) => break,
                Ok(Some(request)) => Ok(request),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(error.to_string()),
                Err(_) => break,
            };
            if let Ok(request) = &message
                && matches!(request.command.as_str(), "pause" | "disconnect" | "terminate")
            {
                interrupted.store(true, Ordering::Relaxed);
            }
            if sender.send(message).is_err() {
                break;
            }
        }
        interrupted.store(true, Ordering::Relaxed);
    });
    receiver
}

/// Loads what a client launches and debugs it. Whether the client has disconnected; the outer error says why
/// nothing was launched.
fn debug(
    launch: &Request,
    defaults: &Defaults,
    requests: &Requests,
    interrupted: &AtomicBool,
    client: &mut Client<impl Write>,
) -> Result<io::Result<bool>, Refusal> {
    let named = |name: &str, default: &Option<PathBuf>| {
        let path = launch.text(name).map(PathBuf::from).or_else(|| default.clone());
        path.ok_or_else(|| Refusal::Usage(format!("launch: `{name}` is missing")))
    };
    let program = named("program", &defaults.program)?;
    let path = named("schedule", &defaults.schedule)?;
    let mut unread = None;
    let scheduled = Scheduled::open(&program, &path, &defaults.visible, &defaults.source)?;
    // Without it, there are lines and stacks nevertheless.
    let info = load::debug_info(&program, scheduled.session.loaded.compilation()).unwrap_or_else(|why| {
        unread = Some(why);
        DebugInfo::default()
    });
    let machine = scheduled.session.machine_for(&scheduled.schedule.inputs);
    let decisions: Vec<_> = scheduled.schedule.unfolded().collect();
    let schedule = FixedSchedule {
        visible: scheduled.sites.as_deref(),
        decisions: &decisions,
        expected: scheduled.schedule.failure.as_ref(),
    };
    let solver = || scheduled.session.solver(StopToken::default());
    let timeline = Timeline::of(&machine, solver, schedule, &scheduled.options);
    let refused = |why: String| Refusal::Schedule { path: path.clone(), why };
    let cursor = timeline.and_then(Cursor::new).map_err(|lost| refused(lost.to_string()))?;
    let variables = Variables::new(Arc::clone(&machine.program), info);
    if let Some(why) = unread {
        let text = format!("symx: variables cannot be shown: {why}\n");
        if let Err(error) = client.tell("output", &json!({ "category": "stderr", "output": text })) {
            return Ok(Err(error));
        }
    }
    let stops_on_entry = launch.is("stopOnEntry");
    let mut session = Session::new(cursor, variables, client, interrupted, stops_on_entry);
    Ok(session.begin(launch).and_then(|()| session.serve(requests)))
}

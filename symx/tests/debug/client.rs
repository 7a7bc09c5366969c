//! A client of the Debug Adapter Protocol that follows a script.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The client, and the server that it has started.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    events: VecDeque<Value>,
    sent: i64,
}

/// Where the debugger has stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Stopped {
    pub reason: String,
    pub text: String,
    pub thread: u64,
}

impl Client {
    /// Starts a server with these arguments.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_symx"))
            .arg("debug")
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().unwrap());
        Self { server, input, output, events: VecDeque::new(), sent: 0 }
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse::<usize>().ok(),
                _ => break,
            }
        }
        let mut bytes = vec![0; length.expect("a framed message")];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.sent += 1;
        let request =
            json!({ "seq": self.sent, "type": "request", "command": command, "arguments": arguments });
        let text = request.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        loop {
            let message = self.receive();
            match message["type"].as_str() {
                Some("response") => {
                    assert_eq!(message["request_seq"], self.sent, "{message}");
                    return message;
                }
                _ => self.events.push_back(message),
            }
        }
    }

    /// The server's answer.
    pub fn request(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{command}: {answer}");
        answer["body"].clone()
    }

    /// Why the server refuses a request.
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], false, "{command}: {answer}");
        answer["message"].as_str().unwrap().to_owned()
    }

    /// The next event of a kind; others before it are dropped.
    pub fn event(&mut self, kind: &str) -> Value {
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => self.receive(),
            };
            if event["event"] == kind {
                return event["body"].clone();
            }
        }
    }

    /// Asks to move, and where that leads.
    pub fn go(&mut self, command: &str, arguments: Value) -> Stopped {
        self.request(command, arguments);
        let stopped = self.event("stopped");
        assert_eq!(stopped["allThreadsStopped"], true);
        Stopped {
            reason: stopped["reason"].as_str().unwrap().to_owned(),
            text: stopped["text"].as_str().unwrap_or_default().to_owned(),
            thread: stopped["threadId"].as_u64().unwrap(),
        }
    }

    /// Launches what the server was started for.
    pub fn launch(&mut self, arguments: Value) {
        let capabilities = self.request("initialize", json!({ "adapterID": "symx" }));
        assert_eq!(capabilities["supportsStepBack"], true);
        self.request("launch", arguments);
        self.event("initialized");
    }

    /// The innermost frame of the program's own code of a thread: its number, function and line.
    pub fn frame(&mut self, thread: u64) -> (u64, String, u64) {
        let stack = self.request("stackTrace", json!({ "threadId": thread }));
        let frames = stack["stackFrames"].as_array().unwrap();
        let own = frames.iter().find(|frame| frame["presentationHint"] != "subtle");
        let own = own.unwrap_or_else(|| panic!("no frame with a line: {stack}"));
        let name = own["name"].as_str().unwrap().to_owned();
        (own["id"].as_u64().unwrap(), name, own["line"].as_u64().unwrap())
    }

    /// The value of an expression in the innermost own frame of a thread.
    pub fn value(&mut self, thread: u64, expression: &str) -> String {
        let (frame, ..) = self.frame(thread);
        let body = self.request("evaluate", json!({ "expression": expression, "frameId": frame }));
        body["result"].as_str().unwrap().to_owned()
    }

    /// The content of a scope of the innermost own frame of a thread: names and values.
    pub fn scope(&mut self, thread: u64, name: &str) -> Vec<(String, String)> {
        let (frame, ..) = self.frame(thread);
        let scopes = self.request("scopes", json!({ "frameId": frame }));
        let scope = scopes["scopes"].as_array().unwrap().iter().find(|scope| scope["name"] == name).cloned();
        let reference = scope.unwrap()["variablesReference"].clone();
        self.variables(reference).iter().map(pair).collect()
    }

    /// The children of a reference.
    pub fn variables(&mut self, reference: Value) -> Vec<Value> {
        let body = self.request("variables", json!({ "variablesReference": reference }));
        body["variables"].as_array().unwrap().clone()
    }

    /// Threads by name.
    pub fn threads(&mut self) -> Vec<(u64, String)> {
        let body = self.request("threads", Value::Null);
        let threads = body["threads"].as_array().unwrap().iter();
        threads
            .map(|thread| (thread["id"].as_u64().unwrap(), thread["name"].as_str().unwrap().to_owned()))
            .collect()
    }

    /// Has the debugger stop at writes of a variable.
    pub fn watch(&mut self, thread: u64, name: &str) {
        let (frame, ..) = self.frame(thread);
        let known = self.request("dataBreakpointInfo", json!({ "name": name, "frameId": frame }));
        assert!(known["dataId"].is_string(), "{known}");
        let breakpoint = json!({ "dataId": known["dataId"], "accessType": "write" });
        let set = self.request("setDataBreakpoints", json!({ "breakpoints": [breakpoint] }));
        assert_eq!(set["breakpoints"][0]["verified"], true);
    }

    /// Disconnects; the server ends by itself.
    pub fn end(mut self) {
        self.request("disconnect", Value::Null);
        self.input = None;
        assert!(self.server.wait().unwrap().success());
    }
}

fn pair(variable: &Value) -> (String, String) {
    let text = |name: &str| variable[name].as_str().unwrap().to_owned();
    (text("name"), text("value"))
}

/// A program of the corpus.
pub fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bitcode-corpus").join(name)
}

/// Explores a program, which fails; leaves the schedule in `folder`, in `symx-out/failure-1.schedule.json`.
pub fn explore(folder: &Path, program: &Path, options: &[&str]) {
    let run = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--quiet", "--no-explain"])
        .args(options)
        .arg(program)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
}

/// The line of a text on which something stands.
pub fn line_of(program: &Path, what: &str) -> u64 {
    let text = std::fs::read_to_string(program).unwrap();
    text.lines().position(|line| line.contains(what)).expect("it is there") as u64 + 1
}

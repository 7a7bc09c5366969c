//! The Debug Adapter Protocol's messages, as far as they are spoken here: framing, requests, answers, events.
//!
//! Arguments and bodies are JSON that each request reads and writes itself.

use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::Receiver;

/// The longest message that is read: a debugger's are of a few thousand bytes.
const LONGEST: usize = 1 << 24;

/// A client's request.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// The command.
    pub command: String,
    /// How.
    #[serde(default)]
    pub arguments: Value,
}

impl Request {
    /// A text among the arguments.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    /// A number among the arguments.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.arguments.get(name)?.as_u64()
    }

    /// Whether an argument is true.
    pub fn is(&self, name: &str) -> bool {
        self.arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The members of a list among the arguments; none if it is missing.
    pub fn list(&self, name: &str) -> &[Value] {
        self.arguments.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// Requests as they come, or why one cannot be read.
pub type Requests = Receiver<Result<Request, String>>;

/// The next message; `None` at the end of the input. A message that is no request is an error of kind
/// `InvalidData`, after which reading can continue.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Request>> {
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if io::Read::take(&mut *input, 1 << 12).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok().filter(|length: &usize| *length <= LONGEST);
        }
    }
    let length = length.ok_or_else(|| invalid("a message without a valid Content-Length".into()))?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    let message: Value = serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
    serde_json::from_value(message).map(Some).map_err(|error| invalid(format!("not a request: {error}")))
}

/// Where messages to the client go.
pub struct Client<W: Write> {
    output: W,
    sent: i64,
}

impl<W: Write> Client<W> {
    /// Writes to `output`.
    pub fn new(output: W) -> Self {
        Self { output, sent: 0 }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Request, body: &Value) -> io::Result<()> {
        self.send(json!({
            "type": "response", "request_seq": request.seq, "command": request.command, "success": true,
            "body": body,
        }))
    }

    /// Refuses a request, with the reason for people.
    pub fn refuse(&mut self, request: &Request, why: &str) -> io::Result<()> {
        self.send(json!({
            "type": "response", "request_seq": request.seq, "command": request.command, "success": false,
            "message": why, "body": { "error": { "id": 1, "format": why, "showUser": true } },
        }))
    }

    /// Reports an event.
    pub fn tell(&mut self, event: &str, body: &Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.sent += 1;
        message["seq"] = self.sent.into();
        let text = message.to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.output.flush()
    }
}

/// Says in the client's console that a message could not be read.
pub fn complain(client: &mut Client<impl Write>, why: &str) -> io::Result<()> {
    client.tell("output", &json!({ "category": "stderr", "output": format!("symx: bad message: {why}\n") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_framed_by_their_length() {
        let good = r#"{"seq":1,"type":"request","command":"threads"}"#;
        let text = format!(
            "Content-Length: {}\r\n\r\n{good}Content-Length: 2\r\nContent-Type: x\r\n\r\n{{}}X: y\r\n\r\n",
            good.len()
        );
        let mut input = text.as_bytes();
        let request = read(&mut input).unwrap().unwrap();
        assert_eq!((request.seq, request.command.as_str(), request.list("x").len()), (1, "threads", 0));
        assert_eq!(read(&mut input).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read(&mut input).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read(&mut input).unwrap(), None);
    }

    #[test]
    fn answers_are_numbered_in_turn() {
        let mut client = Client::new(Vec::new());
        let request = Request { seq: 7, command: "next".into(), arguments: Value::Null };
        client.answer(&request, &Value::Null).unwrap();
        client.refuse(&request, "no").unwrap();
        let text = String::from_utf8(client.output).unwrap();
        assert_eq!(text.matches("Content-Length: ").count(), 2);
        assert!(text.contains(r#""request_seq":7"#) && text.contains(r#""seq":2"#));
    }
}

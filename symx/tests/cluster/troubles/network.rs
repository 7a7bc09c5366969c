//! A bad network between a server and its clients: it cuts connections, stalls, delays, and loses and doubles
//! messages.
//!
//! TCP itself loses and doubles no bytes. A connection that is cut loses what was under way, and the client
//! sends again what was not acknowledged. Messages that are lost or doubled whole are the same for a client,
//! and come more often.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// One message of this many has such a fault.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    pub cut: usize,
    pub stalled: usize,
    pub delayed: usize,
    pub lost: usize,
    pub doubled: usize,
}

/// How many faults there were.
#[derive(Debug, Default)]
pub struct Faults {
    pub cut: AtomicUsize,
    pub stalled: AtomicUsize,
    pub delayed: AtomicUsize,
    pub lost: AtomicUsize,
    pub doubled: AtomicUsize,
}

/// A network that leads to one server.
pub struct Network {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: u16,
    rates: Rates,
    seed: u64,
    /// Which connection comes next: each has faults of its own.
    connections: AtomicUsize,
    is_over: AtomicBool,
    faults: Faults,
}

impl Faults {
    pub fn all(&self) -> usize {
        let kinds = [&self.cut, &self.stalled, &self.delayed, &self.lost, &self.doubled];
        kinds.map(|kind| kind.load(Relaxed)).iter().sum()
    }
}

impl Network {
    /// To the server that listens on a port of this machine.
    pub fn to(server: u16, rates: Rates, seed: u64) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            server,
            rates,
            seed,
            connections: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            faults: Faults::default(),
        });
        let network = Self { port, shared: Arc::clone(&shared) };
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.is_over.load(Relaxed) {
                    break;
                }
                // A server that is away refuses: then this connection ends, too.
                if let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, shared.server)) {
                    connect(&shared, &client, &server);
                }
            }
        });
        network
    }

    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Relaxed);
        // The thread waits for one more client.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Carries both directions of a connection, each on a thread.
fn connect(shared: &Arc<Shared>, client: &TcpStream, server: &TcpStream) {
    for (from, to) in [(client, server), (server, client)] {
        let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
        let shared = Arc::clone(shared);
        let number = shared.connections.fetch_add(1, Relaxed) as u64;
        std::thread::spawn(move || {
            let mut way =
                Way { random: fastrand::Rng::with_seed(shared.seed << 32 | number), shared, to: &to };
            let _ = way.carry(&from);
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        });
    }
}

/// One direction of a connection.
struct Way<'s> {
    shared: Arc<Shared>,
    random: fastrand::Rng,
    to: &'s TcpStream,
}

impl Way<'_> {
    /// Carries messages until one of both ends is closed or the network cuts the connection.
    fn carry(&mut self, from: &TcpStream) -> std::io::Result<()> {
        let mut from = BufReader::new(from);
        while let Some((message, is_content)) = next_message(&mut from)? {
            let Shared { rates, faults, .. } = &*Arc::clone(&self.shared);
            if self.happens(rates.stalled, &faults.stalled) {
                std::thread::sleep(Duration::from_millis(self.random.u64(1000..6000)));
            }
            if self.happens(rates.delayed, &faults.delayed) {
                std::thread::sleep(Duration::from_millis(self.random.u64(1..200)));
            }
            if self.happens(rates.cut, &faults.cut) {
                // The last message has arrived whole, or a part of it.
                return self.to.write_all(&message[..self.random.usize(..=message.len())]);
            }
            if is_content && self.happens(rates.lost, &faults.lost) {
                continue;
            }
            self.to.write_all(&message)?;
            if is_content && self.happens(rates.doubled, &faults.doubled) {
                self.to.write_all(&message)?;
            }
        }
        Ok(())
    }

    /// Whether a fault happens now; it is counted.
    fn happens(&mut self, one_of: usize, count: &AtomicUsize) -> bool {
        let happens = self.random.usize(..one_of) == 0;
        count.fetch_add(usize::from(happens), Relaxed);
        happens
    }
}

/// The next line of the protocol, with the content that it announces; and whether it is such a message.
fn next_message(from: &mut impl BufRead) -> std::io::Result<Option<(Vec<u8>, bool)>> {
    let mut message = Vec::new();
    if from.read_until(b'\n', &mut message)? == 0 {
        return Ok(None);
    }
    let line = String::from_utf8_lossy(&message);
    let mut words = line.split_whitespace();
    let has_content = words.next().is_some_and(|verb| ["PUB", "HPUB", "MSG", "HMSG"].contains(&verb));
    let Some(size) = words.last().filter(|_| has_content).and_then(|size| size.parse::<u64>().ok()) else {
        return Ok(Some((message, false)));
    };
    // An end of line follows the content.
    let complete = from.take(size + 2).read_to_end(&mut message)?;
    Ok((complete as u64 == size + 2).then_some((message, true)))
}

#[test]
fn messages_of_the_protocol_are_whole() {
    let mut bytes: &[u8] = b"PING\r\nPUB a.b reply 4\r\nab\r\n\r\nMSG a 1 0\r\n\r\nHPUB a 12 13\r\nNATS/1.0\r\n\r\nx\r\nPUB a 9\r\ncut";
    let mut next = || next_message(&mut bytes).expect("bytes");
    let mut lengths = Vec::new();
    while let Some((message, has_content)) = next() {
        lengths.push((message.len(), has_content));
    }
    assert_eq!(lengths, [(6, false), (23, true), (13, true), (29, true)]);
}

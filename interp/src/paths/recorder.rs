//! Recording the paths of an interpreted run, as the instrumentation does those of a native one.
//!
//! A [`PathRecorder`] gets the notifications that a [`Guide`](crate::paths::guide::Guide) gets, and writes
//! what that would follow. Threads enter functions, take edges, return, leave without returning, call what is
//! not the program's own. Each of its functions says here what the recorder's runtime (`recorder/runtime`)
//! does natively.

use crate::paths::limits::{HELD_CALLS, HELD_UNITS};
use crate::paths::numberings::Numberings;
use smallvec::SmallVec;
use std::io::{self, Read, Seek, Write};
use symx_ir::Program;
use symx_ir::path_numbering::{Edge, EdgeAction, PATH_LIMIT, PathNumbering};
use symx_ir::program::LinkedFunction;
use symx_trace::profile::unit::Event;
use symx_trace::profile::{
    Answer, InputFunction, Log, OpenFrame, ProfileStream, RecordedCall, Stamp, ThreadProfile, input_function,
};
use symx_trace::{ThreadId, ThreadName};

/// Data recorded beside paths.
#[derive(Clone, Copy, Debug)]
pub struct RecordingOptions {
    /// The answers of calls through which input enters.
    pub inputs: bool,
}

/// The recorder of one execution.
#[derive(Debug)]
pub struct PathRecorder {
    numberings: Numberings,
    options: RecordingOptions,
    /// Ticks: how much has been noted so far, of all threads.
    clock: u64,
    /// By the threads' numbers.
    threads: Vec<Option<ThreadRecorder>>,
    /// Why no more is recorded, if that is so.
    failed: Option<io::Error>,
}

/// The record of one thread.
#[derive(Debug)]
struct ThreadRecorder {
    name: String,
    started: u64,
    ended: Option<u64>,
    log: Log,
    open: Vec<OpenFrame>,
    inputs: Vec<RecordedCall>,
    /// Calls whose result is to be noted.
    awaited: Vec<AwaitedCall>,
    /// For each handler of a signal that runs, how many activations lie below it.
    handlers: Vec<usize>,
    handlers_begun: u32,
    /// Whether one was left without a return.
    has_left_handler: bool,
}

/// A call from recorded code that is not over.
#[derive(Debug)]
struct AwaitedCall {
    /// How many activations there are up to the caller.
    depth: usize,
    /// Whether it has its place in the order when it is over.
    acquires: bool,
    /// Its row and its arguments, if it brings input.
    input: Option<(&'static InputFunction, SmallVec<[u64; 3]>)>,
}

/// The part of a finished call that is to be read.
#[derive(Debug)]
pub(crate) struct OverCall {
    acquires: bool,
    input: Option<(&'static InputFunction, SmallVec<[u64; 3]>)>,
}

impl OverCall {
    /// Where input was written, and how many bytes, given what the call returned.
    pub(crate) fn buffer(&self, result: i64) -> Option<(u64, u64)> {
        let (row, arguments) = self.input.as_ref()?;
        let address = *arguments.get(row.buffer?)?;
        let length = row.filled(arguments, result);
        (address != 0 && length > 0 && !row.has_failed(result)).then_some((address, length))
    }
}

impl PathRecorder {
    /// A recorder of an execution of a program, in which there is only the main thread.
    pub fn new(program: &Program, options: RecordingOptions) -> Self {
        let numberings = Numberings::new(program, PATH_LIMIT);
        let mut recorder = Self { numberings, options, clock: 0, threads: Vec::new(), failed: None };
        recorder.start(ThreadId::MAIN, &ThreadName::main());
        recorder
    }

    /// A thread begins.
    pub(crate) fn start(&mut self, thread: ThreadId, name: &ThreadName) {
        if self.failed.is_some() {
            return;
        }
        let started = self.tick();
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, || None);
        }
        self.threads[thread.index()] = Some(ThreadRecorder {
            name: name.to_string(),
            started,
            ended: None,
            log: Log::new(started),
            open: Vec::new(),
            inputs: Vec::new(),
            awaited: Vec::new(),
            handlers: Vec::new(),
            handlers_begun: 0,
            has_left_handler: false,
        });
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// The record of a thread, if what it does is recorded now: neither in a handler nor after
    /// one that was left.
    fn recording(&mut self, thread: ThreadId) -> Option<&mut ThreadRecorder> {
        let record = self.threads.get_mut(thread.index())?.as_mut()?;
        let is_off = self.failed.is_some() || record.ended.is_some();
        (!is_off && record.handlers.is_empty() && !record.has_left_handler).then_some(record)
    }

    /// The same, with the numbering of a function, if the function's paths are recorded.
    fn within(
        &mut self,
        thread: ThreadId,
        function: &LinkedFunction,
    ) -> Option<(&mut ThreadRecorder, &PathNumbering)> {
        let Self { numberings, threads, failed, clock, .. } = self;
        let numbering = numberings.of(function)?;
        let record = threads.get_mut(thread.index())?.as_mut()?;
        let is_off = failed.is_some() || record.ended.is_some();
        if is_off || !record.handlers.is_empty() || record.has_left_handler {
            return None;
        }
        *clock += 1;
        Some((record, numbering))
    }

    /// A thread enters a function.
    pub(crate) fn enter(&mut self, thread: ThreadId, function: &LinkedFunction) {
        if let Some((record, _)) = self.within(thread, function) {
            record.log.put(Event::Enter(function.module_index));
            record.open.push(OpenFrame { function: function.module_index, sum: 0 });
        }
    }

    /// A thread takes a control-flow edge.
    pub(crate) fn follow(&mut self, thread: ThreadId, function: &LinkedFunction, edge: u32) {
        let Some((record, numbering)) = self.within(thread, function) else { return };
        let Some(frame) = record.open.last_mut() else { return };
        let block = function.block_of_edge(edge);
        let successor = edge - function.blocks[block as usize].first_edge;
        match numbering.edge_action(Edge { block, successor }) {
            EdgeAction::Continue { add } => frame.sum += add,
            EdgeAction::Cut { add, restart } => {
                record.log.put(Event::Path(frame.sum + add));
                frame.sum = restart;
            }
        }
    }

    /// A thread returns from a function, or goes on with an exception after the last clean-up there.
    pub(crate) fn leave(&mut self, thread: ThreadId, function: &LinkedFunction) {
        if let Some((record, _)) = self.within(thread, function)
            && let Some(frame) = record.open.pop()
        {
            record.log.put(Event::Return(frame.sum));
        }
    }

    /// A thread leaves a function without returning.
    pub(crate) fn abandon(&mut self, thread: ThreadId, function: &LinkedFunction) {
        if let Some((record, _)) = self.within(thread, function)
            && let Some(frame) = record.open.pop()
        {
            record.log.put(Event::Abandoned(frame.sum));
        }
    }

    /// A thread is back in a function, after a call in `block` that has returned again.
    pub(crate) fn jump_back(&mut self, thread: ThreadId, function: &LinkedFunction, block: u32) {
        if let Some((record, numbering)) = self.within(thread, function)
            && let Some(restart) = numbering.resume_value(block)
            && let Some(frame) = record.open.last_mut()
        {
            record.log.put(Event::JumpedBack(frame.sum));
            frame.sum = restart;
        }
    }

    /// A function calls another one that is not the program's, by name or through a pointer; `depth`
    /// activations lie up to the caller. Arguments without a number are 0.
    pub(crate) fn call(
        &mut self,
        thread: ThreadId,
        caller: &LinkedFunction,
        depth: usize,
        called: CalledFunction<'_>,
    ) {
        let CalledFunction { name, is_direct, is_invoked, arguments } = called;
        let RecordingOptions { inputs } = self.options;
        let ticks = self.clock + 1;
        let Some((record, _)) = self.within(thread, caller) else { return };
        let stamp = if is_direct { Stamp::of(name) } else { Stamp::No };
        let acquires = stamp == Stamp::After && !is_invoked;
        if stamp.is_timed() && !acquires {
            record.log.put(Event::BeforeCall(ticks));
        }
        let row = if inputs { input_function(name) } else { None };
        if acquires || row.is_some() {
            let input = row.map(|row| (row, arguments.collect()));
            record.awaited.push(AwaitedCall { depth, acquires, input });
        }
    }

    /// A result comes to the activation with `depth` up to it. Returns the data to be noted of the call, if
    /// any.
    pub(crate) fn over(&mut self, thread: ThreadId, depth: usize) -> Option<OverCall> {
        let record = self.recording(thread)?;
        let AwaitedCall { acquires, input, .. } = record.awaited.pop_if(|call| call.depth == depth)?;
        Some(OverCall { acquires, input })
    }

    /// Notes a call that is over: its result and what it wrote, if those are numbers. A call that symx
    /// answers by itself when it follows the record, and one that failed, is executed again.
    pub(crate) fn note(&mut self, thread: ThreadId, call: &OverCall, answer: Option<(i64, Vec<u8>)>) {
        let ticks = self.tick();
        let Some(record) = self.recording(thread) else { return };
        if call.acquires {
            record.log.put(Event::BeforeCall(ticks));
        }
        let Some((row, _)) = &call.input else { return };
        let known = answer.filter(|(result, _)| !row.comes_again && !row.has_failed(*result));
        if known.is_none()
            && let Some(last) = record.inputs.last_mut()
            && last.answer.is_none()
            && last.function == row.name
        {
            last.times += 1;
            return;
        }
        let answer = known.map(|(result, bytes)| Answer { result, error: 0, bytes });
        record.inputs.push(RecordedCall { function: row.name.into(), answer, times: 1 });
    }

    /// A thread has created its child with this number.
    pub(crate) fn created(&mut self, thread: ThreadId, number: u32) {
        if let Some(record) = self.recording(thread) {
            record.log.put(Event::Created(number));
        }
    }

    /// The handler of a signal begins, above `depth` activations.
    pub(crate) fn begin_handler(&mut self, thread: ThreadId, depth: usize) {
        if let Some(Some(record)) = self.threads.get_mut(thread.index()) {
            record.handlers.push(depth);
            record.handlers_begun += 1;
        }
    }

    /// A function has returned to a model with `depth` activations up to it: perhaps a handler.
    pub(crate) fn returned_to_model(&mut self, thread: ThreadId, depth: usize) {
        if let Some(Some(record)) = self.threads.get_mut(thread.index()) {
            record.handlers.pop_if(|below| *below == depth);
        }
    }

    /// Control leaves all but `depth` activations.
    pub(crate) fn leave_above(&mut self, thread: ThreadId, depth: usize) {
        let Some(Some(record)) = self.threads.get_mut(thread.index()) else { return };
        record.awaited.retain(|call| call.depth < depth);
        let before = record.handlers.len();
        record.handlers.retain(|below| *below <= depth);
        record.has_left_handler |= record.handlers.len() < before;
    }

    /// A thread has ended.
    pub(crate) fn end(&mut self, thread: ThreadId) {
        let ticks = self.tick();
        if let Some(record) = self.recording(thread) {
            record.log.put(Event::Ended);
            record.ended = Some(ticks);
        }
    }

    /// Puts away what has been recorded of a thread, if it is much. Where there is no room,
    /// no more is recorded.
    pub fn put_away<S: Read + Write + Seek>(&mut self, thread: ThreadId, stream: &mut ProfileStream<S>) {
        let Some(record) = self.recording(thread) else { return };
        let mut put = Ok(());
        if record.log.len() >= HELD_UNITS {
            put = stream.units(&record.name, &record.log.take());
        }
        if record.inputs.len() >= HELD_CALLS {
            put = put.and_then(|()| stream.calls(&record.name, &std::mem::take(&mut record.inputs)));
        }
        if let Err(error) = put {
            for record in self.threads.iter_mut().flatten().filter(|record| record.ended.is_none()) {
                record.log.put(Event::Stopped);
            }
            self.failed = Some(error);
        }
    }

    /// The records of all threads, with what has not been put away; why recording stopped before the
    /// execution did, if so.
    pub fn finish(self) -> (Vec<ThreadProfile>, Option<io::Error>) {
        let threads = self.threads.into_iter().flatten().map(|mut record| ThreadProfile {
            name: record.name,
            started: record.started,
            ended: record.ended,
            signal: None,
            signal_handlers: record.handlers_begun,
            ends_in_handler: record.has_left_handler || !record.handlers.is_empty(),
            open: record.open,
            lost_units: 0,
            inputs: record.inputs,
            is_cut: false,
            units: record.log.take(),
        });
        (threads.collect(), self.failed)
    }
}

/// A function that is called and is not the program's own.
pub(crate) struct CalledFunction<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Whether it is called by name.
    pub(crate) is_direct: bool,
    /// Whether the call has a landing pad.
    pub(crate) is_invoked: bool,
    /// The bits of its arguments.
    pub(crate) arguments: &'a mut dyn Iterator<Item = u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::SeekFrom;
    use symx_ir::function::{Block, Edge as FunctionEdge, Function};
    use symx_trace::profile::{RecordEnd, ThreadProfile};

    /// A loop with two ways round: 0 → 1 or 2, both → 0; 0 also leaves to 3.
    fn program() -> Program {
        let targets: [&[u32]; 4] = [&[1, 2, 3], &[0], &[0], &[]];
        let mut function = Function { in_program: true, contains_calls: true, ..Function::default() };
        for successors in targets {
            let (first_edge, edge_count) = (function.edges.len() as u32, successors.len() as u32);
            function.blocks.push(Block { start: function.blocks.len() as u32, first_edge, edge_count });
            let edge = |&block: &u32| FunctionEdge { block, target: block, first_move: 0, move_count: 0 };
            function.edges.extend(successors.iter().map(edge));
        }
        Program { functions: vec![LinkedFunction { function, constants: Vec::new() }], ..Program::default() }
    }

    /// A file on a disk with room for this many bytes.
    struct Disk {
        file: io::Cursor<Vec<u8>>,
        room: u64,
    }

    impl Read for Disk {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.file.read(to)
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let left = self.room.saturating_sub(self.file.position());
            match left.min(bytes.len() as u64) as usize {
                0 => Err(io::ErrorKind::StorageFull.into()),
                count => self.file.write(&bytes[..count]),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Records `rounds` rounds, alternately one way and the other, with another thread beside; what
    /// `put_away` left, and what the recorder held most.
    fn record(rounds: u32, room: u64) -> (Vec<ThreadProfile>, Option<io::Error>, usize) {
        let program = program();
        let function = &program.functions[0];
        let options = RecordingOptions { inputs: true };
        let mut recorder = PathRecorder::new(&program, options);
        let mut stream = ProfileStream::new(Disk { file: io::Cursor::default(), room });
        let child = ThreadId(1);
        recorder.created(ThreadId::MAIN, 1);
        recorder.start(child, &ThreadName::main().child(1));
        recorder.enter(child, function);
        recorder.enter(ThreadId::MAIN, function);
        let mut most = 0;
        for round in 0..rounds {
            let (there, back) = if round % 2 == 0 { (0, 3) } else { (1, 4) };
            recorder.follow(ThreadId::MAIN, function, there);
            recorder.follow(ThreadId::MAIN, function, back);
            recorder.put_away(ThreadId::MAIN, &mut stream);
            let held = recorder.threads.iter().flatten().map(|record| record.log.len());
            most = most.max(held.max().unwrap_or(0));
        }
        let (threads, failed) = recorder.finish();
        (threads, failed, most)
    }

    #[test]
    fn a_log_of_any_length_is_not_held() {
        let (threads, failed, most) = record(200_000, u64::MAX);
        assert!(failed.is_none());
        assert_eq!(most, HELD_UNITS - 1);
        assert_eq!(threads[0].open.len(), 1);
        assert!(threads[0].units.len() < HELD_UNITS);
    }

    #[test]
    fn where_there_is_no_room_recording_stops() {
        let (threads, failed, _) = record(200_000, 100_000);
        assert_eq!(failed.unwrap().kind(), io::ErrorKind::StorageFull);
        for thread in threads {
            assert!(thread.stopped_early());
            assert_eq!(thread.decode().unwrap().end, RecordEnd::Stopped);
        }
    }
}

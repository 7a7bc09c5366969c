//! Where threads are in the program's own code, in terms that a native run of it shares. These are the
//! instruction of the bitcode, and how many times it was reached.

use crate::memory::Site;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_ir::{FunctionId, Program, SpanId};
use symx_trace::{Access, Place, ThreadId};

/// An instruction of the program's own bitcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Instruction {
    /// Index among the defined functions of the program's module.
    pub function: u32,
    /// Number of the LLVM instruction within the function.
    pub number: u32,
}

/// Where LLVM instructions begin in the program's own functions.
pub struct InstructionMap {
    /// By index in the module, for each instruction of ours the number of the LLVM instruction.
    numbers: Vec<Vec<u32>>,
}

impl InstructionMap {
    /// Of the numbers that the decoder gives for `program`'s module; `None` if they are not that program's.
    pub fn new(program: &Program, numbers: Vec<Vec<u32>>) -> Option<Self> {
        let mut own = program.functions.iter().filter(|function| function.in_program);
        let fits = own.all(|function| {
            numbers.get(function.module_index as usize).is_some_and(|of| of.len() == function.code.len())
        });
        fits.then_some(Self { numbers })
    }

    pub(crate) fn instruction(&self, function: u32, pc: u32) -> Option<Instruction> {
        let number = *self.numbers.get(function as usize)?.get(pc as usize)?;
        Some(Instruction { function, number })
    }

    /// Whether the LLVM instruction that `pc` belongs to begins there.
    fn begins(&self, function: u32, pc: u32) -> bool {
        let numbers = &self.numbers[function as usize];
        pc == 0 || numbers[pc as usize - 1] != numbers[pc as usize]
    }
}

/// How often threads came to some instructions.
pub struct Census {
    pub(crate) map: Arc<InstructionMap>,
    /// By index in the module, for each instruction of ours: 1 and the number of its count, or 0.
    counted: Vec<Box<[u32]>>,
    /// By thread, the counts.
    counts: Vec<Vec<u32>>,
    kinds: usize,
    /// Where the running thread came last.
    last: (FunctionId, u32),
    /// By thread, the instruction that it stopped in, which it will reach again: that is no second time.
    stopped: Vec<Option<(FunctionId, u32)>>,
    /// The instruction that is being executed in a frame that is off the stack meanwhile.
    pub(crate) running: Option<(FunctionId, u32)>,
    /// The result of the model that returned last in this step.
    pub returned: Option<u64>,
    /// Allocation sites of objects that threads share and that did not count as visible.
    pub(crate) silent: FxHashSet<Site>,
    /// Accesses to those since this was emptied.
    pub accesses: Vec<SilentAccess>,
}

/// An access of a thread to memory that others touch as well, which was no visible step.
#[derive(Clone, Copy, Debug)]
pub struct SilentAccess {
    /// The thread.
    pub thread: ThreadId,
    /// The instruction that made it.
    pub instance: InstructionInstance,
    /// The same in the source.
    pub span: SpanId,
    /// The place it touched; all of an object, and for writing, where that is all that is known.
    pub access: Access,
}

impl Census {
    /// Counts how often threads come to `instructions`.
    pub fn new(
        program: &Program,
        map: Arc<InstructionMap>,
        instructions: &FxHashSet<Instruction>,
        silent: FxHashSet<Site>,
    ) -> Self {
        let mut counted = vec![Box::<[u32]>::default(); map.numbers.len()];
        let watched: FxHashSet<u32> = instructions.iter().map(|instruction| instruction.function).collect();
        let mut kinds = 0;
        for function in program.functions.iter().filter(|function| function.in_program) {
            let index = function.module_index;
            if !watched.contains(&index) {
                continue;
            }
            let mut entry = |pc: u32| {
                let instruction = map.instruction(index, pc)?;
                (instructions.contains(&instruction) && map.begins(index, pc)).then(|| {
                    kinds += 1;
                    kinds as u32
                })
            };
            counted[index as usize] =
                (0..function.code.len() as u32).map(|pc| entry(pc).unwrap_or(0)).collect();
        }
        let last = (FunctionId(u32::MAX), 0);
        Self {
            map,
            counted,
            counts: Vec::new(),
            kinds,
            last,
            stopped: Vec::new(),
            running: None,
            returned: None,
            silent,
            accesses: Vec::new(),
        }
    }

    /// `thread` is about to execute an instruction.
    pub(crate) fn arrive(&mut self, thread: ThreadId, id: FunctionId, module_index: Option<u32>, pc: u32) {
        self.last = (id, pc);
        self.running = Some(self.last);
        if let Some(stopped) = self.stopped.get_mut(thread.index())
            && stopped.take() == Some((id, pc))
        {
            return;
        }
        let Some(index) = module_index else { return };
        let Some(&counter) = self.counted[index as usize].get(pc as usize) else { return };
        if counter > 0 {
            if self.counts.len() <= thread.index() {
                self.counts.resize(thread.index() + 1, Vec::new());
            }
            let counts = &mut self.counts[thread.index()];
            counts.resize(self.kinds, 0);
            counts[counter as usize - 1] += 1;
        }
    }

    /// The frame that was executed is on its stack again, or gone.
    pub(crate) fn leave(&mut self) {
        self.running = None;
    }

    /// The access noted last, which was to this object, was to these bytes of it only.
    pub(crate) fn refine(&mut self, thread: ThreadId, access: Access) {
        let Some(last) = self.accesses.last_mut() else { return };
        if let (Place::Memory { start, end }, Place::Memory { start: from, end: to }) =
            (last.access.place, access.place)
            && last.thread == thread
            && start <= from
            && to <= end
        {
            last.access = access;
        }
    }

    /// `thread` has stopped before the instruction at which its innermost frame stands has had its effect.
    pub(crate) fn stop(&mut self, thread: ThreadId, id: FunctionId, pc: u32) {
        if self.last != (id, pc) {
            return;
        }
        if self.stopped.len() <= thread.index() {
            self.stopped.resize(thread.index() + 1, None);
        }
        self.stopped[thread.index()] = Some((id, pc));
    }

    pub(crate) fn count(&self, thread: ThreadId, instruction: Instruction) -> u32 {
        let numbers = &self.map.numbers[instruction.function as usize];
        let pc = numbers.partition_point(|&number| number < instruction.number);
        let counter = self.counted[instruction.function as usize].get(pc).copied().unwrap_or(0) as usize;
        let counts = self.counts.get(thread.index());
        counts.and_then(|counts| counts.get(counter.checked_sub(1)?)).copied().unwrap_or(0)
    }
}

/// One execution of an instruction by a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstructionInstance {
    /// The innermost instruction of the program's own code; a call, if the thread is in a library.
    pub instruction: Instruction,
    /// For the how-manyth time the thread is there, from 1; 0 if that was not counted.
    pub occurrence: u32,
}

//! Steps under fixes: which are held back, what they touch in addition, what they begin and end.

use crate::access::Purpose;
use crate::environment::{Call, Environment};
use crate::machine::Executor;
use crate::remedies::applied::{BLOCKS, CodePosition, FIRST_ORDER, Inside, Touched, Until, of_remedies};
use crate::remedies::{Role, SourceLine, StepKind, Visit};
use crate::state::State;
use crate::threads::thread::{Action, Activation, Thread};
use smallvec::SmallVec;
use symx_ir::SpanId;
use symx_memmodel::Ordering;
use symx_trace::explanation::AtomicOrdering;
use symx_trace::{Access, Agent, Footprint, Mode, Place, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// The roles in the fixes of the line that a thread stands on, where they apply at this visit.
    fn roles(&self, state: &State<E>, thread: &Thread<E>) -> SmallVec<[Role; 2]> {
        let mut roles = self.marks(thread);
        if let Some(remedies) = &self.machine.options.remedies {
            roles.retain(|role| {
                remedies.visit(*role).is_none_or(|(order, end, visit)| {
                    let visits = state.applied.visits(order, end);
                    visit.number == visits.begun + u32::from(!visits.is_there)
                })
            });
        }
        roles
    }

    /// The roles in the fixes of the line that a thread stands on, at any of its visits.
    fn marks(&self, thread: &Thread<E>) -> SmallVec<[Role; 2]> {
        let (Some(remedies), Some(pending)) = (&self.machine.options.remedies, &thread.pending) else {
            return SmallVec::new();
        };
        let at = |span: SpanId| remedies.roles.get(&span).map(|roles| roles.as_slice());
        let roles = at(pending.span).or_else(|| at(self.position_of(thread))).unwrap_or_default();
        let is_own = |role: &Role| {
            remedies.visit(*role).is_none_or(|(.., visit)| {
                visit.thread == thread.name && includes(visit.kind, &pending.action)
            })
        };
        roles.iter().copied().filter(is_own).collect()
    }

    /// Counts the visits that a thread is about to begin.
    fn come_to_visits(&self, state: &mut State<E>, thread: ThreadId) {
        let Some(remedies) = &self.machine.options.remedies else { return };
        for role in self.marks(state.thread(thread)) {
            if let Some((order, end, visit)) = remedies.visit(role)
                && !state.applied.visits(order, end).is_there
            {
                state.applied.come(order, end, visit.number);
            }
        }
    }

    /// A thread has taken a step: the visits end that are one step each.
    fn end_single_steps(&self, state: &mut State<E>, thread: ThreadId) {
        let Some(remedies) = &self.machine.options.remedies else { return };
        for order in 0..state.applied.visits.len() {
            for (end, role) in [Role::Before(order), Role::After(order)].into_iter().enumerate() {
                let is_single =
                    |visit: &Visit| visit.kind != StepKind::Any && visit.thread == state.thread(thread).name;
                if state.applied.visits(order, end).is_there
                    && remedies.visit(role).is_some_and(|(.., visit)| is_single(visit))
                {
                    state.applied.leave(order, end);
                }
            }
        }
    }

    /// Whether what a thread has stored before the earlier end of an order is to be in memory before the
    /// later one.
    fn synchronises(&self, order: usize) -> bool {
        self.machine.options.remedies.as_ref().is_none_or(|remedies| remedies.orders[order].synchronises)
    }

    /// Ends the visits whose places a thread has left.
    fn leave_visits(&self, state: &mut State<E>, thread: ThreadId) {
        let Some(remedies) = &self.machine.options.remedies else { return };
        for order in 0..state.applied.visits.len() {
            for (end, role) in [Role::Before(order), Role::After(order)].into_iter().enumerate() {
                let is_own = |visit: &Visit| visit.thread == state.thread(thread).name;
                if state.applied.visits(order, end).is_there
                    && remedies.visit(role).is_some_and(|(.., visit)| is_own(visit))
                    && !self.marks(state.thread(thread)).contains(&role)
                {
                    state.applied.leave(order, end);
                }
            }
        }
    }

    /// Whether an execution that has ended is none of those that precedences speak of: of some, the
    /// later visit never began.
    pub fn is_beside_precedences(&self, state: &State<E>) -> bool {
        let remedies = self.machine.options.remedies.as_ref();
        remedies.is_some_and(|remedies| {
            let mut orders = remedies.orders.iter().enumerate();
            orders.any(|(order, told)| told.visits.is_some() && state.applied.followed & 1 << order == 0)
        })
    }

    /// Whether a thread is held back forever by what is assumed, where no thread progresses.
    pub(crate) fn is_a_thread_held_back(&self, state: &State<E>) -> bool {
        self.machine.options.remedies.is_some()
            && state.threads.iter().filter(|thread| thread.is_unfinished()).any(|thread| {
                self.waits_for_line(state, thread.id).is_some()
                    || self.waits_for_end(state, thread.id).is_some()
                    || self.waits_for_block(state, thread.id).is_some()
            })
    }

    /// Whether a thread executes code on the line of a fix. Its operations there are to be steps even if
    /// no other thread touches the same: others may be held back.
    pub(crate) fn is_on_remedied_line(&self, state: &State<E>, span: SpanId) -> bool {
        let remedies = self.machine.options.remedies.as_ref();
        state.unjoined > 1
            && self.visible.is_some()
            && remedies.is_some_and(|remedies| remedies.roles.contains_key(&span))
    }

    /// How a load or store is ordered that the program's own code makes.
    #[inline]
    pub(crate) fn remedied_ordering(&self, span: SpanId, ordering: Ordering, purpose: Purpose) -> Ordering {
        let Some(remedies) = &self.machine.options.remedies else { return ordering };
        let asked = remedies.roles.get(&span).into_iter().flatten().find_map(|role| match role {
            Role::Atomic(asked) => Some(*asked),
            _ => None,
        });
        match asked {
            None => ordering,
            Some(AtomicOrdering::SequentiallyConsistent) => Ordering::SequentiallyConsistent,
            Some(AtomicOrdering::ReleaseAcquire) => match purpose {
                _ if ordering == Ordering::SequentiallyConsistent => ordering,
                Purpose::Read => Ordering::Acquire,
                Purpose::Write => Ordering::Release,
            },
        }
    }

    fn spot(&self, thread: &Thread<E>) -> Option<CodePosition> {
        let program = &self.machine.program;
        thread.stack.iter().enumerate().rev().find_map(|(depth, activation)| match activation {
            Activation::Program(frame) if program.function(frame.function).in_program => {
                Some(CodePosition { depth, function: frame.function, instruction: frame.pc })
            }
            _ => None,
        })
    }

    /// Whether a fix keeps `agent` from taking its next step, which is no interruption.
    pub(crate) fn is_held_back(&self, state: &State<E>, agent: Agent) -> bool {
        if self.machine.options.remedies.is_none() {
            return false;
        }
        match &state.applied.inside {
            Some(inside) if inside.thread == agent.thread() => {
                let waits = inside.leaving && !agent.is_buffer();
                if waits {
                    return true;
                }
            }
            Some(inside) => {
                let waits = !agent.is_buffer() && self.waits_for_block(state, agent.thread()).is_some();
                if waits || !inside.waiting && self.is_kept_from(state, agent, &inside.touched) {
                    return true;
                }
            }
            None => {}
        }
        !agent.is_buffer()
            && !self.is_interrupted(state, state.thread(agent.thread()))
            && (self.waits_for_line(state, agent.thread()).is_some()
                || self.waits_for_end(state, agent.thread()).is_some()
                || self.waits_for_own_stores(state, agent.thread()))
    }

    /// Whether the next step of `agent` touches what a block has touched.
    fn is_kept_from(&self, state: &State<E>, agent: Agent, touched: &[Touched]) -> bool {
        let footprint = self.own_footprint(state, agent);
        let mut touches = Touched::by(&footprint);
        touches.any(|touch| touched.iter().any(|other| touch.conflicts(other)))
    }

    /// The thread that is inside a block where another one stands before one.
    pub(crate) fn waits_for_block(&self, state: &State<E>, thread: ThreadId) -> Option<ThreadId> {
        let inside = state.applied.inside.as_ref().filter(|inside| inside.thread != thread)?;
        let mut roles = self.roles(state, state.thread(thread)).into_iter();
        roles.any(|role| matches!(role, Role::First(_))).then_some(inside.thread)
    }

    /// The line that a thread waits for another one to leave.
    pub(crate) fn waits_for_line(&self, state: &State<E>, thread: ThreadId) -> Option<&SourceLine> {
        let order = self.roles(state, state.thread(thread)).into_iter().find_map(|role| match role {
            Role::After(order) if state.applied.done & 1 << order == 0 => Some(order),
            _ => None,
        })?;
        Some(&self.machine.options.remedies.as_ref()?.orders[order].before)
    }

    /// A thread for whose end the one waits that created it.
    pub(crate) fn waits_for_end(&self, state: &State<E>, thread: ThreadId) -> Option<ThreadId> {
        if !self.roles(state, state.thread(thread)).contains(&Role::Joining) {
            return None;
        }
        let mut created = created_by(state, thread);
        created.find(|other| !other.exited || !other.buffer.is_empty()).map(|other| other.id)
    }

    /// Whether a thread's own stores have to be in memory before its next step, and are not yet.
    fn waits_for_own_stores(&self, state: &State<E>, thread: ThreadId) -> bool {
        let thread = state.thread(thread);
        let Some(pending) = &thread.pending else { return false };
        !thread.buffer.permits(pending.action.drain(self.machine.model))
            || !thread.buffer.is_empty() && self.roles(state, thread).contains(&Role::Fenced)
    }

    /// The part that fixes add to the footprint of the next step of `agent`.
    pub(crate) fn remedied_footprint(&self, state: &State<E>, agent: Agent, footprint: &mut Footprint) {
        let Some(remedies) = &self.machine.options.remedies else { return };
        let (applied, id) = (&state.applied, agent.thread());
        let roles = if agent.is_buffer() { SmallVec::new() } else { self.roles(state, state.thread(id)) };
        if remedies.has_blocks() {
            let touches: SmallVec<[Touched; 4]> = Touched::by(footprint).collect();
            let enters = roles.iter().any(|role| matches!(role, Role::First(_)));
            match &applied.inside {
                Some(inside) if inside.thread == id => {
                    footprint.push(Access::object(BLOCKS, Mode::Release));
                    // After a wait it takes again what others may have had meanwhile.
                    let again = if inside.waiting { Mode::Acquire } else { Mode::Release };
                    footprint.extend(inside.touched.iter().map(|touch| touch.lock(again)));
                    let new = touches.iter().filter(|touch| !inside.touched.contains(touch));
                    footprint.extend(new.map(|touch| touch.lock(Mode::Acquire)));
                }
                _ if enters => {
                    footprint.push(Access::object(BLOCKS, Mode::Acquire));
                    footprint.extend(touches.iter().map(|touch| touch.lock(Mode::Acquire)));
                }
                _ => footprint.extend(touches.iter().map(|touch| touch.lock(Mode::Follow))),
            }
        }
        for order in 0..remedies.orders.len() {
            let is_open = applied.done & 1 << order == 0;
            let passes = roles.contains(&Role::Before(order)) || applied.passing.contains(&(id, order));
            if is_open && passes {
                footprint.push(Access::object(FIRST_ORDER - order as u64, Mode::Post));
            }
            if roles.contains(&Role::After(order)) {
                footprint.push(Access::object(FIRST_ORDER - order as u64, Mode::Follow));
                // Whether it comes before the process ends decides whether the precedence holds.
                if remedies.orders[order].visits.is_some() {
                    footprint.push(Access { place: Place::Process, mode: Mode::Read });
                }
            }
        }
        if roles.contains(&Role::Joining) {
            footprint.extend(created_by(state, id).flat_map(|other| {
                let places = [Place::Thread(other.id), Place::Drained(other.id)];
                places.map(|place| Access { place, mode: Mode::Follow })
            }));
        }
        if roles.contains(&Role::Fenced) && self.machine.model.buffers_stores() {
            let place = Place::Drained(id);
            footprint.push(Access { place, mode: Mode::Acquire });
        }
    }

    /// `agent` is about to take its next step, which is no interruption.
    pub(crate) fn begin_under_remedies(&self, state: &mut State<E>, agent: Agent) {
        let id = agent.thread();
        let roles = if agent.is_buffer() { SmallVec::new() } else { self.roles(state, state.thread(id)) };
        if !agent.is_buffer() {
            self.come_to_visits(state, id);
        }
        for role in &roles {
            match *role {
                Role::First(block) if state.applied.inside.is_none() => {
                    if let Some(entry) = self.spot(state.thread(id)) {
                        state.applied.inside = Some(Box::new(Inside {
                            thread: id,
                            touched: SmallVec::new(),
                            waiting: false,
                            until: Until::Lines { block, entry, at_last: false },
                            leaving: false,
                        }));
                        state.synchronise(|order| order.acquire(id.0, of_remedies(BLOCKS)));
                    }
                }
                Role::Before(order)
                    if state.applied.done & 1 << order == 0
                        && !state.applied.passing.contains(&(id, order)) =>
                {
                    state.applied.passing.push((id, order));
                }
                Role::After(order) => {
                    let posted = of_remedies(FIRST_ORDER - order as u64);
                    state.applied.followed |= 1 << order;
                    if self.synchronises(order) {
                        state.synchronise(|order| order.acquire(id.0, posted));
                    }
                }
                Role::Joining => {
                    let ended: SmallVec<[ThreadId; 4]> =
                        created_by(state, id).map(|other| other.id).collect();
                    for other in ended {
                        state.synchronise(|order| order.follow(other.0, id.0));
                    }
                }
                _ => {}
            }
        }
        if state.applied.inside.as_ref().is_some_and(|inside| inside.thread == id) {
            let footprint = self.own_footprint(state, agent);
            if let Some(inside) = &mut state.applied.inside {
                for touch in Touched::by(&footprint) {
                    if !inside.touched.contains(&touch) {
                        inside.touched.push(touch);
                    }
                }
                if let Until::Lines { block, at_last, .. } = &mut inside.until {
                    *at_last |= roles.contains(&Role::Last(*block));
                }
                inside.waiting &= agent.is_buffer();
            }
        }
    }

    /// A thread has come to the end of a step, or one of its stores to memory.
    pub(crate) fn end_under_remedies(&self, state: &mut State<E>, id: ThreadId) {
        self.end_single_steps(state, id);
        let thread = state.thread(id);
        let roles = self.roles(state, thread);
        let is_drained = thread.buffer.is_empty();
        // A thread that has begun to wait there has come past it.
        let waits = !thread.exited && !self.can_step(state, thread);
        let left = |order: usize| {
            (is_drained || !self.synchronises(order)) && (waits || !roles.contains(&Role::Before(order)))
        };
        let passing = state.applied.passing.iter();
        let done: SmallVec<[usize; 2]> =
            passing.filter(|(by, order)| *by == id && left(*order)).map(|(_, order)| *order).collect();
        let ends = match &state.applied.inside {
            Some(inside) if inside.thread == id => inside.leaving || self.ends(state, inside, &roles),
            _ => false,
        };
        for order in done {
            state.applied.done |= 1 << order;
            if self.synchronises(order) {
                let posted = of_remedies(FIRST_ORDER - order as u64);
                state.synchronise(|order| order.release(id.0, posted));
            }
            state.applied.passing.retain(|(_, other)| *other != order);
        }
        self.leave_visits(state, id);
        if ends && is_drained {
            state.applied.inside = None;
            state.synchronise(|order| order.release(id.0, of_remedies(BLOCKS)));
        } else if ends && let Some(inside) = &mut state.applied.inside {
            inside.leaving = true;
        }
        let inside = state.applied.inside.as_ref();
        let waiting = inside.is_some_and(|inside| self.waits_inside(state, inside.thread));
        if waiting && let Some(inside) = &mut state.applied.inside {
            inside.waiting = true;
        }
    }

    /// A thread pauses within a step: it runs for long on its own. It has left the block that it was leaving.
    /// Else it would be held back for the end of a step that it cannot come to.
    pub(crate) fn pause_under_remedies(&self, state: &mut State<E>, id: ThreadId) {
        let is_leaving = |inside: &Inside| inside.thread == id && inside.leaving;
        if state.applied.inside.as_deref().is_some_and(is_leaving) && state.thread(id).buffer.is_empty() {
            state.applied.inside = None;
            state.synchronise(|order| order.release(id.0, of_remedies(BLOCKS)));
        }
    }

    /// Whether a thread inside a block has to wait for others.
    fn waits_inside(&self, state: &State<E>, id: ThreadId) -> bool {
        self.waits_for_line(state, id).is_some()
            || self.waits_for_end(state, id).is_some()
            || !self.waits_for_own_stores(state, id) && !self.can_step(state, state.thread(id))
    }

    /// Whether the thread inside a block has reached the block's end.
    fn ends(&self, state: &State<E>, inside: &Inside, roles: &[Role]) -> bool {
        let thread = state.thread(inside.thread);
        if thread.exited {
            return true;
        }
        let Until::Lines { block, entry, at_last } = inside.until else { return false };
        let spot = self.spot(thread);
        let remedies = self.machine.options.remedies.as_ref();
        let stays = remedies.is_some_and(|remedies| remedies.blocks[block]);
        let has_returned = spot.is_none_or(|spot| spot.depth < entry.depth);
        spot == Some(entry) || stays && has_returned || at_last && !roles.contains(&Role::Last(block))
    }
}

/// The threads of the program that a thread has created.
fn created_by<E: Environment>(state: &State<E>, thread: ThreadId) -> impl Iterator<Item = &Thread<E>> {
    let creator = &state.thread(thread).name;
    let threads = state.threads.iter().map(|other| &**other);
    threads.filter(move |other| !other.service && other.name.is_child_of(creator))
}

/// Whether a step that a thread is about to take is of a kind.
fn includes<E: Environment>(kind: StepKind, action: &Action<E>) -> bool {
    match action {
        _ if kind == StepKind::Any => true,
        Action::Load { .. } => kind == StepKind::Read,
        Action::Store { .. } => kind == StepKind::Write,
        Action::ReadModifyWrite { .. } => kind == StepKind::ReadModifyWrite,
        Action::Fence(_) => kind == StepKind::Fence,
        Action::Return(_) => kind == StepKind::Return,
        Action::Model(_) | Action::Never => kind == StepKind::Call,
        Action::Fail(_) => false,
    }
}

impl<E: Environment> State<E> {
    /// The thread that is inside an atomic block, or has just left it.
    pub fn atomic_block(&self) -> Option<ThreadId> {
        self.applied.inside.as_ref().map(|inside| inside.thread)
    }

    /// The thread that is inside an atomic section of the program's own.
    pub fn own_section(&self) -> Option<ThreadId> {
        let inside = self.applied.inside.as_ref()?;
        matches!(inside.until, Until::Told { .. }).then_some(inside.thread)
    }

    /// Whether a thread is inside an atomic block, and has not left it.
    pub fn is_in_atomic_block(&self, thread: ThreadId) -> bool {
        self.applied.inside.as_ref().is_some_and(|inside| inside.thread == thread && !inside.leaving)
    }
}

impl<E: Environment> Call<'_, '_, E> {
    /// From here on the thread, which is the only one, is inside an atomic block, or in one more of its own.
    /// The step that enters the first has to touch the lock of atomic blocks as one does that waits there.
    pub fn begin_atomic_block(&mut self) {
        self.acquire(of_remedies(BLOCKS));
        let until = Until::Told { depth: 0 };
        let outside =
            Inside { thread: self.thread(), touched: SmallVec::new(), waiting: false, until, leaving: false };
        let inside = self.state_mut().applied.inside.get_or_insert_with(|| Box::new(outside));
        if let Until::Told { depth } = &mut inside.until {
            *depth += 1;
        }
    }

    /// The thread, which is inside an atomic block, leaves it. It is outside when its step has ended and its
    /// stores are in memory.
    pub fn end_atomic_block(&mut self) {
        if let Some(inside) = &mut self.state_mut().applied.inside
            && let Until::Told { depth } = &mut inside.until
        {
            *depth -= 1;
            inside.leaving = *depth == 0;
        }
    }
}

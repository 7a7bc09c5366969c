//! Atomic sections of the program's own, each as one event.
//!
//! No other thread comes between the steps of such a section, so they are taken in a row. They are one event,
//! which touches what any of them touched. The places touched depend on what the section finds, so the event
//! is noted when the section has ended. Two sections that touch nothing in common commute.
//!
//! Where a section has to wait for others before it ends, as for a mutex, sections are followed step by step.
//! They then exclude each other by one lock.

use super::descent::Taken;
use super::point::{Point, Section};
use super::{Go, Walk};
use crate::source_sets::limits::LONG_SECTION;
use symx_interp::environment::Environment;
use symx_interp::remedies::ATOMIC_BLOCKS;
use symx_interp::state::State;
use symx_trace::{Access, Agent, Decision, Footprint, Mode, Place, ThreadId};

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether the next step of an agent begins a section that is to be one event.
    pub(super) fn begins_section(&self, state: &State<E>, agent: Agent) -> bool {
        let Agent::Thread(thread) = agent else { return false };
        let pending = state.thread(thread).pending.as_deref();
        let Some(operation) = pending.and_then(|pending| pending.action.operation()) else { return false };
        operation.footprint.iter().any(|access| access.place == ATOMIC_BLOCKS && access.mode == Mode::Acquire)
            && self.takes_sections_whole()
    }

    /// Whether sections are events of their own.
    pub(super) fn takes_sections_whole(&self) -> bool {
        let machine = self.executor.machine;
        let has_own_only = machine.options.remedies.as_ref().is_some_and(|remedies| remedies.is_own_only());
        has_own_only
            && machine.options.guide.is_none()
            && !machine.options.races
            && self.options.bound.is_none()
            && !machine.model.buffers_stores()
            && !machine.model.keeps_history()
            && !self.executor.learned.sections_in_steps
    }

    /// Takes the section that begins at the topmost scheduling point.
    pub(super) fn take_section(&mut self, state: &mut State<E>, thread: ThreadId) -> Taken {
        self.path.section =
            Some(Section { thread, point: self.path.points.len() - 1, touched: Footprint::new() });
        self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
        let step = self.executor.step(state, Agent::Thread(thread));
        let taken = self.settle(state, thread, step);
        self.go_on_in_section(state, taken)
    }

    /// Continues to the end of the section, if a thread is in one, its last step having come to this.
    pub(super) fn go_on_in_section(&mut self, state: &mut State<E>, mut taken: Taken) -> Taken {
        let Some(thread) = self.path.section.as_ref().map(|section| section.thread) else { return taken };
        let agent = Agent::Thread(thread);
        let mut steps = 0_u32;
        while matches!(taken, Taken::Done) && state.end.is_none() && state.is_in_atomic_block(thread) {
            let is_plain = self.executor.machine.environment.interruption_footprint(state, thread).is_empty();
            steps += 1;
            let is_endless = steps >= LONG_SECTION
                && steps.is_power_of_two()
                && self.executor.spin_position(state, thread).is_some();
            if is_endless || !is_plain || !self.executor.can_step(state, state.thread(thread)) {
                self.executor.learned.sections_in_steps = true;
                self.learned.has_more = true;
                return Taken::Ended;
            }
            if self.look() == Go::Stop {
                self.stopped = true;
                return Taken::Ended;
            }
            for access in self.executor.own_footprint(state, agent) {
                self.touch_in_section(access);
            }
            self.path.decisions.push(Decision::Run(agent));
            let step = self.executor.step(state, agent);
            taken = self.settle(state, thread, step);
        }
        self.close_section();
        taken
    }

    fn touch_in_section(&mut self, access: Access) {
        let Some(section) = &mut self.path.section else { return };
        let access = match access.place {
            ATOMIC_BLOCKS => return,
            // An event that comes once has no rival.
            Place::Thread(_) | Place::Child { .. } | Place::Round { .. } => access,
            _ => access.without_waiting(),
        };
        if !section.touched.contains(&access) {
            section.touched.push(access);
        }
    }

    /// Notes the event that a section has been, if a thread was in one: it goes no further.
    pub(super) fn close_section(&mut self) {
        let Some(Section { thread, point: node, touched }) = self.path.section.take() else { return };
        if let Some(Point::Schedule(point)) = self.path.points.get_mut(node) {
            point.footprint.clone_from(&touched);
            // It sleeps as long as nothing touches what any of its ways does.
            for access in &touched {
                if !point.sections.contains(access) {
                    point.sections.push(*access);
                }
            }
        }
        let races = self.path.order.push(Agent::Thread(thread), touched, node);
        for race in races {
            self.reverse(&race);
        }
    }
}

#ifndef SYMX_RECORDER_PATHS_H
#define SYMX_RECORDER_PATHS_H

/* What the instrumented program calls: activations, their paths, and the loops whose rounds are counted.
 *
 * An activation tells its path so far in its frame of the shadow stack: the sum, or the sum and the loop it is in. In a stretch
 * without calls (src/instrument/stretch.rs) it tells it where the log's next event goes: what is stored there as the path so far
 * is the path that was taken once it is complete, and nothing but the cursor has to move on. The frame then says where to look. */

#include "noise.h"

/* Makes room for a frame and for an event; tells where the frame goes. */
SLOW_PATH struct frame *symx_recorder_make_frame(void) {
    if (self.at.state == FRESH || self.at.unit >= self.at.unit_limit) make_room();
    struct frame *next = self.at.top + 1;
    if (self.at.state != RECORDING) goto off;
    if (next >= self.at.stack_limit) {
        int saved_errno = errno;
        struct frame *base = (struct frame *)((char *)self.header + PAGE);
        size_t frames = (size_t)(self.at.stack_limit - base);
        int file = frames < STACK_FRAMES ? open_thread_file(0) : -1;
        int failed = file < 0 || posix_fallocate(file, PAGE, (off_t)(frames * 2 * sizeof *base)) != 0;
        if (file >= 0) close(file);
        errno = saved_errno;
        if (failed) {
            one_unit(STOPPED);
            stop_silently();
            goto off;
        }
        self.at.stack_limit = base + frames * 2;
    }
    return next;
off:
    stop_silently();
    return &self.frame_sink[1];
}

/* The rest of the frames above one were left by longjmp, an exception or the end of the thread. */
static void abandon_above(struct frame *frame) {
    if (self.at.state != RECORDING) return;
    struct frame *base = (struct frame *)((char *)self.header + PAGE);
    if (frame < base - 1 || frame > self.at.top) return;
    while (self.at.top > frame && self.at.state == RECORDING) {
        with_value(ABANDONED, self.at.top->sum);
        if (self.at.state == RECORDING) self.at.top--;
    }
}

HOT struct frame *symx_recorder_enter(uint32_t function, uint32_t wide) {
    struct frame *frame = self.at.top + 1;
    if (unlikely(frame >= self.at.stack_limit || self.at.unit >= self.at.unit_limit))
        frame = symx_recorder_make_frame();
    *(volatile uint64_t *)frame = ((uint64_t)function + 1) << 32;
    if (wide) put_value(NULL, self.at.unit, WIDE_ENTER, function);
    else put_unit(NULL, self.at.unit, ENTER + function);
    self.at.top = frame;
    return frame;
}

HOT void symx_recorder_sum(struct frame *frame, uint32_t sum) { *(volatile uint32_t *)&frame->sum = sum; }

HOT uint32_t symx_recorder_saved_sum(struct frame *frame) { return *(volatile uint32_t *)&frame->sum; }

HOT void symx_recorder_path(struct frame *frame, uint32_t path, uint32_t restart, uint32_t wide, uint32_t in_slack) {
    volatile uint16_t *at = in_slack ? self.at.unit : room(NULL);
    if (wide) put_value(NULL, at, WIDE_PATH, path);
    else put_unit(NULL, at, PATH + path + 1);
    symx_recorder_sum(frame, restart);
}

/* In a stretch: the path so far. */
HOT void symx_recorder_so_far(uint32_t sum, volatile uint16_t **cursor) { *(two_units *)*cursor = PATH + sum + 1; }

/* In a stretch: the event that stands where the next goes is complete. */
HOT void symx_recorder_complete(uint32_t in_slack, volatile uint16_t **cursor) {
    volatile uint16_t *at = *cursor + 1;
    if (!in_slack && unlikely(at >= self.at.unit_limit)) at = symx_recorder_make_room(at);
    *cursor = at;
}

/* From here on the log tells the path so far. */
static inline HOT void put_into_log(struct frame *frame, uint32_t sum, volatile uint16_t *at) {
    symx_recorder_sum(frame, SUM_MAY_BE_IN_LOG | sum);
    symx_recorder_so_far(sum, &at);
    symx_recorder_sum(frame, SUM_IN_LOG);
}

/* From here on the frame does, with this word. */
static inline HOT void take_out_of_log(struct frame *frame, uint32_t sum, uint32_t word, volatile uint16_t *at) {
    symx_recorder_sum(frame, SUM_MAY_BE_IN_LOG | sum);
    *at = 0;
    symx_recorder_sum(frame, word);
}

/* At the beginning of a stretch; tells where the next event goes. */
HOT volatile uint16_t *symx_recorder_begin_stretch(struct frame *frame, uint32_t sum) {
    volatile uint16_t *at = self.at.unit;
    put_into_log(frame, sum, at);
    return at;
}

/* At the end of one. */
HOT void symx_recorder_end_stretch(struct frame *frame, uint32_t sum, volatile uint16_t *at) {
    take_out_of_log(frame, sum, sum, at);
    self.at.unit = at;
}

/* Where a function without calls begins: it is a stretch. */
HOT volatile uint16_t *symx_recorder_begin_function(struct frame *frame) {
    symx_recorder_sum(frame, SUM_IN_LOG);
    return self.at.unit;
}

/* Where it ends. */
HOT void symx_recorder_end_function(volatile uint16_t *at) { self.at.unit = at; }

/* A path of a loop with one way round, `whole` if it is all of it. Where such a path follows itself it is counted in
 * the unit after it: a store, and the log grows no more. */
HOT void symx_recorder_round(struct frame *frame, uint32_t path, uint32_t restart, uint32_t whole, uint32_t keeps_sum,
                             uint32_t *run_path, uint32_t *run_unit, volatile uint16_t **cursor) {
    if (path == whole && *run_path == whole + 1) {
        uint32_t unit = *run_unit + 1;
        if (unlikely(unit > AGAIN_LAST)) unit = AGAIN + 1;
        if (unlikely(unit == AGAIN + 1)) put_unit(cursor, room(cursor), unit);
        else (*kept(cursor))[-1] = (uint16_t)unit;
        *run_unit = unit;
        if (keeps_sum) return;
    } else {
        put_unit(cursor, room(cursor), PATH + path + 1);
        *run_path = path + 1;
        *run_unit = AGAIN;
    }
    if (cursor == NULL) symx_recorder_sum(frame, restart);
    else **cursor = 0;
}

/* A loop was gone round more often than a unit says, or its number does not fit one. */
SLOW_PATH volatile uint16_t *symx_recorder_rounds_wide(uint32_t loop, uint64_t rounds, volatile uint16_t *at) {
    if (self.at.state != RECORDING) return self.at.unit;
    self.at.unit = at;
    for (; rounds > 0; rounds -= rounds < UINT32_MAX ? rounds : UINT32_MAX) {
        with_value(ROUNDS_OF, loop);
        with_value(ROUNDS_OFTEN, rounds < UINT32_MAX ? (uint32_t)rounds : UINT32_MAX);
    }
    return self.at.unit;
}

/* A loop with one way round is left after so many rounds. */
HOT void symx_recorder_rounds(uint32_t loop, uint64_t rounds, uint32_t in_slack) {
    if (rounds == 0) return;
    /* All of it is unlikely: beside a half that may be either, the optimiser takes the call for as frequent as the unit, and
     * keeps registers and lays out code for it. */
    if (unlikely(loop >= LOOPS_IN_UNIT || rounds >= ROUNDS_IN_UNIT)) {
        self.at.unit = symx_recorder_rounds_wide(loop, rounds, self.at.unit);
        return;
    }
    put_unit(NULL, in_slack ? self.at.unit : room(NULL), ROUNDS + loop * ROUNDS_IN_UNIT + (uint32_t)rounds);
}

/* The activation is in such a loop. */
HOT void symx_recorder_in_loop(struct frame *frame, uint32_t loop) {
    *((volatile uint16_t *)&frame->sum + 1) = (uint16_t)(SUM_IN_LOOP >> 16 | loop);
}

/* In a stretch: from here on the activation, which comes with this sum, is in a loop the number of which fits no unit. */
SLOW_PATH void symx_recorder_into_loop_wide(uint32_t loop, uint32_t sum, volatile uint16_t *at) {
    take_out_of_log(self.at.top, sum, SUM_IN_LOOP | loop << 16 | sum, at);
}

/* In a stretch: as above, of any loop. */
HOT void symx_recorder_into_loop(uint32_t loop, uint32_t sum, volatile uint16_t **cursor) {
    if (loop >= LOOPS_IN_UNIT) symx_recorder_into_loop_wide(loop, sum, *cursor);
    else *(two_units *)*cursor = (PATH + sum + 1) | (IN_LOOP + loop) << 16;
}

/* In a stretch: a loop is left after more rounds than a unit says, or its number does not fit one. */
SLOW_PATH volatile uint16_t *symx_recorder_out_of_loop_wide(uint32_t loop, uint64_t rounds, uint32_t sum,
                                                            volatile uint16_t *at) {
    struct frame *frame = self.at.top;
    if (loop < LOOPS_IN_UNIT) {
        /* As long as the log says that it is in the loop, that is what counts. */
        symx_recorder_sum(frame, SUM_IN_LOOP | loop << 16 | (*at - 1u));
        *at = 0;
    }
    at = symx_recorder_rounds_wide(loop, rounds, at);
    if (self.at.state != RECORDING) return at;
    put_into_log(frame, sum, at);
    return at;
}

/* In a stretch: a loop is left after so many rounds, with this sum. */
HOT void symx_recorder_out_of_loop(uint32_t loop, uint64_t rounds, uint32_t sum, uint32_t in_slack,
                                   volatile uint16_t **cursor) {
    volatile uint16_t *at = *cursor;
    if (loop < LOOPS_IN_UNIT && rounds == 0) {
        symx_recorder_so_far(sum, cursor);
        return;
    }
    if (unlikely(loop >= LOOPS_IN_UNIT || rounds >= ROUNDS_IN_UNIT)) {
        *cursor = symx_recorder_out_of_loop_wide(loop, rounds, sum, at);
        return;
    }
    uint32_t unit = ROUNDS + loop * ROUNDS_IN_UNIT + (uint32_t)rounds;
    *(four_units *)at = unit | (PATH + sum + 1) << 16;
    symx_recorder_complete(in_slack, cursor);
}

COLD void symx_recorder_caught(struct frame *frame) { abandon_above(frame); }

HOT void symx_recorder_leave(struct frame *frame, uint32_t path, uint32_t wide) {
    if (unlikely(self.at.top != frame)) symx_recorder_caught(frame);
    if (wide) with_value(WIDE_RETURN, path);
    else one_unit(RETURN + path);
    self.at.top = frame - 1;
}

/* After a function that returns twice: 0 the first time. */
COLD void symx_recorder_returned(struct frame *frame, int32_t value, uint32_t restart) {
    if (value == 0) return;
    abandon_above(frame);
    with_value(JUMPED_BACK, symx_recorder_saved_sum(frame));
    symx_recorder_sum(frame, restart);
}

static void stamp(void) {
    uint64_t now = ticks(), since = now - self.last_tick;
    if (since >> 32) {
        if (self.at.unit >= self.at.unit_limit) make_room();
        log_clock(now);
        since = 0;
    }
    with_value(BEFORE_CALL, (uint32_t)since);
    self.last_tick = now;
}

COLD void symx_recorder_before_call(uint32_t acquires) {
    if (self.at.state == FRESH) make_room();
    disturb();
    if (self.at.state == RECORDING && !acquires) stamp();
}

/* What waits takes its place in the order when it is over: as who takes a lock reads the clock while he has it, the stamps of
 * a lock are in the order in which it was taken. */
COLD void symx_recorder_after_call(void) {
#if defined(__x86_64__)
    /* Else the processor may read its clock while it still waits for the lock. */
    __builtin_ia32_lfence();
#endif
    if (self.at.state == RECORDING) stamp();
    disturb();
}

#endif

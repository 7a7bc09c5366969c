//! The 16-bit units of a thread's log.
//!
//! Most of a log is path numbers, so those take one unit; values that do not fit 14 bits take three.
//!
//! | unit | followed by | meaning |
//! |---|---|---|
//! | 0 | – | end of the log |
//! | 0x0001–0x3FFF | – | path number unit − 1 is complete; the function goes on |
//! | 0x4000–0x7FFF | – | path number unit − 0x4000 is complete; the function returns |
//! | 0x8000–0xBFFF | – | function unit − 0x8000 is entered |
//! | [`PADDING`] | – | nothing |
//! | [`WIDE_PATH`], [`WIDE_RETURN`], [`WIDE_ENTER`] | 32 bits | as above |
//! | [`ABANDONED`] | 32 bits: path sum | the function is left without returning |
//! | [`JUMPED_BACK`] | 32 bits: path sum | the path breaks off; the next starts where `setjmp` returns again |
//! | [`CREATED`] | 32 bits: its number | a child thread was created |
//! | [`BEFORE_CALL`] | 32 bits: ticks since the last stamp | a timed call follows, or is over if it is one that [waits](super::Stamp::After) |
//! | [`OUTER`] | 32 bits: how many | the log's beginning is lost: this many active functions are not recorded |
//! | [`ACTIVE`] | 32 bits: function | and within them this one |
//! | [`TICKS`] | 64 bits | the clock itself, where 32 bits of difference do not do |
//! | [`STOPPED`] | – | recording stopped here: no room on the disk or too deep a stack |
//! | [`ENDED`] | – | the thread ended |
//! | [`ROUNDS_OF`], [`ROUNDS_OFTEN`] | 32 bits: the loop; 32 bits: how often | the incomplete path took this many rounds of this loop |
//! | 0xD001–0xDFFF | – | the path before it was taken unit − [`AGAIN`] times more |
//! | 0xE000–0xFF7F | – | the incomplete path took rounds of a loop: unit − [`ROUNDS`] is the loop times [`ROUNDS_IN_UNIT`] and how many |
//! | 0xFF80–0xFFBE | end of the log | the path before is in the loop unit − [`IN_LOOP`] and not complete |
//!
//! Loops have the numbers of `PathNumbering::ways_round`. A path goes on from where it came to the loop, as
//! if it had taken no round. Values come low half first. 'Function' is the index among the module's defined
//! functions in module order.

/// Greatest path number or function index that fits a single unit.
pub const NARROW_MAX: u32 = 0x3FFE;
/// First unit of 'path complete, the function goes on', less one.
pub const PATH: u16 = 0x0000;
/// First unit of 'path complete, the function returns'.
pub const RETURN: u16 = 0x4000;
/// First unit of 'function entered'.
pub const ENTER: u16 = 0x8000;
/// Means nothing; fills a piece of the log that is not used.
pub const PADDING: u16 = 0xC000;
/// A path number of 32 bits; the function goes on.
pub const WIDE_PATH: u16 = 0xC001;
/// A path number of 32 bits; the function returns.
pub const WIDE_RETURN: u16 = 0xC002;
/// A function index of 32 bits is entered.
pub const WIDE_ENTER: u16 = 0xC003;
/// The innermost open function is left by `longjmp`, an exception or the end of the thread.
pub const ABANDONED: u16 = 0xC004;
/// A function that returns twice has returned again.
pub const JUMPED_BACK: u16 = 0xC005;
/// A child thread was created.
pub const CREATED: u16 = 0xC006;
/// The clock before a timed call, or after it if it is one that [waits](super::Stamp::After).
pub const BEFORE_CALL: u16 = 0xC007;
/// Functions were active where the log begins.
pub const OUTER: u16 = 0xC008;
/// The clock as 64 bits.
pub const TICKS: u16 = 0xC009;
/// Recording stopped.
pub const STOPPED: u16 = 0xC00A;
/// The thread ended.
pub const ENDED: u16 = 0xC00B;
/// A function was active where the log begins.
pub const ACTIVE: u16 = 0xC00C;
/// The number of the loop of which `ROUNDS_OFTEN` follows.
pub const ROUNDS_OF: u16 = 0xC00D;
/// It took more rounds than a unit can say, or its number is too great for one.
pub const ROUNDS_OFTEN: u16 = 0xC00E;
/// First unit of 'the path before, this many times more', less one.
pub const AGAIN: u16 = 0xD000;
/// Last of those units.
pub const AGAIN_LAST: u16 = 0xDFFF;
/// First unit of 'rounds of a loop were taken'.
pub const ROUNDS: u16 = 0xE000;
/// Such a unit says less than this many rounds.
pub const ROUNDS_IN_UNIT: u16 = 128;
/// Last of those units: they have room for 63 loops.
pub const ROUNDS_LAST: u16 = ROUNDS + 63 * ROUNDS_IN_UNIT - 1;
/// First unit of 'the path before is in a loop'. 0xFFFF never occurs in a log.
pub const IN_LOOP: u16 = ROUNDS_LAST + 1;
/// Last of those units.
pub const IN_LOOP_LAST: u16 = IN_LOOP + 62;

/// In a frame in place of the sum: the activation keeps it in the log, where its next event goes. So the path
/// that the log ends with may be complete, or as far as the activation got.
pub const SUM_IN_LOG: u32 = 1 << 30;
/// In a frame, beside the sum: the sum may already, or still, be in the log as well.
pub const SUM_MAY_BE_IN_LOG: u32 = 1 << 29;

/// The sum of an activation that was in a loop with one way round whose rounds it counted, and had not left
/// it. The number of rounds is not in the record, unless the process ended right after that was logged.
///
/// As a word it is bit 31, the loop's number in bits 16 to 30, and below these the sum at the loop's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The number of the loop (`PathNumbering::ways_round`).
    pub number: u32,
    /// The sum with which the loop was entered.
    pub sum: u32,
}

impl Rounds {
    const MARK: u32 = 1 << 31;
    /// The greatest number of a loop.
    pub const NUMBER_MAX: u32 = 0x7FFF;

    /// The meaning of a word that is no plain sum.
    pub fn of_word(word: u32) -> Option<Self> {
        (word & Self::MARK != 0)
            .then_some(Rounds { number: word >> 16 & Self::NUMBER_MAX, sum: word & 0xFFFF })
    }

    /// The word.
    ///
    /// # Panics
    /// If the loop's number is greater than `NUMBER_MAX` or the sum greater than `NARROW_MAX`.
    pub fn word(self) -> u32 {
        assert!(self.number <= Self::NUMBER_MAX && self.sum <= NARROW_MAX, "{self:?}");
        Self::MARK | self.number << 16 | self.sum
    }
}

/// The meaning of a unit, with the value that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A path ended on a cut edge.
    Path(u32),
    /// A path ended in a return.
    Return(u32),
    /// A function was entered.
    Enter(u32),
    /// The innermost function was left without returning, with this path sum.
    Abandoned(u32),
    /// The path of the innermost function broke off with this sum; control is where `setjmp` returns.
    JumpedBack(u32),
    /// The thread created its child with this number.
    Created(u32),
    /// Clock ticks before a timed call, or after it if it is one that [waits](super::Stamp::After).
    BeforeCall(u64),
    /// The path before was taken this many times more.
    Again(u32),
    /// The path of the innermost function took rounds of a loop.
    Rounds {
        /// The number of the loop.
        number: u32,
        /// How often.
        times: u32,
    },
    /// The log's beginning is lost, and this many functions are active that are not recorded.
    Outer(u32),
    /// This function is active where the log begins.
    Active(u32),
    /// The path before is in this loop, and not complete: the log ends here.
    InLoop(u32),
    /// Recording stopped.
    Stopped,
    /// The thread ended.
    Ended,
}

/// A unit that means nothing in this version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unit {position} of the log is {unit:#06x}, which means nothing")]
pub struct UnknownUnit {
    /// Where it stands, counted in units.
    pub position: usize,
    /// The unit.
    pub unit: u16,
}

/// The events of a log in order; a value cut off by the end of the log ends it.
pub struct Events<'a> {
    units: &'a [u16],
    position: usize,
    ticks: u64,
    /// The loop whose rounds are reported next.
    number: u32,
    is_over: bool,
}

impl<'a> Events<'a> {
    /// Events of a log whose thread started when the clock stood at `started`.
    pub fn new(units: &'a [u16], started: u64) -> Self {
        Events { units, position: 0, ticks: started, number: 0, is_over: false }
    }

    /// How many units the events so far took.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether there are units after the one that ended the log.
    pub fn goes_on(&self) -> bool {
        self.is_over && self.position < self.units.len()
    }

    fn value(&mut self, units: usize) -> Option<u64> {
        let parts = self.units.get(self.position + 1..self.position + 1 + units)?;
        self.position += 1 + units;
        Some(parts.iter().rev().fold(0, |value, &part| value << 16 | u64::from(part)))
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event, UnknownUnit>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        loop {
            let unit = *self.units.get(self.position)?;
            let narrow = u32::from(unit & 0x3FFF);
            let event = match unit {
                0 => return None,
                1..RETURN => Event::Path(narrow - 1),
                RETURN..ENTER => Event::Return(narrow),
                ENTER..PADDING => Event::Enter(narrow),
                PADDING => {
                    self.position += 1;
                    continue;
                }
                STOPPED => Event::Stopped,
                ENDED => Event::Ended,
                TICKS => {
                    self.ticks = self.value(4)?;
                    continue;
                }
                AGAIN..=AGAIN_LAST if unit != AGAIN => Event::Again(u32::from(unit - AGAIN)),
                ROUNDS..=ROUNDS_LAST => {
                    let (number, times) =
                        ((unit - ROUNDS) / ROUNDS_IN_UNIT, (unit - ROUNDS) % ROUNDS_IN_UNIT);
                    Event::Rounds { number: u32::from(number), times: u32::from(times) }
                }
                IN_LOOP..=IN_LOOP_LAST => {
                    self.is_over = true;
                    Event::InLoop(u32::from(unit - IN_LOOP))
                }
                ROUNDS_OF => {
                    self.number = self.value(2)? as u32;
                    continue;
                }
                WIDE_PATH..=OUTER | ACTIVE | ROUNDS_OFTEN => {
                    let value = self.value(2)? as u32;
                    return Some(Ok(match unit {
                        WIDE_PATH => Event::Path(value),
                        WIDE_RETURN => Event::Return(value),
                        WIDE_ENTER => Event::Enter(value),
                        ABANDONED => Event::Abandoned(value),
                        JUMPED_BACK => Event::JumpedBack(value),
                        CREATED => Event::Created(value),
                        OUTER => Event::Outer(value),
                        ROUNDS_OFTEN => Event::Rounds { number: self.number, times: value },
                        ACTIVE => Event::Active(value),
                        _ => {
                            self.ticks = self.ticks.wrapping_add(u64::from(value));
                            Event::BeforeCall(self.ticks)
                        }
                    }));
                }
                _ => {
                    let position = self.position;
                    self.position = self.units.len();
                    return Some(Err(UnknownUnit { position, unit }));
                }
            };
            self.position += 1;
            return Some(Ok(event));
        }
    }
}

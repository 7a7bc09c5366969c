//! Which attempt comes when: one anytime schedule of restarts and doubling widths, and how large each is.
//!
//! How much an attempt takes is not known beforehand. Beams come in rounds: in each, widths double from the
//! least one, and the next round goes one further. So no width costs more than all before it. Steps of
//! depth-first attempts follow the sequence of Luby, Sinclair and Zuckerman (1993). It is at most a
//! logarithmic factor slower than the best fixed limit would be.

use super::beam::Width;
use super::limits::{ALIKE, DEEP_ALONE, LEAST_WIDTH, ROUNDS_ALONE, WIDTHS};

/// How many attempts come before the orders that single locations allow are computed. That takes longer than
/// most traces need.
pub(super) fn attempts_alone(has_beams: bool) -> u64 {
    let attempts_in = |round| beams_in(round) + 1;
    if has_beams { (0..ROUNDS_ALONE).map(attempts_in).sum() } else { DEEP_ALONE }
}

/// How many beams a round has: two of each width.
fn beams_in(round: u64) -> u64 {
    2 * (WIDTHS + round)
}

/// The round that the attempt with a number is in, and its number there.
fn round_of(number: u64) -> (u64, u64) {
    let (mut round, mut number) = (0, number);
    while number > beams_in(round) {
        number -= beams_in(round) + 1;
        round += 1;
    }
    (round, number)
}

/// The width of the beam that is the attempt with a number; none where one is depth-first, at the end of a
/// round.
pub(super) fn beam(number: u64) -> Option<Width> {
    let (round, number) = round_of(number);
    let all = LEAST_WIDTH << (number / 2);
    let alike = if number.is_multiple_of(2) { all } else { all.div_ceil(ALIKE) };
    (number < beams_in(round)).then_some(Width { all, alike })
}

/// Which of the depth-first attempts an attempt is, and how many times the least steps it takes.
pub(super) fn depth_first(number: u64, has_beams: bool) -> (u64, u64) {
    let number = if has_beams { round_of(number).0 } else { number };
    (number, luby(number))
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, ..., from its first member on.
fn luby(number: u64) -> u64 {
    let (mut number, mut size) = (number, 1_u64);
    while size < number + 1 {
        size = 2 * size + 1;
    }
    while size - 1 != number {
        size /= 2;
        number %= size;
    }
    size.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_double_until_a_depth_first_attempt_ends_the_round() {
        let first = beams_in(0);
        let widths: Vec<Option<usize>> =
            (0..=first + 1).map(|one| beam(one).map(|width| width.all)).collect();
        assert_eq!(widths[..4], [50, 50, 100, 100].map(Some));
        assert_eq!(widths[first as usize - 1..], [Some(LEAST_WIDTH << (WIDTHS - 1)), None, Some(50)]);
        assert_eq!([first, 2 * first + 3].map(|one| depth_first(one, true).0), [0, 1]);
        assert_eq!(beam(attempts_alone(true) - 1), None);
        assert_eq!(depth_first(attempts_alone(true), true).0, ROUNDS_ALONE);
    }

    #[test]
    fn attempts_grow_slowly() {
        let first: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}

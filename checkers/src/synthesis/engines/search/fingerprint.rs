//! Fingerprints of states, of 128 bits.

use std::hash::Hasher;

/// The fingerprint of a part of a state: of 2^64 such parts in one walk two collide.
pub(super) fn fingerprint(part: impl FnOnce(&mut Fingerprint)) -> u128 {
    let mut hasher = Fingerprint { lanes: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344] };
    part(&mut hasher);
    let [high, low] = hasher.lanes.map(|lane| u128::from(fold(lane, MULTIPLIERS[2])));
    high << 64 | low
}

/// Hashes in two ways at once.
pub(super) struct Fingerprint {
    lanes: [u64; 2],
}

/// Odd numbers with no pattern, the digits of pi.
const MULTIPLIERS: [u64; 3] = [0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89, 0x4528_21e6_38d0_1377];

/// Both halves of the product, each bit of which depends on all bits of the factors.
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        self.write_u64(bytes.len() as u64);
    }

    fn write_u64(&mut self, word: u64) {
        let [one, other] = self.lanes;
        self.lanes = [fold(one ^ word, MULTIPLIERS[0]), fold(other.rotate_left(23) ^ word, MULTIPLIERS[1])];
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.lanes[0] ^ self.lanes[1]
    }
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use std::collections::HashSet;
    use std::hash::Hash;

    #[test]
    fn small_differences_change_either_half() {
        let parts = || (0..64u64).flat_map(|one| (0..64u64).map(move |other| (one, other, [one as u8; 3])));
        let all: HashSet<u128> = parts().map(|part| fingerprint(|hasher| part.hash(hasher))).collect();
        let low: HashSet<u64> = all.iter().map(|one| *one as u64).collect();
        let high: HashSet<u64> = all.iter().map(|one| (*one >> 64) as u64).collect();
        assert_eq!([all.len(), low.len(), high.len()], [64 * 64; 3]);
        let bits: u32 = all.iter().map(|one| one.count_ones()).sum();
        assert!((63..=65).contains(&(bits / (64 * 64))), "{bits} ones in 4,096 numbers of 128");
    }
}

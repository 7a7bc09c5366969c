//! Values that memory takes apart into bytes come back as they were.

use symx_expr::{Term, Terms};

struct Fixture {
    terms: Terms,
    x: Term,
    y: Term,
    c: Term,
}

fn fixture() -> Fixture {
    let terms = Terms::new();
    let (x, y, c) = (terms.symbol("x", 32), terms.symbol("y", 32), terms.symbol("c", 1));
    Fixture { terms, x, y, c }
}

fn bytes(terms: &Terms, value: Term) -> Vec<Term> {
    (0..terms.width(value) / 8).map(|i| terms.extract(value, 8 * i, 8)).collect()
}

#[track_caller]
fn assert_same(terms: &Terms, joined: Term, value: Term) {
    assert_eq!(terms.display(joined).to_string(), terms.display(value).to_string());
    assert_eq!(joined, value);
}

#[test]
fn loading_what_was_stored_gives_the_same_term() {
    let Fixture { terms, x, y, c } = fixture();
    let values = [
        terms.add(x, y),
        terms.xor(terms.shift_left(x, terms.constant(32, 3)), y),
        terms.if_then_else(c, x, y),
        terms.if_then_else(c, terms.constant(32, 0x1234), terms.constant(32, 0x8000_0001)),
        terms.zero_extend(c, 32),
        terms.sign_extend(c, 32),
        terms.sign_extend(terms.extract(x, 0, 8), 32),
        terms.sign_extend(terms.extract(x, 3, 16), 32),
        terms.sign_extend(x, 64),
        terms.zero_extend(terms.extract(y, 5, 11), 32),
        terms.constant(32, 0xdead_beef),
    ];
    for value in values {
        let bytes = bytes(&terms, value);
        let from_low = bytes.iter().skip(1).fold(bytes[0], |low, byte| terms.concat(*byte, low));
        assert_same(&terms, from_low, value);
        let mut from_high = bytes.iter().rev();
        let top = *from_high.next().unwrap();
        assert_same(&terms, from_high.fold(top, |high, byte| terms.concat(high, *byte)), value);
    }
}

#[test]
fn joining_by_shifts_gives_the_same_term() {
    let Fixture { terms, x, y, c } = fixture();
    let values = [
        terms.multiply(x, y),
        terms.if_then_else(c, x, y),
        terms.if_then_else(c, terms.constant(32, 0x1234), terms.constant(32, 0x8000_0001)),
        terms.zero_extend(c, 32),
        terms.sign_extend(c, 32),
        terms.zero_extend(terms.extract(y, 5, 11), 32),
    ];
    for value in values {
        for join in [Terms::or, Terms::add, Terms::xor] {
            let joined = bytes(&terms, value).into_iter().zip(0..).fold(terms.zero(32), |sum, (byte, i)| {
                let placed = terms.shift_left(terms.zero_extend(byte, 32), terms.constant(32, 8 * i));
                join(&terms, sum, placed)
            });
            assert_same(&terms, joined, value);
        }
    }
}

#[test]
fn overwriting_a_byte_keeps_the_others() {
    let Fixture { terms, x, y, .. } = fixture();
    let mut cells = bytes(&terms, x);
    cells[1] = terms.extract(y, 0, 8);
    let word = cells[1..].iter().fold(cells[0], |low, byte| terms.concat(*byte, low));
    assert_same(&terms, terms.extract(word, 16, 16), terms.extract(x, 16, 16));
    assert_same(&terms, terms.extract(word, 8, 8), terms.extract(y, 0, 8));
    assert_same(&terms, terms.extract(word, 0, 8), terms.extract(x, 0, 8));
}

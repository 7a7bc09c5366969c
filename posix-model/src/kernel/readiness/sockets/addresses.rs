//! Addresses of sockets: a `struct sockaddr` as programs give it, made normal.

use crate::answer::PosixCall;
use crate::errno::{EAFNOSUPPORT, EINVAL};
use crate::file_names_as_text::file_name_text;
use crate::kernel::nodes::events::touched_at;
use crate::kernel::nodes::paths::Resolved;
use crate::kernel::nodes::socket::{Address, Family};
use std::sync::Arc;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Footprint;

/// Longest local address.
const LONGEST_LOCAL: usize = 110;
/// Where the host begins in an address of the internet, before which the port is.
const HOST: usize = 4;
const HOST_6: usize = 8;
/// An address of version 6 may lack its last field.
const SHORTEST_6: usize = 24;

/// The address of a local socket without a name.
pub(crate) fn nameless() -> Address {
    Arc::from([Family::Local as u8, 0])
}

/// The address of a local socket to which the kernel gives a name: an abstract one of five digits.
pub(crate) fn numbered(number: u32) -> Address {
    let mut bytes = vec![Family::Local as u8, 0, 0];
    bytes.extend(format!("{number:05x}").bytes());
    bytes.into()
}

/// The host that denotes this machine, at `port`; with `any`, the one that denotes all its addresses.
pub(crate) fn of_this_machine(family: Family, port: u16, any: bool) -> Address {
    let mut bytes = vec![0; family.extent()];
    bytes[0] = family as u8;
    bytes[2..4].copy_from_slice(&port.to_be_bytes());
    match family {
        Family::Internet if !any => bytes[HOST..HOST + 4].copy_from_slice(&[127, 0, 0, 1]),
        Family::Internet6 if !any => bytes[HOST_6 + 15] = 1,
        _ => {}
    }
    bytes.into()
}

/// The address as a socket of `family` takes it, or the error of its being none.
pub(crate) fn normal(family: Family, given: &[u8]) -> Result<Address, i32> {
    let named = given.get(..2).map(|named| u16::from_le_bytes([named[0], named[1]]));
    if family == Family::Local {
        return match named {
            Some(1) if given.len() <= LONGEST_LOCAL => Ok(normal_local(given)),
            _ => Err(EINVAL),
        };
    }
    let least = if family == Family::Internet6 { SHORTEST_6 } else { family.extent() };
    if given.len() < least {
        return Err(EINVAL);
    }
    if named != Some(family as u16) {
        return Err(EAFNOSUPPORT);
    }
    let mut bytes = given.to_vec();
    bytes.resize(family.extent(), 0);
    match family {
        // The bytes after the host mean nothing.
        Family::Internet => bytes[HOST + 4..].fill(0),
        _ => bytes[4..HOST_6].fill(0),
    }
    Ok(bytes.into())
}

fn normal_local(given: &[u8]) -> Address {
    match given.get(2) {
        None | Some(0) => given.into(),
        Some(_) => {
            let mut bytes: Vec<u8> = given[..2].to_vec();
            bytes.extend(given[2..].iter().take_while(|byte| **byte != 0));
            bytes.push(0);
            bytes.into()
        }
    }
}

/// The path of a local address; `None` if it is abstract.
pub(crate) fn path(address: &[u8]) -> Option<&[u8]> {
    match address.get(2..) {
        Some([0, ..]) | Some([]) | None => None,
        Some(path) => path.strip_suffix(&[0]).or(Some(path)),
    }
}

/// What binding to (`creates`) or looking up an address touches besides the addresses of sockets: names on
/// the way to a path.
pub(crate) fn touched_names(call: &mut PosixCall<'_, '_>, address: &[u8], creates: bool) -> Footprint {
    let is_local = address.starts_with(&(Family::Local as u16).to_le_bytes());
    let Some(path) = path(address).filter(|_| is_local).map(file_name_text) else { return Footprint::new() };
    let host = call.environment().options().host.clone();
    let kernel = &mut call.data().kernel;
    let (directory, mut looked) = (kernel.own.directory.clone(), Vec::new());
    let found = kernel.files.resolve_noting(&*host, &directory, &path, !creates, &mut looked);
    let resolved = Resolved::new(found, looked);
    let mut footprint = if creates { resolved.changed() } else { resolved.touched() };
    if creates && let Ok(found) = &resolved.found {
        footprint.extend(touched_at(&call.state().data.kernel, &found.path, found.node));
    }
    footprint
}

/// The port of an address of the internet.
pub(crate) fn port(address: &[u8]) -> u16 {
    address.get(2..4).map_or(0, |port| u16::from_be_bytes([port[0], port[1]]))
}

/// The same address with another port.
pub(crate) fn with_port(address: &[u8], port: u16) -> Address {
    let mut bytes = address.to_vec();
    bytes[2..4].copy_from_slice(&port.to_be_bytes());
    bytes.into()
}

fn host(address: &[u8]) -> &[u8] {
    match address.first() {
        Some(10) => &address[HOST_6..HOST_6 + 16],
        _ => &address[HOST..HOST + 4],
    }
}

/// Whether an address of the internet denotes all of the machine's.
pub(crate) fn is_any(address: &[u8]) -> bool {
    host(address).iter().all(|byte| *byte == 0)
}

/// Whether an address of the internet is one of this machine's own, as far as these are known.
pub(crate) fn is_of_this_machine(address: &[u8]) -> bool {
    match host(address) {
        [127, ..] if address[0] == Family::Internet as u8 => true,
        host => is_any(address) || host.len() == 16 && host[..15] == [0; 15] && host[15] == 1,
    }
}

/// Whether an address of version 6 denotes one of version 4.
pub(crate) fn is_mapped(address: &[u8]) -> bool {
    let host = host(address);
    host[..10] == [0; 10] && host[10..12] == [255, 255]
}

/// An address to send to or to come from: all of the machine's addresses are its loopback.
pub(crate) fn concrete(family: Family, address: &Address) -> Address {
    match family {
        Family::Local => address.clone(),
        _ if is_any(address) => of_this_machine(family, port(address), false),
        _ => address.clone(),
    }
}

/// Whether a message to `wanted` reaches a socket bound to `own`.
pub(crate) fn reaches(family: Family, wanted: &Address, own: &Address) -> bool {
    match family {
        Family::Local => wanted == own,
        _ => port(wanted) == port(own) && (is_any(own) || concrete(family, wanted) == *own),
    }
}

/// Whether two sockets cannot both be bound to these addresses.
pub(crate) fn overlap(family: Family, one: &Address, other: &Address) -> bool {
    reaches(family, one, other) || family != Family::Local && port(one) == port(other) && is_any(one)
}

/// The bytes that a call gives as an address: where, and how many. Those that mean nothing may be unwritten,
/// and count as zeros.
pub(crate) fn given(call: &mut PosixCall<'_, '_>, address: u64, length: u64) -> Result<Vec<u8>, Stop> {
    let length = length.min(128);
    if !call.has_symbolic(address, length)? {
        return call.read_bytes(address, length);
    }
    let mut bytes = Vec::new();
    for at in 0..length {
        let counts = next_counts(&bytes);
        bytes.push(if counts { call.read_number(address + at, 1)? as u8 } else { 0 });
    }
    Ok(bytes)
}

/// Whether the byte after these of an address means anything.
fn next_counts(given: &[u8]) -> bool {
    let Some((family, rest)) = given.split_at_checked(2) else { return true };
    let family = u16::from_le_bytes([family[0], family[1]]);
    let is = |known: Family| family == known as u16;
    match rest {
        _ if is(Family::Internet) => given.len() < HOST + 4,
        // What is between the port and the host is the flow.
        _ if is(Family::Internet6) => !(4..HOST_6).contains(&given.len()),
        [first, path @ ..] if is(Family::Local) && *first != 0 => !path.contains(&0),
        _ => true,
    }
}

/// Stores an address, as far as there is `room`.
pub(crate) fn put_cut(
    call: &mut PosixCall<'_, '_>,
    value: &[u8],
    address: u64,
    room: u64,
) -> Result<(), Stop> {
    call.write_bytes(address, &value[..value.len().min(room as usize)])
}

/// Stores an address, as far as there is room, and its length.
pub(crate) fn put(call: &mut PosixCall<'_, '_>, value: &[u8], address: u64, length: u64) -> Result<(), Stop> {
    if address == 0 {
        return Ok(());
    }
    let room = call.read_number(length, 4)?;
    put_cut(call, value, address, room)?;
    call.write(length, 4, Value::Concrete(value.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_after_a_host_or_a_path_mean_nothing() {
        let counting = |given: &[u8]| (0..given.len()).filter(|at| next_counts(&given[..*at])).count();
        assert_eq!(counting(&[2, 0, 0, 80, 127, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9]), HOST + 4);
        assert_eq!(counting(&of_this_machine(Family::Internet6, 80, false)), 24);
        assert_eq!(counting(b"\x01\0/s\0rest"), 5);
        assert_eq!(counting(b"\x01\0\0a\0b"), 6);
    }

    #[test]
    fn a_path_ends_with_a_zero_and_an_abstract_name_is_kept() {
        let path_given = normal(Family::Local, b"\x01\0/tmp/s").unwrap();
        assert_eq!(&*path_given, b"\x01\0/tmp/s\0");
        assert_eq!(normal(Family::Local, b"\x01\0/tmp/s\0rest").unwrap(), path_given);
        assert_eq!(path(&path_given), Some(&b"/tmp/s"[..]));
        let hidden = normal(Family::Local, b"\x01\0\0ab\0").unwrap();
        assert_eq!((&*hidden, path(&hidden)), (&b"\x01\0\0ab\0"[..], None));
        assert_eq!(normal(Family::Local, b"\x02\0\0"), Err(EINVAL));
        assert_eq!((&*numbered(0xab), path(&numbered(0xab))), (&b"\x01\0\x00000ab"[..], None));
    }

    #[test]
    fn any_address_is_reached_by_each_and_one_by_itself() {
        for family in [Family::Internet, Family::Internet6] {
            let [one, any] = [false, true].map(|any| of_this_machine(family, 80, any));
            assert!(
                reaches(family, &one, &any) && reaches(family, &any, &one) && overlap(family, &any, &one)
            );
            assert!(!reaches(family, &with_port(&one, 81), &any) && is_of_this_machine(&one));
        }
        let [first, second] = [1, 2].map(|last| {
            normal(Family::Internet, &[2, 0, 0, 80, 127, 0, 0, last, 9, 0, 0, 0, 0, 0, 0, 0]).unwrap()
        });
        assert!(!reaches(Family::Internet, &first, &second) && !overlap(Family::Internet, &first, &second));
    }
}

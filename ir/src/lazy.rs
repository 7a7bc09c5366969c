//! Values that stay encoded until someone asks for them: of a library, a program uses a small part.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use std::sync::OnceLock;

/// A value that was made here, or was read and is decoded when it is first looked at.
#[derive(Clone)]
pub struct Lazy<T> {
    value: OnceLock<T>,
    /// The bytes read; empty if the value was made here.
    encoded: Box<[u8]>,
}

/// The bytes read are no such value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("garbled data")]
pub struct Garbled;

impl<T: Default> Default for Lazy<T> {
    fn default() -> Self {
        Self { value: T::default().into(), encoded: Box::default() }
    }
}

impl<T: DeserializeOwned> Lazy<T> {
    /// The value.
    pub fn get(&self) -> Result<&T, Garbled> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = postcard::from_bytes(&self.encoded).map_err(|_| Garbled)?;
        Ok(self.value.get_or_init(|| value))
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self { value: value.into(), encoded: Box::default() }
    }
}

/// # Panics
/// If what was read is garbled: [`Lazy::get`] returns the error.
impl<T: DeserializeOwned> std::ops::Deref for Lazy<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.get().expect("looked at with `get` when it was read")
    }
}

impl<T: DeserializeOwned + PartialEq> PartialEq for Lazy<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: DeserializeOwned + std::fmt::Debug> std::fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: Serialize> Serialize for Lazy<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value.get() {
            Some(value) => {
                let encoded = postcard::to_stdvec(value).map_err(serde::ser::Error::custom)?;
                serializer.serialize_bytes(&encoded)
            }
            None => serializer.serialize_bytes(&self.encoded),
        }
    }
}

impl<'de, T> Deserialize<'de> for Lazy<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Box<[u8]>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an encoded value")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(bytes.into())
            }
        }
        let encoded = deserializer.deserialize_bytes(Bytes)?;
        Ok(Self { value: OnceLock::new(), encoded })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_encoding_and_reports_garbled_data() {
        let list: Vec<Lazy<String>> = vec![String::from("first").into(), String::from("second").into()];
        let mut bytes = postcard::to_stdvec(&list).expect("encodes");
        let read: Vec<Lazy<String>> = postcard::from_bytes(&bytes).expect("decodes");
        assert_eq!(read, list);
        // Unread values are encoded as they came.
        let unread: Vec<Lazy<String>> = postcard::from_bytes(&bytes).expect("decodes");
        assert_eq!(postcard::to_stdvec(&unread).expect("encodes"), bytes);
        *bytes.last_mut().expect("not empty") = 0xff;
        let garbled: Vec<Lazy<String>> = postcard::from_bytes(&bytes).expect("the list itself is whole");
        assert_eq!(garbled[0].get().map(String::as_str), Ok("first"));
        assert_eq!(garbled[1].get(), Err(Garbled));
    }
}

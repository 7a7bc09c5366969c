//! The object of a step as JSON has it: `"object": "i of worker", "in_source": "i"`. The part that the source
//! has is left out if it is all.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use symx_ir::SourceName;

#[derive(Serialize, Deserialize)]
struct WrittenObject<'n> {
    object: Cow<'n, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_source: Option<Cow<'n, str>>,
}

pub(super) fn serialize<S: Serializer>(name: &SourceName, serializer: S) -> Result<S::Ok, S::Error> {
    let in_source = partly_in_source(name).map(Cow::Borrowed);
    WrittenObject { object: Cow::Borrowed(name), in_source }.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SourceName, D::Error> {
    let WrittenObject { object, in_source } = WrittenObject::deserialize(deserializer)?;
    read(object.into_owned(), in_source.as_deref()).map_err(D::Error::custom)
}

/// What the source has of a name, if that is not all of it.
pub(super) fn partly_in_source(name: &SourceName) -> Option<&str> {
    (name.in_source().len() < name.len()).then(|| name.in_source())
}

/// The name that was written. An error is what is wrong.
pub(super) fn read(name: String, in_source: Option<&str>) -> Result<SourceName, String> {
    let Some(in_source) = in_source else { return Ok(SourceName::expression(name)) };
    SourceName::beginning(&*name, in_source)
        .ok_or_else(|| format!("`{name}` does not begin with `{in_source}`"))
}

//! Names of objects as the contract has them: strings.

use serde::{Deserialize, Deserializer, Serializer};
use symx_ir::SourceName;

pub(super) mod one {
    use super::*;

    pub fn serialize<S: Serializer>(name: &SourceName, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SourceName, D::Error> {
        String::deserialize(deserializer).map(SourceName::expression)
    }
}

pub(super) mod each {
    use super::*;

    pub fn serialize<S: Serializer>(names: &[SourceName], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(names.iter().map(|name| &**name))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SourceName>, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        Ok(names.into_iter().map(SourceName::expression).collect())
    }
}

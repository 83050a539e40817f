//! Finds duplicate keys in JSON or YAML: most readers silently use the last value.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::names::short;

/// A value without duplicate keys at any depth. Its content is dropped.
///
/// Deserialize a text as this type too, because other types silently drop duplicate keys.
pub struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<UniqueKeys>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("'{}' stands there twice", short(&key))));
            }
            map.next_value::<UniqueKeys>()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_stands_twice_is_found_at_any_depth() {
        let json = |text: &str| serde_json::from_str::<UniqueKeys>(text).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(json(r#"[{"a": 1, "b": [true, null, "a", -2, 0.5]}, {"a": {"a": {}}}]"#), Ok(()));
        let flat = json(r#"{"a": 1, "b": 2, "a": 1}"#).unwrap_err();
        assert!(flat.starts_with("'a' stands there twice at line 1 column "), "{flat}");
        assert!(json(r#"[{"b": {"c": [{"\u0061": 1, "a": 2}]}}]"#).unwrap_err().starts_with("'a' stands there twice"));
        let yaml = |text: &str| serde_yaml::from_str::<UniqueKeys>(text).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(yaml("{a: 1, b: .nan, c: [2, x], d: }"), Ok(()));
        assert!(yaml("a: 1\nb: 2\na: 3\n").unwrap_err().contains("'a' stands there twice"));
    }
}

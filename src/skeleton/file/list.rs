//! A list in a file, whose entries are checked one after the other while the reader still knows their line.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::error::{ModelError, refused, refused_by_reader};
use crate::yaml::yaml_reader;

/// Reads the list under `key` and hands each entry to `visit`. Where that finds something wrong, the error has the line of the entry.
pub(super) fn for_each<T, F>(text: &str, key: &str, visit: F) -> Result<(), ModelError>
where
    T: for<'de> Deserialize<'de>,
    F: FnMut(T) -> Result<(), String>,
{
    let reader = yaml_reader(text).map_err(refused)?;
    let mut entry = Entry { visit, refusal: None, kind: PhantomData };
    Document(key, &mut entry).deserialize(reader).map_err(|e| {
        let refused = refused_by_reader(&e);
        // What `visit` said names the entry better than the reader does.
        ModelError { reason: entry.refusal.unwrap_or(refused.reason), ..refused }
    })
}

/// The whole file, the key of the list, and what is done with its entries.
struct Document<'a, T, F>(&'a str, &'a mut Entry<T, F>);
/// The list.
struct List<'a, T, F>(&'a mut Entry<T, F>);
/// An entry: a text or a mapping.
struct Entry<T, F> {
    visit: F,
    /// Why it was refused.
    refusal: Option<String>,
    kind: PhantomData<T>,
}

impl<T, F: FnMut(T) -> Result<(), String>> Entry<T, F> {
    fn visit<E: Error>(&mut self, entry: T) -> Result<(), E> {
        (self.visit)(entry).map_err(|reason| {
            let error = E::custom(&reason);
            self.refusal = Some(reason);
            error
        })
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de> for Document<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for Document<'_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0 {
                map.next_value_seed(List(self.1))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de> for List<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for List<'_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(&mut *self.0)?.is_some() {}
        Ok(())
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de> for &mut Entry<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for &mut Entry<T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping or a name")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.visit(T::deserialize(MapAccessDeserializer::new(map))?)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.visit(T::deserialize(name.into_deserializer())?)
    }
}

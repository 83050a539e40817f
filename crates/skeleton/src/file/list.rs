//! Values in a file that are checked one after the other while the reader still knows their line.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use super::error::{ModelError, refused, refused_by_reader};
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_text::names::short;
use urdf_ik_text::yaml::yaml_reader;

/// What is done with an entry.
type Visit<'a, T> = &'a mut dyn FnMut(T) -> Result<(), InputError>;

/// Reads the list under `key` and hands each entry to `visit`. Where that finds something wrong, the error has the line of the entry.
pub(super) fn for_each<T: DeserializeOwned>(text: &str, key: &str, visit: Visit<T>) -> Result<(), ModelError> {
    let mut entry = Entry { visit, refusal: None };
    let read = read(text, key, List(&mut entry));
    entry.outcome(read)
}

/// Reads the value under `key`, if there is one, and hands it to `visit`, with errors as [`for_each`].
pub(super) fn for_value<T: DeserializeOwned>(text: &str, key: &str, visit: Visit<T>) -> Result<(), ModelError> {
    let mut entry = Entry { visit, refusal: None };
    let read = read(text, key, &mut entry);
    entry.outcome(read)
}

fn read<'de>(text: &'de str, key: &str, value: impl DeserializeSeed<'de, Value = ()>) -> Result<(), ModelError> {
    let reader = yaml_reader(text).map_err(refused)?;
    Document(key, Some(value)).deserialize(reader).map_err(|e| refused_by_reader(&e))
}

/// The whole file, a key, and what is done with its value.
struct Document<'a, S>(&'a str, Option<S>);
/// A key that is none of those before it.
struct Key<'a>(&'a mut HashSet<String>);
/// The list.
struct List<'a, 'v, T>(&'a mut Entry<'v, T>);
/// An entry: a text or a mapping.
struct Entry<'v, T> {
    visit: Visit<'v, T>,
    /// Why it was refused.
    refusal: Option<InputError>,
}

impl<T> Entry<'_, T> {
    fn visit<E: Error>(&mut self, entry: T) -> Result<(), E> {
        (self.visit)(entry).map_err(|reason| {
            let error = E::custom(&reason);
            self.refusal = Some(reason);
            error
        })
    }

    /// What came of reading. What `visit` said names the entry better than the reader does.
    fn outcome(self, read: Result<(), ModelError>) -> Result<(), ModelError> {
        let reason = self.refusal.map(|refusal| refusal.to_string());
        read.map_err(|refused| ModelError { reason: reason.unwrap_or(refused.reason), ..refused })
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> DeserializeSeed<'de> for Document<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> Visitor<'de> for Document<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping with segments")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key_seed(Key(&mut keys))? {
            match self.1.take_if(|_| key == self.0) {
                Some(value) => map.next_value_seed(value)?,
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<String, E> {
        let is_new = self.0.insert(key.to_owned());
        if is_new { Ok(key.to_owned()) } else { Err(E::custom(format!("there is a second key `{}`", short(key)))) }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for List<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(&mut *self.0)?.is_some() {}
        Ok(())
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for &mut Entry<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for &mut Entry<'_, T> {
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

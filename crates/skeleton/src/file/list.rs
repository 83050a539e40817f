//! Checks entries of a YAML file one by one during parsing, so that errors have the line of the entry.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};

use super::error::{ModelError, refused, refused_by_reader};
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_text::CheckedText;
use urdf_ik_text::names::short;
use urdf_ik_text::yaml::yaml_reader;

/// Called for an entry.
type Visit<'a, T> = &'a mut dyn FnMut(T) -> Result<(), InputError>;

/// Parses the list under `key` and calls `visit` for each entry. If `visit` fails, the error has the line of the entry.
pub(super) fn for_each<T: DeserializeOwned>(text: &str, key: &str, visit: Visit<T>) -> Result<(), ModelError> {
    read(text, key, EntrySeed { visit, refusal: None, is_list: true })
}

/// Parses the value under `key` and converts it; errors as for [`for_each`]. `None` if there is no such key.
pub(super) fn value<T: DeserializeOwned, V>(
    text: &str,
    key: &str,
    convert: impl Fn(T) -> Result<V, InputError>,
) -> Result<Option<V>, ModelError> {
    let mut found = None;
    let visit = &mut |entry| {
        found = Some(convert(entry)?);
        Ok(())
    };
    read(text, key, EntrySeed { visit, refusal: None, is_list: false })?;
    Ok(found)
}

fn read<T: DeserializeOwned>(text: &str, key: &str, mut entry: EntrySeed<T>) -> Result<(), ModelError> {
    let reader = yaml_reader(text).map_err(refused)?;
    Document(key, Some(&mut entry)).deserialize(reader).map_err(|error| {
        let refused = refused_by_reader(&error);
        // The message of `visit` is more specific than that of the parser.
        ModelError { reason: entry.refusal.map_or(refused.reason, |refusal| refusal.to_string()), ..refused }
    })
}

/// The document: a key, and the parser of its value.
struct Document<'a, 'v, T>(&'a str, Option<&'a mut EntrySeed<'v, T>>);
/// An entry, which is a string or a mapping; or first the list of all entries.
struct EntrySeed<'v, T> {
    visit: Visit<'v, T>,
    /// Why `visit` refused it.
    refusal: Option<InputError>,
    is_list: bool,
}

impl<T> EntrySeed<'_, T> {
    fn visit<E: Error>(&mut self, entry: T) -> Result<(), E> {
        (self.visit)(entry).map_err(|reason| {
            let error = E::custom(&reason);
            self.refusal = Some(reason);
            error
        })
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Document<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Document<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping with segments")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        let mut check = |key: &str| {
            let is_new = keys.insert(key.to_owned());
            if is_new { Ok(key.to_owned()) } else { Err(format!("there is a second key `{}`", short(key))) }
        };
        while let Some(key) = map.next_key_seed(CheckedText { what: "a key", check: &mut check })? {
            match self.1.take_if(|_| key == self.0) {
                Some(value) => map.next_value_seed(value)?,
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for &mut EntrySeed<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.is_list { deserializer.deserialize_seq(self) } else { deserializer.deserialize_any(self) }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for &mut EntrySeed<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping or a name")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if !std::mem::take(&mut self.is_list) {
            return Err(Error::invalid_type(Unexpected::Seq, &self));
        }
        while list.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.visit(T::deserialize(MapAccessDeserializer::new(map))?)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.visit(T::deserialize(name.into_deserializer())?)
    }
}

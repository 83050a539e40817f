//! JSON from outside: errors in plain words, and objects that are written as such. The reader alone would take an array for an object, its
//! entries in the order of the keys.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use urdf_ik::files::MAX_DATA_BYTES;

use crate::Failure;
use crate::input::{place, read_text};

/// Greatest number of characters of a sentence of the reader: it may quote a long text.
const MAX_SENTENCE: usize = 500;
/// Greatest number of characters of a name in a sentence.
const MAX_NAME: usize = 80;

/// Reads a file.
pub fn read_file<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = read_text(path, MAX_DATA_BYTES)?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {}", place(path), in_words(&e.to_string())).into())
}

/// A sentence of the reader, which calls numbers as Rust does.
pub fn in_words(sentence: &str) -> String {
    let words =
        sentence.replace("expected f64", "expected a number").replace("expected usize", "expected a whole number");
    shown(&words, MAX_SENTENCE)
}

/// A name from outside in a sentence.
pub fn short(name: &str) -> String {
    shown(name, MAX_NAME)
}

/// The beginning of a text. Control characters could move the cursor of a terminal.
fn shown(text: &str, most: usize) -> String {
    let plain = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    text.chars().take(most).map(plain).collect()
}

/// A value that is an object in JSON.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

/// Reads an object.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(Keys(PhantomData))
}

/// Reads an object, or null for none.
pub fn object_or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|object| object.0))
}

/// Targets, an array of objects in JSON. An error names the target by its place, from 1: its point may not have been read yet.
pub struct Targets<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Targets<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        targets(deserializer).map(Self)
    }
}

/// Reads an array of targets.
pub fn targets<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Entries(PhantomData))
}

/// Visits the entries of an array of targets.
struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of targets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Vec<T>, A::Error> {
        let mut targets = Vec::new();
        loop {
            match array.next_element::<Object<T>>() {
                Ok(Some(target)) => targets.push(target.0),
                Ok(None) => return Ok(targets),
                Err(error) => {
                    // Within a target only an array can have too much.
                    let error = error.to_string().replacen("trailing characters", "an array has too many entries", 1);
                    return Err(A::Error::custom(format!("target {}: {error}", targets.len() + 1)));
                }
            }
        }
    }
}

/// Visits the keys of an object.
struct Keys<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Keys<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

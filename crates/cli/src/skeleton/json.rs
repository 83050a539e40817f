//! Strict JSON objects. serde alone would also accept an array with the values of an object.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A value that must be an object in JSON.
#[derive(Clone, Default)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

/// Targets, an array of objects in JSON. An error states the number of the target, counted from 1, because its point
/// may not be known yet.
#[derive(Clone, Default)]
pub struct Targets<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Targets<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(TargetsVisitor(PhantomData)).map(Self)
    }
}

/// Visits the entries of an array of targets.
struct TargetsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TargetsVisitor<T> {
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
                    // Within a target only an array can have trailing characters.
                    let error = error.to_string().replacen("trailing characters", "an array has too many entries", 1);
                    return Err(A::Error::custom(format!("target {}: {error}", targets.len() + 1)));
                }
            }
        }
    }
}

/// Visits the keys of an object.
struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

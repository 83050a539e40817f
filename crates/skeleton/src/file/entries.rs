//! Entries shared by all kinds of files: names, and parents of segments.

use std::ops::Deref;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer};

use urdf_ik_text::CheckedText;

/// The value of an optional key. A key with an empty value is an error: a limit without numbers is a mistake.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Maximum number of characters of a name. Because YAML aliases repeat names cheaply, it bounds the memory of a model.
const MAX_CHARACTERS: usize = 100;

/// A name, checked before it is copied.
#[derive(Clone, Default)]
pub(super) struct Name(String);

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        CheckedText { what: "a name", check: checked_name }.deserialize(deserializer)
    }
}

fn checked_name(text: &str) -> Result<Name, String> {
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        let count = text.chars().count();
        return Err(format!("a name has {count} characters; give at most {MAX_CHARACTERS}"));
    }
    if text.contains(char::is_control) {
        return Err(format!("the name {text:?} has a control character; leave it out"));
    }
    Ok(Name(text.to_owned()))
}

/// The position of a segment in the tree.
#[derive(Deserialize)]
#[serde(expecting = "a segment such as {name: arm, length: 0.3}")]
pub(super) struct LinkEntry {
    #[serde(default)]
    pub name: Name,
    #[serde(default, deserialize_with = "given")]
    pub parent: Option<Name>,
}

//! Names in a file: of its segments and points, and who continues whom.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use urdf_ik_text::names::short;

/// The value of a key that may be left out. A key with nothing after it is not left out: a limit without numbers is a slip.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Greatest number of characters of a name. Aliases repeat a name in the text without repeating its characters, so it bounds what is kept.
const MAX_CHARACTERS: usize = 100;

/// A name. It is checked before it is copied.
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
        deserializer.deserialize_str(Text)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Name, E> {
        if text.chars().nth(MAX_CHARACTERS).is_some() {
            let count = text.chars().count();
            return Err(E::custom(format!("a name has {count} characters; give at most {MAX_CHARACTERS}")));
        }
        if text.contains(char::is_control) {
            return Err(E::custom(format!("the name {text:?} has a control character; leave it out")));
        }
        Ok(Name(text.to_owned()))
    }
}

/// The place of a segment in the tree.
#[derive(Deserialize)]
#[serde(expecting = "a segment such as {name: arm, length: 0.3}")]
pub(super) struct Link {
    #[serde(default)]
    pub name: Name,
    #[serde(default, deserialize_with = "given")]
    pub parent: Option<Name>,
}

/// The names of the points read so far: the root, then the end of each segment, which has the name of its segment.
pub(super) struct Names {
    pub points: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Names {
    pub(super) fn new(root: &str) -> Self {
        Self { points: vec![root.to_owned()], indices: HashMap::from([(root.to_owned(), 0)]) }
    }

    /// Adds the name of the next segment.
    pub(super) fn add(&mut self, name: &str) -> Result<(), String> {
        if name.is_empty() {
            return Err("a segment has an empty name".to_owned());
        }
        let index = self.points.len();
        if let Some(same) = self.indices.insert(name.to_owned(), index) {
            let other = if same == 0 { "the root".to_owned() } else { format!("segment number {same}") };
            return Err(format!("segment number {index} is called '{}', as is {other}", short(name)));
        }
        self.points.push(name.to_owned());
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.indices.get(name).copied()
    }

    /// The point at which segment `name` begins: the one of the name `parent`, or where it has none, the last point so far. `links` are
    /// the segments of the whole file, to tell what is wrong.
    pub(super) fn parent(&self, name: &str, parent: Option<&str>, links: &[Link]) -> Result<usize, String> {
        let Some(parent) = parent else { return Ok(self.points.len() - 1) };
        self.find(parent).ok_or_else(|| {
            let (name, shown) = (short(name), short(parent));
            if is_circle(parent, links) {
                return format!(
                    "segment '{name}' continues '{shown}', which leads in a circle; one must continue the root"
                );
            }
            if links.iter().any(|link| *link.name == *parent) {
                return format!("segment '{name}' continues '{shown}', which comes later; list '{shown}' before it");
            }
            format!(
                "segment '{name}' continues '{shown}', which is neither a segment nor the root '{}'",
                short(&self.points[0])
            )
        })
    }
}

/// Whether the way from the segment `name` towards the root comes back to it.
fn is_circle(name: &str, links: &[Link]) -> bool {
    let parents: HashMap<&str, &str> =
        links.iter().filter_map(|link| Some((&*link.name, link.parent.as_deref()?))).collect();
    let way = std::iter::successors(Some(name), |name| parents.get(name).copied());
    way.take(links.len() + 1).count() > links.len()
}

//! Names of points, and parents of segments.

use std::collections::HashMap;

use super::entries::LinkEntry;
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_text::names::short;

/// The names of the points so far: the root, then the end of each segment, named after the segment.
pub(super) struct PointNames {
    pub points: Vec<String>,
    indices: HashMap<String, usize>,
}

impl PointNames {
    pub(super) fn new(root: &str) -> Self {
        Self { points: vec![root.to_owned()], indices: HashMap::from([(root.to_owned(), 0)]) }
    }

    /// Adds the next segment.
    pub(super) fn add(&mut self, name: &str) -> Result<(), InputError> {
        if name.is_empty() {
            return Err(InputError::model("a segment has an empty name"));
        }
        let index = self.points.len();
        if let Some(same) = self.indices.insert(name.to_owned(), index) {
            let other = if same == 0 { "the root".to_owned() } else { format!("segment number {same}") };
            return Err(InputError::model(format!(
                "segment number {index} is called '{}', as is {other}",
                short(name)
            )));
        }
        self.points.push(name.to_owned());
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.indices.get(name).copied()
    }

    /// The start point of segment `name`: the one named `parent`, or without a name the last point so far. `links` are
    /// all segments of the file, for error messages.
    pub(super) fn parent(&self, name: &str, parent: Option<&str>, links: &[LinkEntry]) -> Result<usize, InputError> {
        let Some(parent) = parent else { return Ok(self.points.len() - 1) };
        self.find(parent).ok_or_else(|| {
            let (name, shown) = (short(name), short(parent));
            let wrong = if is_circle(parent, links) {
                "leads in a circle; one must continue the root".to_owned()
            } else if links.iter().any(|link| *link.name == *parent) {
                format!("comes later; list '{shown}' before it")
            } else {
                format!("is neither a segment nor the root '{}'", short(&self.points[0]))
            };
            InputError::model(format!("segment '{name}' continues '{shown}', which {wrong}"))
        })
    }
}

/// Prefixes an error with the name of its segment.
pub(super) fn in_segment(name: &str, wrong: &InputError) -> InputError {
    InputError::model(format!("segment '{}': {wrong}", short(name)))
}

/// True if the ancestors of the segment `name` form a cycle.
fn is_circle(name: &str, links: &[LinkEntry]) -> bool {
    let parents: HashMap<&str, &str> =
        links.iter().filter_map(|link| Some((&*link.name, link.parent.as_deref()?))).collect();
    let way = std::iter::successors(Some(name), |name| parents.get(name).copied());
    way.take(links.len() + 1).count() > links.len()
}

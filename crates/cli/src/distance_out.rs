//! The distance of two bodies, as the commands write it.

use serde::Serialize;
use urdf_ik::collision::Body;

/// One or two links, the obstacle that is the second body where there is one, and the distance between them \[m\].
#[derive(Serialize)]
pub struct DistanceOut<'a> {
    links: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacle: Option<&'a str>,
    distance: f64,
}

impl<'a> DistanceOut<'a> {
    pub fn new(bodies: &'a [Body; 2], distance: f64) -> Self {
        let (mut links, mut obstacle) = (Vec::new(), None);
        for body in bodies {
            match body {
                Body::Link(name) => links.push(name.as_str()),
                Body::Obstacle(name) | Body::Attached(name) => obstacle = Some(name.as_str()),
            }
        }
        Self { links, obstacle, distance }
    }
}

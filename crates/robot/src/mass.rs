//! The masses of links.

use nalgebra::Vector3;

use super::Robot;
use super::xml::{Element, XmlError, each_element, numbers};
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_text::names;

/// The mass of a link and its centre.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mass {
    /// Mass \[kg\], above 0.
    pub mass: f64,
    /// Centre of mass in the link's frame \[m\].
    pub centre: Vector3<f64>,
}

impl Mass {
    /// Reads the child `mass` or `origin` of an `<inertial>` element. False if it is invalid.
    fn read(&mut self, tag: &str, element: &Element) -> bool {
        if tag == "mass" {
            let value = element.get("value").and_then(numbers).filter(|[mass]| *mass >= 0.0);
            self.mass = value.map_or(0.0, |[mass]| mass);
            value.is_some()
        } else {
            let centre = element.get("xyz").map_or(Some([0.0; 3]), numbers);
            let centre = centre.filter(|centre| centre.iter().all(|entry| entry.abs() <= MAX_COORDINATE));
            self.centre = centre.unwrap_or_default().into();
            centre.is_some()
        }
    }
}

impl Robot {
    /// Sets the masses of the links from the `<inertial>` elements of the URDF `text`. Invalid ones are ignored with a
    /// warning, because only few users need them.
    pub(super) fn set_masses(&mut self, text: &str) -> Result<(), XmlError> {
        let (mut link, mut invalid) = (None, Vec::new());
        each_element(text, 4, |element| {
            match *element.path() {
                [_, "link"] => link = element.get("name").and_then(|name| self.link_index(name)),
                [_, "link", "inertial", tag @ ("mass" | "origin")] => {
                    if let Some(link) = link.map(|link| &mut self.links[link])
                        && !link.mass.get_or_insert_default().read(tag, &element)
                    {
                        invalid.push(link.name.clone());
                    }
                }
                _ => {}
            }
            Ok::<_, XmlError>(())
        })?;
        for link in &mut self.links {
            link.mass = link.mass.filter(|mass| mass.mass > 0.0 && !invalid.contains(&link.name));
        }
        if !invalid.is_empty() {
            invalid.dedup();
            let links = names::list(&invalid);
            self.warnings.push(format!("these links have an invalid mass, which the centre of mass ignores: {links}"));
        }
        Ok(())
    }
}

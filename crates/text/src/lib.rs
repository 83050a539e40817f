//! Text from outside, with care: files of bounded size, YAML that cannot keep its reader busy, duplicate keys, texts
//! that are checked as they are read, enums whose values have names, setters of fields, and names and numbers that
//! become part of a sentence whatever their length.
//!
//! ```
//! use urdf_ik_text::names::{list, number, short};
//!
//! assert_eq!(list(&["shoulder", "elbow"]), "shoulder, elbow");
//! assert_eq!(number(1e300), "1e300");
//! // What comes from outside cannot forge the lines of a log.
//! assert_eq!(short("arm\nerror: none"), "arm\\nerror: none");
//! ```

#![forbid(unsafe_code)]

mod checked_text;
pub mod fields;
pub mod files;
mod malformed;
mod named_values;
pub mod names;
mod setters;
mod unique_keys;
pub mod yaml;

pub use checked_text::CheckedText;
pub use malformed::Malformed;
pub use named_values::UnknownName;
pub use unique_keys::UniqueKeys;

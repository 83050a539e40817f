//! XML: the elements of a text one after the other or as a tree, and a writer.

mod reader;
mod tree;
mod writer;

pub use reader::{Element, XmlError, each_element, numbers};
pub use tree::Tree;
pub use writer::Writer;

//! The parameters of the node: one table that generates declarations, validation and `docs/parameters.md`.
//!
//! ```
//! use urdf_ik_parameters::{TABLE, definition};
//!
//! let rate = definition("publish_rate").expect("it is in the table");
//! assert!(!rate.sentence.is_empty() && TABLE.len() > 20);
//! ```

#![forbid(unsafe_code)]

pub mod config;
mod definition;
mod goal_list;
mod markdown;
mod setting;
mod settings;
mod settings_macro;
mod table;
mod tools;
mod value;
mod workspace;

pub use definition::{Definition, TakesEffect, ValueBounds, Values};
pub use goal_list::{GoalList, read_goals};
pub use markdown::markdown;
pub use setting::{CommandUnits, FromText, JacobianMethod, Motion, OnUnreachable, Reliability, Setting};
pub use table::{
    ClutchScale, ClutchSettings, FabrikSettings, FollowingErrorSettings, JacobianSettings, MaxHandSpeed,
    MoveItServoScale, MoveItServoSettings, NullSpace, PathSettings, ServoSettings, Settings, TABLE, definition,
};
pub use tools::{Tools, unknown_tip};
pub use value::{Refusal, Value};
pub use workspace::Workspace;

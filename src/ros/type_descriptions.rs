//! The service `get_type_description`: describes the types of the node's topics, services and actions by the files
//! that their packages install. r2r exposes no node handle, which the service of rcl needs.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use r2r::type_description_interfaces::msg::{IndividualTypeDescription, TypeDescription, TypeSource};
use r2r::type_description_interfaces::srv::GetTypeDescription::{Request, Response, Service};
use serde::Deserialize;

use super::interface::{self, GET_TYPE_DESCRIPTION};
use super::service_server::answer_each;
use super::spin::Spinner;
use crate::Result;
use urdf_ik_text::names;

/// The types of every action beside its own, and that of a driver.
const OF_ACTIONS: [&str; 3] =
    ["action_msgs/msg/GoalStatusArray", "action_msgs/srv/CancelGoal", "control_msgs/action/FollowJointTrajectory"];

/// A type with the types of its fields, which include the parts of a service or an action.
#[derive(Deserialize)]
struct DescribedType {
    type_description_msg: TypeDescription,
    type_hashes: Vec<TypeHash>,
}

#[derive(Deserialize)]
struct TypeHash {
    type_name: String,
    hash_string: String,
}

/// Creates the service.
pub(crate) fn serve(spinner: &mut Spinner) -> Result {
    let known = Arc::new(OnceLock::new());
    answer_each::<Service, _, _>(spinner, &known, GET_TYPE_DESCRIPTION.name, |known, request| async move {
        let types = known.get_or_init(types_of_node);
        respond(types, &request).unwrap_or_else(|failure_reason| Response { failure_reason, ..Response::default() })
    })
}

/// All installed descriptions of the node's types.
fn types_of_node() -> Vec<DescribedType> {
    let mut names: Vec<&str> = interface::all().map(|interface| interface.ros_type).chain(OF_ACTIONS).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter_map(|name| serde_json::from_str(&installed(name, "json")?).ok()).collect()
}

/// The text of an installed file about the type `name`, which has the form PACKAGE/KIND/NAME.
fn installed(name: &str, extension: &str) -> Option<String> {
    let prefixes = env::var_os("AMENT_PREFIX_PATH")?;
    let file = PathBuf::from("share").join(format!("{name}.{extension}"));
    env::split_paths(&prefixes).find_map(|prefix| fs::read_to_string(prefix.join(&file)).ok())
}

/// # Errors
/// A sentence if no type has the hash of the request.
fn respond(types: &[DescribedType], request: &Request) -> Result<Response, String> {
    let find = |described: &DescribedType| {
        let hash = described.type_hashes.iter().find(|hash| hash.hash_string == request.type_hash)?;
        described.part(&hash.type_name)
    };
    let Some(type_description) = types.iter().find_map(find) else {
        let hash = names::short(&request.type_hash);
        return Err(if types.is_empty() {
            "no descriptions of types are installed below AMENT_PREFIX_PATH: source the setup file of ROS 2, then start \
             the node"
                .into()
        } else {
            format!(
                "no topic, service or action of the node has a type with the hash '{hash}': ros2 topic info --verbose \
                 prints those in use"
            )
        });
    };
    let mut type_sources = Vec::new();
    if request.include_type_sources {
        type_sources.push(source(&type_description.type_description.type_name));
        type_sources.extend(
            type_description.referenced_type_descriptions.iter().map(|referenced| source(&referenced.type_name)),
        );
    }
    Ok(Response { successful: true, type_description, type_sources, ..Response::default() })
}

impl DescribedType {
    /// The description of this type or of one that it refers to.
    fn part(&self, name: &str) -> Option<TypeDescription> {
        let TypeDescription { type_description: own, referenced_type_descriptions: referenced } =
            &self.type_description_msg;
        let find = |name: &str| [own].into_iter().chain(referenced).find(|known| known.type_name == name);
        let mut used: Vec<&IndividualTypeDescription> = vec![find(name)?];
        let mut index = 0;
        while let Some(next) = used.get(index) {
            let parts = next.fields.iter().filter_map(|field| find(&field.type_.nested_type_name));
            let new: Vec<_> = parts.filter(|part| !used.contains(part)).collect();
            used.extend(new);
            index += 1;
        }
        let referenced = referenced.iter().filter(|known| used[1..].contains(known));
        Some(TypeDescription {
            type_description: used[0].clone(),
            referenced_type_descriptions: referenced.cloned().collect(),
        })
    }
}

/// The file that defines a type, without the end of its last line as in rcl; a part of a service or an action has none.
fn source(name: &str) -> TypeSource {
    let kind = name.split('/').nth(1).unwrap_or_default();
    let found = [kind, "idl"].into_iter().find_map(|encoding| Some((encoding, installed(name, encoding)?)));
    let (encoding, text) = found.unwrap_or(("implicit", String::new()));
    let raw_file_contents = text.strip_suffix('\n').unwrap_or(&text).into();
    TypeSource { type_name: name.into(), encoding: encoding.into(), raw_file_contents }
}

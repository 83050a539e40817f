//! The six parameter services and `/parameter_events`, from the table of parameters.
//!
//! The six parameter services are implemented here because the handler of r2r cannot declare ranges, refuse with a
//! reason, or publish `/parameter_events`.

use std::sync::{Arc, PoisonError};

use r2r::rcl_interfaces::msg::{
    FloatingPointRange, IntegerRange, ListParametersResult, Parameter, ParameterDescriptor, ParameterEvent,
    ParameterType, ParameterValue, SetParametersResult,
};
use r2r::rcl_interfaces::srv::{
    DescribeParameters, GetParameterTypes, GetParameters, ListParameters, SetParameters, SetParametersAtomically,
};
use r2r::{Node, QosProfile, ServiceRequest};

use crate::Result;
use crate::arm::Arm;
use crate::reports::Reporter;
use crate::robot_in_use::description;
use crate::ros::{
    Commands, DESCRIBE_PARAMETERS, GET_PARAMETER_TYPES, GET_PARAMETERS, Interface, LIST_PARAMETERS, Lock,
    PARAMETER_EVENTS, Publisher, QUALITY_OVERRIDES, QualityParameters, SET_PARAMETERS, SET_PARAMETERS_ATOMICALLY,
    Service, Spinner, constants, quality_overrides::value, service_server, task,
};
use urdf_ik_parameters::{Definition, Refusal, Settings, TABLE, TakesEffect, Value, ValueBounds, Values, definition};
use urdf_ik_text::names;

constants! { u8: ParameterType {
    PARAMETER_NOT_SET, PARAMETER_BOOL, PARAMETER_INTEGER, PARAMETER_DOUBLE, PARAMETER_STRING, PARAMETER_STRING_ARRAY,
    PARAMETER_BYTE_ARRAY, PARAMETER_BOOL_ARRAY, PARAMETER_INTEGER_ARRAY, PARAMETER_DOUBLE_ARRAY,
} }

/// The values and the parts of the node that their changes affect.
pub(crate) struct ParameterStore {
    values: Lock<Values>,
    pub arm: Arc<Arm>,
    commands: Commands,
    events: Publisher<ParameterEvent>,
    qualities: Arc<QualityParameters>,
}

impl AsRef<Reporter> for ParameterStore {
    fn as_ref(&self) -> &Reporter {
        &self.arm.reporter
    }
}

/// The values at start-up: the defaults of the table, and the overrides. Overrides of unknown parameters are ignored
/// with a warning.
///
/// # Errors
/// The refusal of an invalid override.
pub(crate) fn overrides(node: &Node) -> Result<Values> {
    let mut values = Values::default();
    let given = node.params.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, parameter) in given.iter() {
        if definition(name).is_some() {
            values.set(name, value(&parameter.value))?;
        } else if !name.starts_with(QUALITY_OVERRIDES) {
            let known: Vec<&str> = TABLE.iter().map(|known| known.name).collect();
            let name = names::short(name);
            log::warn!("there is no parameter {name}: its value is ignored; the parameters are: {}", known.join(", "));
        }
    }
    // Mouse input must not move a real robot unless requested.
    let drives_a_robot = values.of(Settings::command_joints()) != Value::Texts(Vec::new());
    let handle = Settings::interactive_target().name;
    if drives_a_robot && !given.contains_key(handle) {
        values.set(handle, Value::Bool(false))?;
    }
    Ok(values)
}

fn from_message(message: ParameterValue) -> Value {
    match message.type_ {
        PARAMETER_NOT_SET => Value::NotSet,
        PARAMETER_BOOL => Value::Bool(message.bool_value),
        PARAMETER_INTEGER => Value::Integer(message.integer_value),
        PARAMETER_DOUBLE => Value::Double(message.double_value),
        PARAMETER_STRING => Value::Text(message.string_value.into()),
        PARAMETER_STRING_ARRAY => Value::Texts(message.string_array_value),
        // Some tools encode no value as an empty byte array.
        PARAMETER_BYTE_ARRAY if message.byte_array_value.is_empty() => Value::NotSet,
        // Some tools encode an empty list as one of any type.
        PARAMETER_BOOL_ARRAY if message.bool_array_value.is_empty() => Value::Texts(Vec::new()),
        PARAMETER_INTEGER_ARRAY if message.integer_array_value.is_empty() => Value::Texts(Vec::new()),
        PARAMETER_DOUBLE_ARRAY if message.double_array_value.is_empty() => Value::Texts(Vec::new()),
        PARAMETER_BYTE_ARRAY => Value::Other("byte_array"),
        PARAMETER_BOOL_ARRAY => Value::Other("bool_array"),
        PARAMETER_INTEGER_ARRAY => Value::Other("integer_array"),
        PARAMETER_DOUBLE_ARRAY => Value::Other("double_array"),
        _ => Value::Other("value of an unknown type"),
    }
}

fn to_message(value: Value) -> ParameterValue {
    let unset = ParameterValue::default();
    match value {
        Value::Bool(bool_value) => ParameterValue { type_: PARAMETER_BOOL, bool_value, ..unset },
        Value::Integer(integer_value) => ParameterValue { type_: PARAMETER_INTEGER, integer_value, ..unset },
        Value::Double(double_value) => ParameterValue { type_: PARAMETER_DOUBLE, double_value, ..unset },
        Value::Text(text) => ParameterValue { type_: PARAMETER_STRING, string_value: text.into_owned(), ..unset },
        Value::Texts(string_array_value) => {
            ParameterValue { type_: PARAMETER_STRING_ARRAY, string_array_value, ..unset }
        }
        _ => unset,
    }
}

impl ParameterStore {
    /// Sets a parameter for another part of the node, with the same checks as the services.
    ///
    /// # Errors
    /// A [`Refusal`] if the value is invalid; the old value remains.
    pub(crate) fn set_one(&self, parameter: &Definition, value: Value) -> Result<(), Refusal> {
        self.edit(parameter, |_| Ok(value))
    }

    /// Replaces the value of a parameter by one that `edit` makes of the present settings. Nothing else changes them
    /// meanwhile.
    ///
    /// # Errors
    /// The [`Refusal`] of `edit`, or of its value; the old value remains.
    pub(crate) fn edit(
        &self,
        parameter: &Definition,
        edit: impl FnOnce(&Settings) -> Result<Value, Refusal>,
    ) -> Result<(), Refusal> {
        let change = |value| vec![Parameter { name: parameter.name.to_owned(), value: to_message(value) }];
        self.set(|settings| edit(settings).map(change))
    }

    /// Sets parameters at run time, as `changes` says for the present settings: all of them, or none if one is refused.
    fn set(&self, changes: impl FnOnce(&Settings) -> Result<Vec<Parameter>, Refusal>) -> Result<(), Refusal> {
        let mut kept = self.values.lock();
        let before = self.arm.settings();
        let changes = changes(&before)?;
        let mut values = kept.clone();
        for change in &changes {
            let value = from_message(change.value.clone());
            let (parameter, value) = match self.qualities.definition(&change.name) {
                Some(parameter) => (parameter, parameter.check(value)?),
                None => values.set(&change.name, value).map(|parameter| (parameter, values.of(parameter)))?,
            };
            // An unchanged value is accepted: a dump of all parameters can be loaded again.
            if parameter.takes_effect == TakesEffect::AtStart && value != kept.of(parameter) {
                return Err(Refusal(format!(
                    "{} is read only when the node starts: restart the node with the new value",
                    parameter.name
                )));
            }
        }
        let settings = Settings::new(&values, Some(&before))?;
        self.apply(&before, &settings)?;
        let known = before.deprecations();
        for warning in settings.deprecations().iter().filter(|warning| !known.contains(warning)) {
            log::warn!("{warning}");
        }
        let starts_to_avoid = settings.avoid_collisions && !before.avoid_collisions;
        *self.arm.settings_in_use.lock() = Arc::new(settings);
        self.arm.use_tools();
        if starts_to_avoid {
            self.arm.surroundings.note_change();
        }
        *kept = values;
        drop(kept);
        self.publish_event(&changes);
        Ok(())
    }

    /// Validates a change against the robot in use, and applies its side effects. A refused change has no effect.
    fn apply(&self, before: &Settings, after: &Settings) -> Result<(), Refusal> {
        if before.robot_description != after.robot_description && !after.robot_description.is_empty() {
            let ready = description::load(after.robot_description.clone(), false, after)
                .map_err(|fault| Settings::robot_description().refuse(fault))?;
            self.arm.use_robot(ready).map_err(|error| Settings::robot_description().refuse(error))?;
        } else if let Some(now) = self.arm.output.configuration() {
            let robot = &now.loaded.robot;
            if before.initial_posture != after.initial_posture {
                after.initial_positions(robot)?;
            }
            if before.posture != after.posture {
                after.posture_positions(robot)?;
            }
            if before.goals != after.goals {
                self.arm.standing_goals(&now, after).map_err(|refused| Refusal(refused.sentence))?;
            }
            if before.solver != after.solver || before.tool != after.tool {
                let loaded = now.loaded.with_tools_of(after).map_err(|fault| Refusal(fault.into()))?;
                loaded.solver(after).map_err(|e| Settings::solver().refuse(e))?;
            }
            if before.joint_limits != after.joint_limits || before.default_limits() != after.default_limits() {
                let limits = now.loaded.limits(after).map_err(|fault| Refusal(fault.into()))?;
                self.arm.output.set_limits(&now.loaded, &limits).map_err(|error| Refusal(error.to_string()))?;
            }
        }
        if before.use_sim_time != after.use_sim_time {
            self.commands.use_sim_time(after.use_sim_time);
        }
        Ok(())
    }

    fn publish_event(&self, changes: &[Parameter]) {
        let values = self.values.lock();
        let changed = changes.iter().filter_map(|change| {
            let value = to_message(values.of(self.definition(&change.name)?));
            Some(Parameter { name: change.name.clone(), value })
        });
        let event = ParameterEvent {
            stamp: self.arm.clock.stamp(),
            node: self.arm.reporter.node.clone(),
            changed_parameters: changed.collect(),
            ..ParameterEvent::default()
        };
        self.events.publish(&event);
    }

    fn result(&self, changes: &[Parameter]) -> SetParametersResult {
        let done = self.set(|_| Ok(changes.to_vec()));
        SetParametersResult {
            successful: done.is_ok(),
            reason: done.err().map_or_else(String::new, |refusal| refusal.0),
        }
    }

    fn get(&self, names: &[String]) -> Vec<ParameterValue> {
        let values = self.values.lock();
        let value = |parameter| to_message(values.of(parameter));
        names.iter().map(|name| self.definition(name).map_or_else(ParameterValue::default, value)).collect()
    }

    fn definition(&self, name: &str) -> Option<&'static Definition> {
        definition(name).or_else(|| self.qualities.definition(name))
    }
}

fn describe(store: &ParameterStore, name: &str) -> ParameterDescriptor {
    let Some(known) = store.definition(name) else {
        return ParameterDescriptor { name: name.to_owned(), ..ParameterDescriptor::default() };
    };
    let unit = if known.unit.is_empty() { String::new() } else { format!(" [{}]", known.unit) };
    let mut descriptor = ParameterDescriptor {
        name: name.to_owned(),
        type_: to_message(known.default.clone()).type_,
        description: format!("{}{unit}", known.sentence),
        read_only: known.takes_effect == TakesEffect::AtStart,
        ..ParameterDescriptor::default()
    };
    add_bounds(known, &mut descriptor);
    descriptor
}

fn add_bounds(known: &Definition, descriptor: &mut ParameterDescriptor) {
    match (known.bounds, &known.default) {
        (ValueBounds::OneOf(_), _) => {
            descriptor.additional_constraints = format!("{} {}", known.bounds_kind(), known.bounds_text());
        }
        (ValueBounds::Range(least, greatest), Value::Integer(_)) => {
            #[expect(clippy::cast_possible_truncation, reason = "bounds of integers are whole numbers")]
            let range = IntegerRange { from_value: least as i64, to_value: greatest as i64, step: 0 };
            descriptor.integer_range = vec![range];
        }
        (ValueBounds::Range(from_value, to_value), _) => {
            descriptor.floating_point_range = vec![FloatingPointRange { from_value, to_value, step: 0.0 }];
        }
        _ => {}
    }
}

/// The names below the prefixes of the request, to its depth (0: unlimited).
fn list(store: &ParameterStore, request: &ListParameters::Request) -> ListParametersResult {
    let depth = |text: &str| text.matches('.').count() as u64;
    let is_requested = |name: &str| {
        let fits = |prefix: &String| {
            let below = name.strip_prefix(prefix.as_str()).and_then(|rest| rest.strip_prefix('.'));
            name == prefix || below.is_some_and(|rest| request.depth == 0 || depth(rest) < request.depth)
        };
        match request.prefixes.as_slice() {
            [] => request.depth == 0 || depth(name) < request.depth,
            prefixes => prefixes.iter().any(fits),
        }
    };
    let all = TABLE.iter().map(|known| known.name.to_owned()).chain(store.qualities.names());
    let names: Vec<String> = all.filter(|name| is_requested(name)).collect();
    let mut prefixes: Vec<String> =
        names.iter().filter_map(|name| name.rsplit_once('.').map(|(prefix, _)| prefix.to_owned())).collect();
    prefixes.dedup();
    ListParametersResult { names, prefixes }
}

/// Creates one of the services. Its responses take no time, so one task answers all requests.
fn answer<S: Service>(
    node: &mut Node,
    store: &Arc<ParameterStore>,
    service: Interface,
    reply: fn(&ParameterStore, S::Request) -> S::Response,
) -> Result {
    let requests = node.create_service::<S>(service.name, QosProfile::parameters())?;
    let store = Arc::clone(store);
    task::start(task::for_each(requests, move |request: ServiceRequest<S>| {
        let response = reply(&store, request.message.clone());
        task::start(service_server::respond(request, response, service.name));
    }));
    Ok(())
}

/// Creates the services. Returns the parameters for other parts of the node.
pub(crate) fn serve(
    spinner: &mut Spinner,
    arm: &Arc<Arm>,
    values: Values,
    commands: Commands,
) -> Result<Arc<ParameterStore>> {
    let events = Publisher::new(spinner, PARAMETER_EVENTS, QosProfile::parameter_events())?;
    let qualities = Arc::clone(&spinner.qualities);
    let store = ParameterStore { values: Lock::new(values), arm: Arc::clone(arm), commands, events, qualities };
    let (store, node) = (Arc::new(store), &mut spinner.node);
    answer::<GetParameters::Service>(node, &store, GET_PARAMETERS, |store, request| GetParameters::Response {
        values: store.get(&request.names),
    })?;
    answer::<GetParameterTypes::Service>(node, &store, GET_PARAMETER_TYPES, |store, request| {
        let types = store.get(&request.names).iter().map(|value| value.type_).collect();
        GetParameterTypes::Response { types }
    })?;
    answer::<SetParameters::Service>(node, &store, SET_PARAMETERS, |store, request| {
        let results = request.parameters.iter().map(|change| store.result(std::slice::from_ref(change))).collect();
        SetParameters::Response { results }
    })?;
    answer::<SetParametersAtomically::Service>(node, &store, SET_PARAMETERS_ATOMICALLY, |store, request| {
        SetParametersAtomically::Response { result: store.result(&request.parameters) }
    })?;
    answer::<DescribeParameters::Service>(node, &store, DESCRIBE_PARAMETERS, |store, request| {
        let descriptors = request.names.iter().map(|name| describe(store, name)).collect();
        DescribeParameters::Response { descriptors }
    })?;
    answer::<ListParameters::Service>(node, &store, LIST_PARAMETERS, |store, request| ListParameters::Response {
        result: list(store, &request),
    })?;
    Ok(store)
}

//! Commands of the servo as received, and their validation.

use nalgebra::Vector3;
use r2r::geometry_msgs::msg::{TwistStamped, Vector3 as VectorMessage};
use r2r::std_msgs::msg::Header;

use crate::messages::target_message;
use crate::reports::{Refused, refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_text::names;

/// Largest component of a command. Larger commands are scaled down: the speed limits are far lower, and squares might
/// overflow.
const GREATEST: f64 = 1e6;

/// A received twist of a tip.
pub(crate) struct TwistMessage {
    /// Name of its topic, for messages to users.
    pub topic: &'static str,
    /// Its frame gives the axes of the twist.
    pub header: Header,
    /// \[m/s\].
    pub linear: Vector3<f64>,
    /// \[rad/s\].
    pub angular: Vector3<f64>,
    /// True if the frame name was not valid UTF-8.
    pub frame_is_damaged: bool,
}

/// Received joint velocities.
pub(crate) struct JogMessage {
    /// Name of its topic, for messages to users.
    pub topic: &'static str,
    pub header: Header,
    /// Joint names; all other joints stay where they are.
    pub joints: Vec<String>,
    /// One for each of these joints \[rad/s or m/s\].
    pub velocities: Vec<f64>,
}

impl TwistMessage {
    /// Reads a twist from its serialized message; `None` if invalid.
    pub(crate) fn read(topic: &'static str, raw: &[u8]) -> Option<Self> {
        let (TwistStamped { header, twist }, frame_is_damaged) =
            target_message::read(raw, |message: &TwistStamped| &message.header)?;
        let vector = |VectorMessage { x, y, z }| Vector3::new(x, y, z);
        let (linear, angular) = (vector(twist.linear), vector(twist.angular));
        Some(Self { topic, header, linear, angular, frame_is_damaged })
    }

    /// The linear and angular velocity, scaled down if excessive.
    ///
    /// # Errors
    /// [`Refused`] if a component is not finite.
    pub(super) fn velocities(&self) -> Result<[Vector3<f64>; 2], Refused> {
        let parts = [("linear", &self.linear), ("angular", &self.angular)];
        for (part, vector) in parts {
            for (axis, value) in ["x", "y", "z"].into_iter().zip(vector) {
                if !value.is_finite() {
                    return Err(refused!("twist", "the twist's {part} {axis} is {value}; it must be a finite number"));
                }
            }
        }
        let scale = scale_of(self.linear.iter().chain(&self.angular));
        Ok([self.linear * scale, self.angular * scale])
    }
}

impl JogMessage {
    /// A velocity for each variable of the chain, scaled down if excessive; zero for other joints.
    ///
    /// # Errors
    /// [`Refused`]: lists of different lengths or none, a joint that the chain does not move, a velocity that is not
    /// finite.
    pub(super) fn of_variables(&self, loaded: &LoadedRobot) -> Result<Vec<f64>, Refused> {
        let (joints, given) = (self.joints.len(), self.velocities.len());
        if joints != given || joints == 0 {
            let sentence = if joints == given {
                "the message has no velocities: name joints and give each a velocity".to_owned()
            } else {
                format!("the message has {joints} names and {given} velocities; the numbers must be equal")
            };
            return Err(Refused::invalid("lengths", sentence));
        }
        let variables = loaded.chain.variables();
        let mut velocities = vec![0.0; variables.len()];
        for (name, &velocity) in self.joints.iter().zip(&self.velocities) {
            let variable = variables.iter().position(|variable| variable.name == *name);
            let variable = variable.ok_or_else(|| unmoved(loaded, name))?;
            if !velocity.is_finite() {
                return Err(refused!(
                    "velocity",
                    "the velocity of joint '{name}' is {velocity}; it must be a finite number"
                ));
            }
            velocities[variable] = velocity;
        }
        let scale = scale_of(velocities.iter());
        Ok(velocities.into_iter().map(|velocity| velocity * scale).collect())
    }
}

/// Factor that scales finite numbers down to [`GREATEST`].
fn scale_of<'a>(numbers: impl Iterator<Item = &'a f64>) -> f64 {
    let greatest = numbers.fold(0.0, |greatest: f64, number| greatest.max(number.abs()));
    (GREATEST / greatest).min(1.0)
}

/// Why a joint cannot be jogged: the chain has no variable of that name.
fn unmoved(loaded: &LoadedRobot, name: &str) -> Refused {
    let joints = loaded.robot.joints();
    let why = match loaded.robot.movable_index(name).map(|joint| &joints[joint]) {
        None => "is not a movable joint of the robot".to_owned(),
        Some(joint) => match joint.mimic {
            Some(mimic) => format!("follows joint '{}'", names::short(&joints[mimic.master].name)),
            None => "is not moved by the chain".to_owned(),
        },
    };
    let (name, moved) = (names::short(name), names::list(&loaded.chain.variable_names()));
    Refused::invalid(&format!("joint {name}"), format!("joint '{name}' {why}; the joints of the chain are: {moved}"))
}

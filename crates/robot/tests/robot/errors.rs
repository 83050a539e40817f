//! Robot descriptions that are refused: which error, and that its text names the element.

use urdf_ik::robot::xml::XmlError;
use urdf_ik::robot::{Robot, UrdfError};

use crate::common::{
    self,
    urdf::{joint, one_joint, robot},
};

/// The error of `text`; its message must contain all of `words`.
fn refused(text: &str, words: &[&str]) -> UrdfError {
    let error = Robot::from_urdf(text).expect_err(text);
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "'{word}' is not in: {message}");
    }
    error
}

macro_rules! assert_refused {
    ($text:expr, $variant:pat, $words:expr) => {
        let error = refused(&$text, &$words);
        assert!(matches!(error, $variant), "{error:?}");
    };
}

#[test]
fn a_file_that_is_not_there() {
    let error = Robot::from_urdf_file("/nowhere/robot.urdf").unwrap_err();
    assert!(matches!(&error, UrdfError::File(error) if error.path == "/nowhere/robot.urdf"), "{error:?}");
    assert!(error.to_string().contains("/nowhere/robot.urdf"));
}

#[test]
fn what_is_no_regular_file() {
    for (path, found) in [("/dev/zero", "a device"), ("/", "a directory")] {
        let message = Robot::from_urdf_file(path).unwrap_err().to_string();
        assert_eq!(message, format!("cannot read {path}: it is {found}, not a regular file"));
    }
}

#[test]
fn a_text_that_is_too_long() {
    let text = one_joint("fixed", "") + &" ".repeat(17 << 20);
    assert_refused!(text, UrdfError::TooLong { .. }, ["bytes", "16777216"]);
}

#[test]
fn joints_without_end_and_warnings_without_end() {
    let nameless = "<joint/>".repeat(40_001);
    assert_refused!(robot("a", &nameless), UrdfError::TooManyJoints { .. }, ["40001 joints", "40000"]);
    let links: Vec<String> = (0..=100).map(|index| format!("l{index}")).collect();
    let reversed = |index: usize| {
        joint(&format!("j{index}"), "revolute", &links[index], &links[index + 1], "<limit lower='1' upper='0'/>")
    };
    let loaded = Robot::from_urdf(&robot(&links.join(" "), &(0..100).map(reversed).collect::<String>())).unwrap();
    assert_eq!((loaded.warnings().len(), loaded.warnings()[40].as_str()), (41, "there are 60 more such warnings"));
}

#[test]
fn long_names_and_control_characters_do_not_fill_messages() {
    let name = "n".repeat(100_000);
    for text in [
        format!("<{name}/>"),
        format!("<robot name='r'><{name}>"),
        format!("<robot name='r'></{name}>"),
        one_joint(&name, ""),
        one_joint("fixed", &format!("<origin xyz='{name}'/>")),
        robot(&format!("{name} {name}"), ""),
        robot("a b", &joint(&name, "fixed", &name, "b", "")),
        robot("a b", &joint(&name, "continuous", "a", "b", &format!("<mimic joint='{name}'/>"))),
    ] {
        let message = match Robot::from_urdf(&text) {
            Ok(robot) => robot.warnings().join("\n"),
            Err(error) => error.to_string(),
        };
        assert!((10..1500).contains(&message.len()), "{} characters: {message:.200}", message.len());
    }
    let forged = refused(&one_joint("x\n[INFO] all is well", ""), &[]).to_string();
    assert!(!forged.contains('\n'), "{forged}");
}

/// A reader that follows each rule to its end takes quadratic time in the length.
#[test]
fn a_long_row_of_mimic_rules_is_followed_once() {
    let count = 10_000;
    let links: Vec<String> = (0..=count).map(|index| format!("l{index}")).collect();
    let rule = |index: usize| if index == 0 { String::new() } else { format!("<mimic joint='j{}'/>", index - 1) };
    let joints: String = (0..count)
        .map(|index| joint(&format!("j{index}"), "continuous", &links[index], &links[index + 1], &rule(index)))
        .collect();
    let robot = Robot::from_urdf(&robot(&links.join(" "), &joints)).unwrap();
    assert_eq!(robot.joints()[count - 1].mimic.unwrap().master, 0);
}

#[test]
fn text_that_is_not_a_robot() {
    assert_refused!("", UrdfError::NotARobot { .. }, ["<robot>", "empty"]);
    assert_refused!(" \n\t ", UrdfError::NotARobot { .. }, ["empty"]);
    assert_refused!("a line of text", UrdfError::NotARobot { .. }, ["<robot>"]);
    assert_refused!("<html><body>404 Not Found</body></html>", UrdfError::NotARobot { .. }, ["<html>"]);
    assert_refused!("<!DOCTYPE html><html><head></head></html>", UrdfError::NotARobot { .. }, ["<html>"]);
    assert_refused!(
        "<sdf version='1.6'><model name='m'/></sdf>",
        UrdfError::OtherFormat { .. },
        ["SDF", "<sdf>", "URDF"]
    );
    assert_refused!(
        "<mujoco model='m'><worldbody/></mujoco>",
        UrdfError::OtherFormat { .. },
        ["MJCF", "MuJoCo", "URDF"]
    );
}

#[test]
fn text_that_is_not_well_formed() {
    let whole = one_joint("continuous", "<axis xyz='0 0 1'/>");
    assert_refused!(whole.replace("</robot>", ""), UrdfError::Xml { .. }, ["<robot>"]);
    assert_refused!(whole.replace("</joint>", ""), UrdfError::Xml { .. }, ["joint"]);
    let crossed = "<robot name='r'>\n<link name='a'>\n</robot></link>";
    assert_refused!(crossed, UrdfError::Xml(XmlError { line: 3, .. }), ["line 3"]);
    for end in 1..whole.trim_end().len() {
        assert!(Robot::from_urdf(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
}

#[test]
fn binary_garbage_is_refused() {
    let mut random = common::Random::new(1);
    for length in [1, 10, 1000, 100_000] {
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        assert!(Robot::from_urdf(&String::from_utf8_lossy(&bytes)).is_err());
    }
}

#[test]
fn deep_nesting_does_not_crash() {
    let deep = "<a>".repeat(100_000);
    let inside_link = format!("<robot name='r'><link name='l'>{deep}");
    assert_refused!(inside_link, UrdfError::Xml { .. }, ["<a>"]);
    assert_refused!(deep, UrdfError::NotARobot { .. }, ["<a>"]);
    let closed = format!("<robot name='r'><link name='l'>{deep}{}</link></robot>", "</a>".repeat(100_000));
    assert_eq!(Robot::from_urdf(&closed).unwrap().links().len(), 1);
}

#[test]
fn elements_and_attributes_that_are_missing() {
    assert_refused!("<robot name='r'><link/></robot>", UrdfError::Missing { .. }, ["<link>", "name"]);
    let nameless = "<robot name='r'><link name='a'/><joint type='fixed'/></robot>";
    assert_refused!(nameless, UrdfError::Missing { .. }, ["<joint>", "name"]);
    let typeless = robot("a b", "<joint name='j'><parent link='a'/><child link='b'/></joint>");
    assert_refused!(typeless, UrdfError::Missing { .. }, ["'j'", "type"]);
    let orphan = robot("a b", "<joint name='j' type='fixed'><child link='b'/></joint>");
    assert_refused!(orphan, UrdfError::Missing { .. }, ["'j'", "parent"]);
    let childless = robot("a b", "<joint name='j' type='fixed'><parent link='a'/></joint>");
    assert_refused!(childless, UrdfError::Missing { .. }, ["'j'", "child"]);
    let linkless = robot("a b", "<joint name='j' type='fixed'><parent/><child link='b'/></joint>");
    assert_refused!(linkless, UrdfError::Missing { .. }, ["'j'", "parent"]);
    let aimless = one_joint("continuous", "<mimic multiplier='2'/>");
    assert_refused!(aimless, UrdfError::Missing { .. }, ["'j'", "<mimic>"]);
    assert_refused!("<robot name='r'></robot>", UrdfError::NoLinks, ["<link>"]);
}

#[test]
fn vectors_that_are_not_three_finite_numbers() {
    for text in ["nan 0 0", "0 inf 0", "0 0 -inf", "1e999 0 0", "1 x 2 3", "1 2", "1 2 3 4", "", "1,2,3", "0x1 0 0"] {
        for attribute in ["origin xyz", "origin rpy", "axis xyz"] {
            let (tag, key) = attribute.split_once(' ').unwrap();
            let urdf = one_joint("continuous", &format!("<{tag} {key}='{text}'/>"));
            let quoted = format!("{attribute}=\"{text}\"");
            assert_refused!(urdf, UrdfError::Number { .. }, ["'j'", &quoted, "three finite numbers"]);
        }
    }
    let fixed = one_joint("fixed", "<origin xyz='0 0 nan'/>");
    assert_refused!(fixed, UrdfError::Number { .. }, ["'j'", "origin xyz"]);
}

#[test]
fn scalars_that_are_not_finite_numbers() {
    for text in ["nan", "inf", "-inf", "1e999", "one", "", "1 2"] {
        for key in ["lower", "upper"] {
            let limit = format!("<limit {key}='{text}'/>");
            for kind in ["revolute", "prismatic"] {
                assert_refused!(
                    one_joint(kind, &limit),
                    UrdfError::Number { .. },
                    ["'j'", &format!("limit {key}"), text]
                );
            }
        }
        for key in ["multiplier", "offset"] {
            let mimic = format!("<mimic joint='m' {key}='{text}'/>");
            assert_refused!(
                one_joint("continuous", &mimic),
                UrdfError::Number { .. },
                ["'j'", &format!("mimic {key}")]
            );
        }
    }
}

#[test]
fn a_velocity_limit_that_is_not_a_number() {
    for text in ["nan", "abc", "", "1 2"] {
        for kind in ["revolute", "prismatic", "continuous"] {
            let limit = format!("<limit lower='-1' upper='1' velocity='{text}'/>");
            let quoted = format!("limit velocity=\"{text}\"");
            assert_refused!(one_joint(kind, &limit), UrdfError::Number { .. }, ["'j'", &quoted, "a number"]);
        }
    }
}

#[test]
fn an_origin_that_is_too_far_away() {
    for text in ["1e10 0 0", "0 -1e300 0"] {
        let urdf = one_joint("fixed", &format!("<origin xyz='{text}'/>"));
        assert_refused!(urdf, UrdfError::Number { .. }, ["'j'", "origin xyz", text, "1e9"]);
    }
}

#[test]
fn a_quaternion_that_is_not_four_finite_numbers() {
    for text in ["nan 0 0 1", "0 0 1", "0 0 inf 1", "", "0 0 0 0", "1e200 0 0 1"] {
        let urdf = one_joint("fixed", &format!("<origin quat_xyzw='{text}'/>"));
        let urdf = urdf.replace("name='small'", "name='small' version='1.1'");
        assert_refused!(urdf, UrdfError::Number { .. }, ["'j'", "origin quat_xyzw", text]);
    }
}

#[test]
fn an_unexpanded_xacro_file_is_recognised() {
    let xacro = one_joint("continuous", "<origin xyz='${length} 0 0'/>");
    assert_refused!(xacro, UrdfError::Xacro { .. }, ["'j'", "${length}", "xacro"]);
    // Only includes and macros, which leave no link or one.
    for links in ["", "<link name='world'/>"] {
        let call = "<xacro:include filename='$(find r)/r.xacro'/><xacro:arm parent='world'/>";
        let xacro = format!("<robot name='r' xmlns:xacro='http://wiki.ros.org/xacro'>{links}{call}</robot>");
        assert_refused!(xacro, UrdfError::Xacro { .. }, ["xacro file", "expand it first"]);
    }
    // Other readers ignore leftover xacro elements in a valid robot, and expansion keeps comments.
    let whole = one_joint("continuous", "<xacro:property name='a' value='1'/>");
    let robot = Robot::from_urdf(&whole).unwrap();
    assert!(robot.warnings().iter().any(|warning| warning.contains("xacro")), "{:?}", robot.warnings());
    let expanded = one_joint("continuous", "<!-- <xacro:arm/> -->");
    assert!(Robot::from_urdf(&expanded).unwrap().warnings().is_empty());
    let plain = refused(&one_joint("continuous", "<origin xyz='x 0 0'/>"), &[]).to_string();
    assert!(!plain.contains("xacro"), "{plain}");
}

#[test]
fn joint_types_and_limits() {
    assert_refused!(one_joint("screw", ""), UrdfError::JointType { .. }, ["'j'", "'screw'", "prismatic"]);
    assert_refused!(one_joint("spherical", ""), UrdfError::JointType { .. }, ["'j'", "'spherical'"]);
    assert_refused!(one_joint("revolute", ""), UrdfError::NoLimits { kind: "revolute", .. }, ["'j'", "<limit>"]);
    assert_refused!(one_joint("prismatic", ""), UrdfError::NoLimits { kind: "prismatic", .. }, ["'j'", "<limit>"]);
}

#[test]
fn names_that_are_not_unique_or_not_known() {
    let twice = robot("a b a", &joint("j", "fixed", "a", "b", ""));
    assert_refused!(twice, UrdfError::Duplicate { kind: "link", .. }, ["link", "'a'"]);
    let twice = robot("a b c", &(joint("j", "fixed", "a", "b", "") + &joint("j", "fixed", "b", "c", "")));
    assert_refused!(twice, UrdfError::Duplicate { kind: "joint", .. }, ["joint", "'j'"]);
    let ghost = robot("a b", &joint("j", "fixed", "ghost", "b", ""));
    assert_refused!(ghost, UrdfError::UnknownLink { role: "parent", .. }, ["'j'", "parent", "'ghost'"]);
    let ghost = robot("a b", &joint("j", "fixed", "a", "ghost", ""));
    assert_refused!(ghost, UrdfError::UnknownLink { role: "child", .. }, ["'j'", "child", "'ghost'"]);
}

#[test]
fn links_that_do_not_form_a_tree() {
    let fixed = |name, parent, child| joint(name, "fixed", parent, child, "");
    let parents = robot("a b c", &(fixed("first", "a", "c") + &fixed("second", "b", "c")));
    assert_refused!(parents, UrdfError::TwoParents { .. }, ["'c'", "'first'", "'second'"]);
    assert_refused!(robot("a b c", &fixed("j", "a", "b")), UrdfError::SeveralRoots { .. }, ["2 root links", "a, c"]);
    let circle = robot("a b", &(fixed("there", "a", "b") + &fixed("back", "b", "a")));
    assert_refused!(circle, UrdfError::Cycle { .. }, ["cycle", "a, b"]);
    assert_refused!(robot("a", &fixed("self", "a", "a")), UrdfError::Cycle { .. }, ["cycle", "a"]);
    let beside = robot("root a b", &(fixed("there", "a", "b") + &fixed("back", "b", "a")));
    assert_refused!(&beside, UrdfError::Cycle { .. }, ["cycle", "a, b"]);
    assert!(!refused(&beside, &[]).to_string().contains("root"), "the root is not on the cycle");
}

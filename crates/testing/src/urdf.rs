//! Small robots for tests.

use std::fmt::Write;

/// A robot with links of these names, separated by spaces, followed by `rest`.
pub fn robot(links: &str, rest: &str) -> String {
    let links: Vec<String> = links.split_whitespace().map(|name| format!("<link name='{name}'/>\n")).collect();
    format!("<robot name='small'>\n{}{rest}\n</robot>", links.concat())
}

/// A joint of that type with `inside` among its children.
pub fn joint(name: &str, kind: &str, parent: &str, child: &str, inside: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{inside}</joint>\n")
}

/// One joint of that type between the links `a` and `b`.
pub fn one_joint(kind: &str, inside: &str) -> String {
    robot("a b", &joint("j", kind, "a", "b", inside))
}

/// A continuous joint about `axis` at `xyz`.
pub fn turn(name: &str, parent: &str, child: &str, xyz: &str, axis: &str) -> String {
    joint(name, "continuous", parent, child, &format!("<origin xyz='{xyz}'/><axis xyz='{axis}'/>"))
}

/// A fixed joint that shifts by `xyz`.
pub fn fixed(name: &str, parent: &str, child: &str, xyz: &str) -> String {
    joint(name, "fixed", parent, child, &format!("<origin xyz='{xyz}'/>"))
}

/// Two joints in the plane z = 0, links of these lengths \[m\], without limits.
pub fn planar(first: f64, second: f64) -> String {
    let joints = turn("shoulder", "base", "upper", "0 0 0", "0 0 1")
        + &turn("elbow", "upper", "lower", &format!("{first} 0 0"), "0 0 1")
        + &fixed("end", "lower", "tip", &format!("{second} 0 0"));
    robot("base upper lower tip", &joints)
}

/// A shoulder of two intersecting axes, an elbow, links of these lengths \[m\], without limits: its workspace is a
/// ball.
pub fn spherical(first: f64, second: f64) -> String {
    let joints = turn("yaw", "base", "turret", "0 0 0", "0 0 1")
        + &turn("pitch", "turret", "upper", "0 0 0", "0 1 0")
        + &turn("elbow", "upper", "lower", &format!("{first} 0 0"), "0 1 0")
        + &fixed("end", "lower", "tip", &format!("{second} 0 0"));
    robot("base turret upper lower tip", &joints)
}

/// An arm of four joints with the dimensions of an OpenManipulator-X: a yaw and three parallel axes.
pub fn open_manipulator() -> String {
    let places = [
        ("yaw", "base turret", "0.012 0 0.017", "0 0 1", [-3.1, 3.1]),
        ("lift", "turret upper", "0 0 0.0595", "0 1 0", [-1.5, 1.5]),
        ("elbow", "upper lower", "0.024 0 0.128", "0 1 0", [-1.5, 1.4]),
        ("pitch", "lower hand", "0.124 0 0", "0 1 0", [-1.7, 1.97]),
    ];
    let turns = places.map(|(name, links, xyz, axis, [lower, upper])| {
        let (parent, child) = links.split_once(' ').unwrap();
        let limit = format!("<limit lower='{lower}' upper='{upper}' effort='1' velocity='4.8'/>");
        joint(name, "revolute", parent, child, &format!("<origin xyz='{xyz}'/><axis xyz='{axis}'/>{limit}"))
    });
    robot("base turret upper lower hand tip", &(turns.concat() + &fixed("end", "hand", "tip", "0.126 0 0")))
}

/// An arm of six joints, three of them parallel and no wrist centre, with these symmetric limits \[rad\], or none.
pub fn six_joints(limit: Option<f64>) -> String {
    let places = [
        ("pan", "0 0 0.09", "0 0 1"),
        ("lift", "0 0.135 0", "0 1 0"),
        ("elbow", "0.425 -0.12 0", "0 1 0"),
        ("flex", "0.39 0 0", "0 1 0"),
        ("swing", "0 0.093 0", "0 0 1"),
        ("roll", "0 0 -0.095", "0 1 0"),
    ];
    let links: Vec<String> =
        ["base".to_owned()].into_iter().chain(places.map(|place| format!("{}_link", place.0))).collect();
    let mut joints = fixed("mount", &links[6], "tip", "0 0.08 0");
    for (index, (name, xyz, axis)) in places.into_iter().enumerate() {
        let place = format!("<origin xyz='{xyz}'/><axis xyz='{axis}'/>");
        let (kind, limits) = match limit {
            None => ("continuous", String::new()),
            Some(limit) => ("revolute", format!("<limit lower='-{limit}' upper='{limit}'/>")),
        };
        joints += &joint(name, kind, &links[index], &links[index + 1], &(place + &limits));
    }
    robot(&(links.join(" ") + " tip"), &joints)
}

/// A snake of this many joints from the link l0 on, with alternating axes; if `folded`, its second half mimics the
/// first.
pub fn snake(joints: usize, folded: bool) -> String {
    let (mut links, mut text) = (String::from("l0"), String::new());
    for index in 0..joints {
        write!(links, " l{}", index + 1).unwrap();
        let axis = ["0 1 0", "0 0 1", "1 1 0"][index % 3];
        let mut inside = format!("<origin xyz='0.1 0 0'/><axis xyz='{axis}'/><limit lower='-1.2' upper='1.2'/>");
        if folded && index >= joints.div_ceil(2) {
            let factor = if index % 2 == 0 { "1" } else { "-1" };
            write!(inside, "<mimic joint='j{}' multiplier='{factor}'/>", index - joints.div_ceil(2)).unwrap();
        }
        text += &joint(&format!("j{index}"), "revolute", &format!("l{index}"), &format!("l{}", index + 1), &inside);
    }
    text += &fixed("end", &format!("l{joints}"), "tip", "0.1 0.05 0");
    robot(&(links + " tip"), &text)
}

//! Pairs that an SRDF allows to touch.

use std::path::Path;

use urdf_ik::collision::{ExclusionReason, Pairs, Srdf};

use crate::robots::{Shaped, link};

fn three() -> Shaped {
    let links: String = ["a", "b", "c"].map(|name| link(name, r#"<sphere radius="0.1"/>"#)).concat();
    let joint = |parent: &str, child: &str| {
        format!(
            r#"<joint name="{child}_joint" type="continuous"><origin xyz="1 0 0"/><parent link="{parent}"/><child link="{child}"/></joint>"#
        )
    };
    Shaped::new(&format!(r#"<robot name="three">{links}{}{}</robot>"#, joint("a", "b"), joint("b", "c")), None)
}

fn srdf(inside: &str) -> Srdf {
    Srdf::from_text(&format!(r#"<?xml version="1.0"?><robot name="three">{inside}</robot>"#)).unwrap()
}

fn counted(shaped: &Shaped, srdf: &Srdf) -> Vec<String> {
    shaped.pairs(Some(srdf)).checked.iter().map(|&pair| shaped.names(pair).concat()).collect()
}

#[test]
fn the_srdf_alone_decides() {
    let shaped = three();
    assert_eq!(counted(&shaped, &srdf("")), ["ab", "ac", "bc"]);
    let one =
        srdf(r#"<group name="arm"><link name="a"/></group><disable_collisions link1="c" link2="a" reason="Never"/>"#);
    assert_eq!(counted(&shaped, &one), ["ab", "bc"]);
    let left_out = shaped.pairs(Some(&one)).excluded;
    assert_eq!(left_out[0].1, ExclusionReason::Srdf("Never".to_owned()));
    assert_eq!(left_out[0].1.to_string(), "SRDF: Never");
    let all_but = r#"<disable_default_collisions link="b"/><enable_collisions link1="c" link2="b"/>"#;
    assert_eq!(counted(&shaped, &srdf(all_but)), ["ac", "bc"]);
}

#[test]
fn an_srdf_of_another_robot_is_refused() {
    let shaped = three();
    let other = srdf(r#"<disable_collisions link1="hip" link2="knee"/><disable_collisions link1="a" link2="hip"/>"#);
    let refused = Pairs::of_robot(&shaped.robot, &shaped.shapes, Some(&other)).unwrap_err().to_string();
    assert_eq!(refused, "the SRDF is of another robot: of the 3 links that it names, 'three' does not have hip, knee");
    // An SRDF that names a few removed links is accepted.
    let most = srdf(r#"<disable_collisions link1="a" link2="b"/><disable_collisions link1="a" link2="laser"/>"#);
    assert_eq!(most.unknown_links(&shaped.robot).unwrap(), ["laser"]);
    assert_eq!(counted(&shaped, &most), ["ac", "bc"]);
}

#[test]
fn what_is_no_srdf_is_refused() {
    let group = r#"<robot name="r"><group name="g"><link name="a"/><joint name="j"/></group></robot>"#;
    assert!(Srdf::from_text(group).is_ok());
    for (text, reason) in [
        ("", "must be one <robot> element, but it has no element"),
        ("<model/>", "must be one <robot> element, but it has <model>"),
        ("<robot>", "not well-formed XML"),
        ("<robot></group></robot>", "not well-formed XML"),
        (r#"<robot><disable_collisions link1="a"/></robot>"#, "a <disable_collisions> without link2"),
        ("<robot><disable_default_collisions/></robot>", "a <disable_default_collisions> without link"),
        (r#"<robot name="r"><link name="a"/></robot>"#, "it is a URDF, not an SRDF, because it has <link>"),
        (
            r#"<robot name="r"><joint name="j" type="fixed"/></robot>"#,
            "it is a URDF, not an SRDF, because it has <joint>",
        ),
    ] {
        let sentence = Srdf::from_text(text).unwrap_err().to_string();
        assert!(sentence.contains(reason), "{text}: {sentence}");
    }
    let missing = Srdf::from_file(Path::new("/no/such.srdf")).unwrap_err().to_string();
    assert_eq!(missing, "cannot read /no/such.srdf: there is no such file");
}

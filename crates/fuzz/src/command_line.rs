//! Files of the command line: cases and scenes, waypoints, targets of a skeleton.

use urdf_ik_testing::{root, urdf_path};

use crate::shapes::FOLDER;

/// Runs a command on a file with these bytes. It ends with a documented status.
fn run(bytes: &[u8], command: &[&str]) {
    let file = FOLDER.join("input.json");
    std::fs::write(&file, bytes).unwrap();
    let arguments = ["urdf_ik"].iter().chain(command).map(Into::into).chain([file.into_os_string()]);
    let mut out = Vec::new();
    let status = urdf_ik_cli::run_to(arguments, &mut out);
    assert!(status <= 2, "{status}");
    assert!(
        status == 2 || serde_json::from_slice::<serde_json::Value>(&out).is_ok(),
        "{}",
        String::from_utf8_lossy(&out)
    );
}

fn path(file: &str) -> String {
    urdf_path(file).to_string_lossy().into_owned()
}

pub fn cases(bytes: &[u8]) {
    run(bytes, &["evaluate", "--urdf", &path("arm6.urdf"), "--attempts", "3", "--max-cases", "3", "--cases"]);
}

pub fn waypoints(bytes: &[u8]) {
    run(bytes, &["path", "--urdf", &path("arm6.urdf"), "--tip", "tool0", "--search", "0", "--waypoints"]);
}

pub fn points(bytes: &[u8]) {
    let model = root().join("config/skeletons/humanoid.yaml");
    run(bytes, &["skeleton", "--model", &model.to_string_lossy(), "--targets"]);
}

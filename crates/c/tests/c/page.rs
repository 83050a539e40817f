//! The examples of docs/c.md.

use std::fs;
use std::process::Command;

use urdf_ik_testing::root;

use crate::programs::urdf;
use crate::{compile, run, test_folder};

/// The blocks of docs/c.md in this language.
pub fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/c.md")).unwrap();
    let blocks = page.split("\n```").skip(1).step_by(2);
    blocks.filter_map(|block| Some(block.strip_prefix(language)?.strip_prefix('\n')?.to_owned())).collect()
}

const BEFORE_C: &str = r#"#include "expect.h"
static void check(UrdfIkStatus status) { EXPECT(status == URDF_IK_STATUS_OK); }
int main(int argc, char **argv) {
  EXPECT(argc == 2);
  UrdfIkArm *arm = arm_of(argv[1], NULL, 0, NULL);
  UrdfIkWorkspace *workspace;
  check(urdf_ik_workspace_new(arm, &workspace));
  UrdfIkPose pose = {{0.3, 0.2, 0.5}, {0, 0, 0, 1}};
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkAnswer answer;
  double positions[7];
"#;
const BEFORE_BLOCK: &str = r"
  {
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = &target;
  problem.target_count = 1;
";
const AFTER_BLOCK: &str = "\n  (void)problem;\n  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED);\n  }\n";
const AFTER_C: &str = "  urdf_ik_workspace_free(workspace);\n  urdf_ik_arm_free(arm);\n  return 0;\n}\n";

#[test]
fn the_examples_of_the_page_run() {
    let examples = blocks("c");
    assert_eq!(examples.len(), 6, "the first is a program of its own");
    let body: Vec<String> = examples[1..].iter().map(|block| format!("{BEFORE_BLOCK}{block}{AFTER_BLOCK}")).collect();
    let includes = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let source = test_folder().join("page.c");
    fs::write(&source, format!("{BEFORE_C}{}{AFTER_C}", body.concat())).unwrap();
    run(Command::new(compile("cc", &source, &["-std=c11", includes])).arg(urdf("arm7")));

    let [example] = &blocks("cpp")[..] else { panic!("docs/c.md has one example in C++") };
    let source = test_folder().join("page_in_c_plus_plus.cpp");
    fs::write(&source, format!("#include <urdf_ik.hpp>\nint main(int, char **argv) {{\n{example}\n}}\n")).unwrap();
    run(Command::new(compile("c++", &source, &["-std=c++17"])).arg(urdf("arm7")));
}

#!/usr/bin/env bash
# Runs an example with its own node: scripts/example.sh NAME. NAME is a file of examples/, with or without .py.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root"
# shellcheck source=scripts/setup/steps.sh
. scripts/setup/steps.sh

file="examples/${1:-}"
[ -f "$file" ] || file="$file.py"
[ -f "$file" ] || fail "there is no example \"${1:-}\"." "examples/README.md lists them, for instance: make example NAME=query"

parameters=(-p "urdf_file:=urdf/arm7.urdf")
case "$file" in
  *two_arms*) parameters=(-p "urdf_file:=urdf/dual_arm.urdf" -p "tip_links:=[left_hand, right_hand]") ;;
  *physics*) parameters+=(-p motion:=smooth -p publish_rate:=250.0 -p "command_joints:=[shoulder_pan_joint, shoulder_lift_joint,
    upper_arm_roll_joint, elbow_joint, forearm_roll_joint, wrist_flex_joint, wrist_roll_joint]") ;;
  *all_solutions*) parameters=(-p "urdf_file:=urdf/arm6.urdf") ;;
esac

scripts/with-ros urdf_ik_node --ros-args "${parameters[@]}" &
node="$!"
trap 'kill "$node" 2> /dev/null || true; wait "$node" || true' EXIT
case "$file" in
  *.rs) scripts/cargo-ros run --locked --release --quiet -p urdf_ik_node --example "$(basename "$file" .rs)" ;;
  *) scripts/with-ros python3 "$file" ;;
esac

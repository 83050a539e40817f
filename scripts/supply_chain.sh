#!/usr/bin/env bash
# Checks of the supply chain: advisories about all crates, from the downloaded RustSec database; an offline build from
# vendored crates; and a bill of materials, target/urdf_ik.cdx.json. ADVISORIES=FOLDER takes the database from a clone.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
here="$root/scripts/setup"
# shellcheck source=scripts/setup/steps.sh
. "$here/steps.sh"
# shellcheck source=scripts/setup/machine.sh
. "$here/machine.sh"
# shellcheck source=scripts/setup/debian.sh
. "$here/debian.sh"
# shellcheck source=scripts/setup/wheels.sh
. "$here/wheels.sh"
# shellcheck source=scripts/setup/own_python.sh
. "$here/own_python.sh"
# shellcheck source=scripts/setup/linters.sh
. "$here/linters.sh"

cd "$root"
mkdir -p target
find_cargo Cargo.toml
make_linters
if [ -n "${ADVISORIES:-}" ]; then
  clone="$(realpath "$ADVISORIES")"
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.$clone.insteadOf" GIT_CONFIG_VALUE_0=https://github.com/RustSec/advisory-db
fi
step "advisories" "Update or replace the crate, or explain in deny.toml why it does not matter here." target/advisories.log \
  "$linters/cargo-deny" --all-features --workspace --locked check advisories
step "vendoring crates" "Check the connection to crates.io." target/vendor.log \
  sh -c 'cargo vendor --locked target/vendor > target/vendor.toml'
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
step "building without a network" "A crate is missing in target/vendor." target/vendored.log \
  env CARGO_HOME="$home" cargo build --config target/vendor.toml --offline --locked --target-dir target/vendored \
  --profile play -p urdf_ik_cli
target/vendored/play/urdf_ik --version
python3 scripts/sbom.py > target/urdf_ik.cdx.json
say "target/urdf_ik.cdx.json lists $(grep -c '"purl"' target/urdf_ik.cdx.json) crates and wheels"

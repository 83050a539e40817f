#!/usr/bin/env bash
# Tries the installations of the README from the last commit of this repository, each in an empty home directory, and
# prints time and size: scripts/installs.sh [pip|without_rust|install|add]… It downloads crates, compiles everything
# three times (four minutes of processor time each), and needs 4 GB in TMPDIR.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
url="file://$root"
urdf="$root/urdf/arm7.urdf"
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
cd "$home"
tools="$(dirname -- "$(command -v cargo)"):$(dirname -- "$(command -v python3)"):/usr/bin:/bin"

# Runs a command with only the Rust toolchain: clean COMMAND [ARGUMENT]…
clean() {
  env -i HOME="$home" PATH="$home/.cargo/bin:$tools" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" CARGO_HOME="$home/.cargo" \
    TMPDIR="$home" CARGO_TERM_COLOR=never "$@"
}

# Prints the time since BEGAN, and the size of a path: conclude WHAT BEGAN PATH
conclude() {
  printf '== %s: %d s, %s\n' "$1" "$((SECONDS - $2))" "$(du -sh "$3" | cut -f 1)"
}

pip() {
  local began="$SECONDS"
  clean python3 -m venv --clear venv
  clean venv/bin/pip install --quiet --disable-pip-version-check "git+$url#subdirectory=crates/python"
  clean venv/bin/urdfik solve --urdf "$urdf" --position 0.3 0.2 0.7 > /dev/null
  clean venv/bin/python -c "import urdfik; assert urdfik.Arm('$urdf').solve([0.3, 0.2, 0.7]).solved"
  conclude "pip install" "$began" venv/lib/python3*/site-packages/urdfik
}

without_rust() {
  local began="$SECONDS" output
  clean python3 -m venv --clear venv
  output="$(clean env PATH=/usr/bin:/bin venv/bin/pip install "git+$url#subdirectory=crates/python" 2>&1)" && { echo "$output" >&2; exit 1; }
  grep 'install Rust (https://rustup.rs)' <<< "$output"
  conclude "pip install without Rust" "$began" venv
}

install() {
  local began="$SECONDS"
  clean cargo install --quiet --locked --git "$url" urdf_ik_cli
  clean urdf_ik solve --urdf "$urdf" --position 0.3 0.2 0.7 > /dev/null
  conclude "cargo install" "$began" .cargo/bin/urdf_ik
}

add() {
  local began="$SECONDS"
  clean cargo new --quiet --vcs none program
  cd program
  clean cargo add --quiet --git "$url" urdf_ik
  # The first program of docs/library.md.
  sed -n '/^use urdf_ik::InverseKinematics/,/^}$/p' "$root/docs/library.md" | sed "s|urdf/arm7.urdf|$urdf|" > src/main.rs
  clean cargo run --quiet --release
  conclude "cargo add" "$began" target/release/program
  cd ..
}

[ "$#" -gt 0 ] || set -- pip without_rust install add
for step; do "$step"; done

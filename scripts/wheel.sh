#!/usr/bin/env bash
# Builds the wheel and the source distribution of the Python module in target/wheels. The wheel is for any Linux with
# glibc 2.28 or newer and CPython 3.10 or newer; zig links it against that glibc. Both contain the licence notices of
# all compiled crates.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root"
# shellcheck source=scripts/setup/steps.sh
. scripts/setup/steps.sh
# shellcheck source=scripts/setup/machine.sh
. scripts/setup/machine.sh

tools="$root/target/wheel-tools"
target="$(uname -m)-unknown-linux-gnu"
wanted=(maturin==1.16.0 ziglang==0.17.0)

find_cargo Cargo.toml
if [ "${wanted[*]}" != "$(cat "$tools/recipe" 2> /dev/null)" ]; then
  say "installing ${wanted[*]} into $tools"
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check "${wanted[@]}"
  # Written last: a folder without it is incomplete.
  printf '%s\n' "${wanted[*]}" > "$tools/recipe"
fi
notices=crates/python/LICENSES-OF-PARTS.txt
trap 'rm -f "$notices"' EXIT
python3 scripts/licences.py urdf_ik_python "$target" > "$notices"
rm -rf target/wheels
# maturin uses the ziglang of the first Python on PATH.
export PATH="$tools/bin:$PATH"
options=(--manifest-path crates/python/Cargo.toml --out target/wheels)
maturin build --release --locked --zig --target "$target" --compatibility manylinux_2_28 "${options[@]}"
maturin sdist "${options[@]}" 2> target/sdist.log || { cat target/sdist.log >&2; exit 1; }
ls -l target/wheels

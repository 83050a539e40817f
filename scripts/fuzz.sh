#!/usr/bin/env bash
# Runs a fuzz target with coverage-guided inputs: fuzz.sh TARGET MINUTES. New inputs are stored in target/fuzz/TARGET,
# failing ones as target/fuzz/TARGET.failed-…; `TARGET=NAME target/fuzz/build/…/debug/fuzz FILE` repeats one. Needs a
# C++ compiler.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root"
if [ "$#" -ne 2 ]; then
  echo "Name a target: make fuzz TARGET=NAME. The targets are $(cd crates/fuzz/corpus && echo *)" >&2
  exit 2
fi
target="$1" minutes="$2"
triple="$(rustc --version --verbose | sed -n 's/^host: //p')"
# Stable Rust has the compiler pass that libFuzzer needs. An explicit target triple excludes build scripts and macros.
options=(level=4 inline-8bit-counters pc-table trace-compares)
flags="$(sed -n 's/^rustflags = \["\(.*\)"\]$/\1/p' .cargo/config.toml)"
export RUSTFLAGS="$flags -Cpasses=sancov-module ${options[*]/#/-Cllvm-args=-sanitizer-coverage-}" TARGET="$target"
cargo build --locked --manifest-path crates/fuzz/Cargo.toml --features coverage --bin fuzz --target "$triple" --target-dir target/fuzz/build
mkdir -p "target/fuzz/$target"
exec "target/fuzz/build/$triple/debug/fuzz" "target/fuzz/$target" "crates/fuzz/corpus/$target" \
  -max_total_time="$((minutes * 60))" -max_len=16384 -timeout=20 -rss_limit_mb=2048 -close_fd_mask=1 -print_final_stats=1 \
  -artifact_prefix="target/fuzz/$target.failed-"

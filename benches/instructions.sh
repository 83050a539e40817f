#!/usr/bin/env bash
# Instruction counts of the solves in the record of answers, at a revision and in the working tree:
# benches/instructions.sh [REVISION] [GROUP]… REVISION is HEAD by default; GROUP is a part of the groups' names in the
# record, by default "search, jacobian" and "track, jacobian". valgrind counts inside Solver::solve. Unlike times,
# counts do not depend on the load of the machine.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

revision="${1:-HEAD}"
groups=("${@:2}")
[ "${#groups[@]}" -gt 0 ] || groups=("search, jacobian" "track, jacobian")
work="$PWD/target/instructions"
mkdir -p "$work"

# Builds the record of the source in a folder: build FOLDER TARGET. Prints the path of the program.
build() {
  cargo bench --quiet --locked --manifest-path "$1/Cargo.toml" --target-dir "$2" -p urdf_ik --bench record --no-run \
    --message-format json | python3 -c '
import json, sys
print([line["executable"] for line in map(json.loads, sys.stdin) if line.get("executable")][-1])'
}

# Counts the instructions of a group: count PROGRAM GROUP
count() {
  local report="$work/callgrind.txt"
  if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='urdf_ik_solver::prepared_solver::Solver::solve' \
    "$1" write "$work/answers" "$2" > "$report" 2>&1; then
    cat "$report" >&2
    return 1
  fi
  sed -n 's/.*Collected : *//p' "$report"
}

if [ ! -e "$work/source/.git" ]; then
  git worktree prune
  git worktree add --quiet --detach "$work/source" "$revision"
fi
git -C "$work/source" checkout --quiet --force --detach "$(git rev-parse "$revision")"
# Older revisions cannot write a subset of the groups.
cp crates/urdf_ik/benches/record/main.rs "$work/source/crates/urdf_ik/benches/record/main.rs"
before="$(build "$work/source" "$work/target")"
after="$(build "$PWD" "$PWD/target")"
printf '%-28s %16s %16s %9s\n' group "$revision" 'working tree' change
for group in "${groups[@]}"; do
  counts=("$(count "$before" "$group")" "$(count "$after" "$group")")
  awk -v group="$group" -v before="${counts[0]}" -v after="${counts[1]}" \
    'BEGIN { printf "%-28s %16.0f %16.0f %+8.2f %%\n", group, before, after, 100 * (after / before - 1) }'
done

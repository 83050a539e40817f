# shellcheck shell=bash
# Messages of set-up, its lock, and the execution of single steps.

say() {
  printf 'urdf_ik: %s\n' "$*"
}

# Aborts set-up with the problem $1 and the remedy $2.
fail() {
  printf 'urdf_ik: %s\n' "$1" "$2" >&2
  exit 1
}

# Creates the folder for builds and downloads, and waits until no other set-up of this checkout uses it.
take_turns() {
  # Options of a calling make must not affect inner makes.
  unset MAKEFLAGS MFLAGS MAKELEVEL
  mkdir -p "$root/.ros"
  touch "$root/.ros/COLCON_IGNORE"
  exec 9> "$root/.ros/lock"
  if ! flock --nonblock 9; then
    say "waiting for another set-up of this checkout to end"
    flock 9
  fi
}

# Runs a command with a progress display: step TITLE REMEDY LOG COMMAND [ARGUMENT]… The output goes to the file LOG. If
# the command fails, its last lines and REMEDY are printed and set-up ends.
step() {
  local title="$1" remedy="$2" log="$3" began="$SECONDS"
  shift 3
  say "$title …"
  mkdir -p "$(dirname "$log")"
  if "$@" < /dev/null 2>&1 | tee "$log" | show_progress; then
    say "$title: done in $((SECONDS - began)) s"
  else
    printf '\n' >&2
    tail -n 40 "$log" >&2
    fail "\"$title\" failed; the lines above are the end of $log." "$remedy"
  fi
}

# Displays the last line read: in place on a terminal, otherwise one every 10 seconds.
show_progress() {
  local line shown="$SECONDS" width="${COLUMNS:-80}"
  while IFS= read -r line; do
    if [ -t 1 ]; then
      printf '\r\033[K  %.*s' "$((width - 3))" "$line"
    elif ((SECONDS - shown >= 10)); then
      printf '  %.*s\n' "$((width - 3))" "$line"
      shown="$SECONDS"
    fi
  done
  if [ -t 1 ]; then
    printf '\r\033[K'
  fi
}

# shellcheck shell=bash
# What set-up says, how it waits for another one, and how it runs one step.

say() {
  printf 'urdf_ik: %s\n' "$*"
}

# Ends the set-up: $1 says what is wrong, $2 what to do about it.
fail() {
  printf 'urdf_ik: %s\n' "$1" "$2" >&2
  exit 1
}

# Makes the folder of all that is built and downloaded, and waits until no other set-up of this checkout works in it.
take_turns() {
  # The options of a make that called this are not for the makes that are called from here.
  unset MAKEFLAGS MFLAGS MAKELEVEL
  mkdir -p "$root/.ros"
  touch "$root/.ros/COLCON_IGNORE"
  exec 9> "$root/.ros/lock"
  if ! flock --nonblock 9; then
    say "waiting for another set-up of this checkout to end"
    flock 9
  fi
}

# Runs a command and shows that it is alive: step TITLE REMEDY LOG COMMAND [ARGUMENT]…
# The output goes to the file LOG. Where the command fails, its last lines and REMEDY are printed and set-up ends.
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

# Shows the line that was read last: in place on a terminal, otherwise one every 10 seconds.
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

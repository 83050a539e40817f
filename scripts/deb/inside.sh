#!/usr/bin/env bash
# The trial of scripts/deb/try.sh, inside the bare system: installs the packages, queries the node and the command line,
# builds a C program, and removes everything again. Prints the duration of each step, without downloads.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
# No communication with nodes of other machines or of this one.
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=87
cd /trial
arm=/usr/share/urdf_ik/urdf/arm7.urdf

quietly() {
  "$@" > /trial/log 2>&1 || { tail -n 30 /trial/log >&2; printf 'failed: %s\n' "$*" >&2; exit 1; }
}

# Prints the time since $2, in microseconds since the epoch: took TITLE BEGAN
took() {
  printf '%-62s %5d.%d s\n' "$1" "$(((${EPOCHREALTIME/./} - $2) / 1000000))" "$(((${EPOCHREALTIME/./} - $2) / 100000 % 10))"
}

# The block of docs/c.md in language $1 that contains $2.
block() {
  awk -v fence="\`\`\`$1" -v words="$2" '
    $0 == fence { text = ""; inside = 1; next }
    inside && $0 == "```" { if (index(text, words)) { printf "%s", text; exit } inside = 0 }
    inside { text = text $0 "\n" }' c.md
}

node_answers() {
  local began="${EPOCHREALTIME/./}" start
  quietly apt-get install --yes ./urdf-ik-node_*.deb
  took "urdf-ik-node: apt install ($(du -sm /opt/urdf_ik | cut -f 1) MB in /opt/urdf_ik)" "$began"
  start="${EPOCHREALTIME/./}"
  urdf_ik_node --ros-args -p urdf_file:=/opt/urdf_ik/share/urdf_ik/urdf/arm7.urdf > node.log 2>&1 &
  # shellcheck source=/dev/null
  (. /opt/urdf_ik/setup.sh && quietly timeout 120 python3 /usr/share/doc/urdf-ik-node/examples/query.py && cp log answer)
  kill -INT "$!"
  wait "$!" || { cat node.log; exit 1; }
  grep -q '^success: True' answer || { cat answer node.log; exit 1; }
  took "urdf-ik-node: start to first answer, in Python" "$start"
  took "urdf-ik-node: both commands to the first answer" "$began"
}

command_line_answers() {
  local began="${EPOCHREALTIME/./}"
  quietly apt-get install --yes ./urdf-ik_*.deb
  quietly urdf_ik solve --urdf "$arm" --target 0.4 0.1 0.4 1 0 0 0
  took "urdf-ik: apt install to the first solution" "$began"
}

# The program and the commands of docs/c.md, built in a folder outside, run from another.
programs_build() {
  local options
  mkdir -p /root/project
  block c "int main" > /root/project/first.c
  block cmake find_package > /root/project/CMakeLists.txt
  options="$(block sh pkg-config | sed -n 's/^cc //p')"
  (cd /root/project && quietly sh -ec "cc ${options%% -Wl,*}")
  quietly /root/project/first "$arm"
  quietly cmake -S /root/project -B /root/project/build
  quietly cmake --build /root/project/build
  quietly /root/project/build/first "$arm"
  printf '%s\n' "urdf-ik: the program of docs/c.md builds by pkg-config and by CMake, and solves"
}

removed() {
  local -a names=()
  mapfile -t names < <(dpkg-query --show --showformat '${Package}\n' 'urdf-ik*')
  quietly apt-get purge --yes "${names[@]}"
  if find / -xdev \( -path /trial -o -path /root \) -prune -o -name '*urdf[-_]ik*' -print | grep .; then
    echo "apt purge left these files" >&2
    exit 1
  fi
  echo "apt purge removes all"
}

quietly apt-get update
quietly apt-get install --yes --download-only ./*.deb
quietly apt-get install --yes --download-only ./*.deb gcc libc6-dev cmake make pkg-config
if command -v cargo rustc python3; then
  echo "this system is not bare" >&2
  exit 1
fi
sed -n "s/^PRETTY_NAME=//p" /etc/os-release
if compgen -G '/trial/urdf-ik-node_*' > /dev/null; then
  node_answers
fi
command_line_answers
quietly apt-get install --yes gcc libc6-dev cmake make pkg-config
programs_build
removed

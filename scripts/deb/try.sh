#!/usr/bin/env bash
# Tries the packages of target/deb on a bare Debian without Rust and without this checkout: sudo scripts/deb/try.sh
# [SUITE] [FOLDER]
# SUITE is bookworm by default; FOLDER holds the systems (500 MB). It needs debootstrap and a network; MIRROR is an
# alternative source of packages.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
# shellcheck source=scripts/setup/steps.sh
. "$root/scripts/setup/steps.sh"

suite="${1:-bookworm}"
folder="${2:-/tmp/urdf_ik_deb}"
base="$folder/$suite"
system="$folder/$suite.trial"

compgen -G "$root/target/deb/*.deb" > /dev/null || fail "There are no packages in $root/target/deb." "Make them first: make deb"
[ "$(id -u)" = 0 ] || fail "Only root can make a system of its own." "Run it with sudo."
command -v debootstrap > /dev/null || fail "debootstrap was not found." "Install it: apt-get install debootstrap"
if [ ! -e "$base.made" ]; then
  rm -rf "$base"
  step "installing a bare $suite" "Read $folder/$suite.log." "$folder/$suite.log" \
    debootstrap --variant=minbase "$suite" "$base" ${MIRROR:+"$MIRROR"}
  touch "$base.made"
fi
rm -rf "$system"
cp -a "$base" "$system"
mkdir "$system/trial"
cp "$root"/target/deb/*.deb "$root/scripts/deb/inside.sh" "$root/docs/c.md" "$system/trial"
# Mounts end with this command.
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child bash -c '
  mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && mount --bind /dev/null "$1/dev/null" \
    && exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" bash /trial/inside.sh' _ "$system"
rm -rf "$system"

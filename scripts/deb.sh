#!/usr/bin/env bash
# Builds Debian packages in target/deb: scripts/deb.sh [urdf-ik] [urdf-ik-node]; both by default.
# urdf-ik has the command line and the library for C and C++. urdf-ik-node has the node below /opt/urdf_ik: with the
# private ROS 2, or depending on the packages of the sourced ROS 2. They run on the Debian or Ubuntu release of the
# build, and on newer ones.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root"
# shellcheck source=scripts/setup/steps.sh
. scripts/setup/steps.sh
# shellcheck source=scripts/setup/machine.sh
. scripts/setup/machine.sh
# shellcheck source=scripts/setup/environment.sh
. scripts/setup/environment.sh

out="$root/target/deb"
version="$(sed -n '0,/^version = /s/^version = "\(.*\)"/\1/p' Cargo.toml)"

check_tools() {
  local tool
  for tool in dpkg-deb dpkg-shlibdeps cmake readelf; do
    command -v "$tool" > /dev/null || fail "$tool was not found." "Install it: sudo apt-get install dpkg-dev cmake"
  done
  find_cargo Cargo.toml
  architecture="$(dpkg --print-architecture)"
  target="$(rustc --version --verbose | sed -n 's/^host: //p')"
}

# Prints the Debian dependencies of the binaries below folder $1. The following folders have libraries of other origin.
shared_libraries() {
  local tree="$1" folder work found
  local -a options=() binaries=()
  shift
  for folder in "$@"; do
    options+=("-l$folder")
  done
  mapfile -t binaries < <(find "$tree" -type f -size +3 -exec sh -c 'readelf -h "$1" > /dev/null 2>&1' _ {} \; -print)
  work="$(mktemp -d)"
  mkdir "$work/debian"
  printf 'Source: urdf-ik\n\nPackage: urdf-ik\nArchitecture: any\n' > "$work/debian/control"
  found="$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${options[@]}" "${binaries[@]}" 2> "$out/shlibdeps.log")" \
    || fail "dpkg-shlibdeps did not find a library: $(grep error: "$out/shlibdeps.log")" "Report this with $out/shlibdeps.log."
  rm -r "$work"
  sed -n 's/^shlibs:Depends=//p' <<< "$found"
}

# Prints the ROS 2 packages that the node depends on: those of package.xml, and those of its linked messages.
ros_packages() {
  {
    sed -n 's:.*<depend>\(.*\)</depend>.*:\1:p' package.xml
    readelf --dynamic "$1/opt/urdf_ik/lib/urdf_ik/urdf_ik_node" | sed -n 's/.*(NEEDED).*\[lib\(.*\)__rosidl_.*/\1/p' | grep -vx urdf_ik
  } | as_packages
}

# Converts names of ROS 2 packages, one per line, into a list of Debian packages.
as_packages() {
  sort -u | tr _ - | sed "/^python3-/!s/^/ros-$ROS_DISTRO-/" | paste -sd , | sed 's/,/, /g'
}

# Writes the notices, from standard input, the copyright file and the changelog of package $2 into tree $1.
document() {
  local folder="$1/usr/share/doc/$2"
  mkdir -p "$folder"
  gzip -9n > "$folder/NOTICES.gz"
  gzip -9n < CHANGELOG.md > "$folder/CHANGELOG.md.gz"
  { cat packaging/debian/copyright && sed 's/^$/./; s/^/ /' LICENSE-MIT; } > "$folder/copyright"
}

# Packs tree $1 with the control file $2, in which the NAME=VALUE arguments replace @NAMES@.
pack() {
  local tree="$1" files="packaging/debian/$2" pair
  shift 2
  local -a replace=()
  find "$tree" -type d -exec chmod 755 {} +
  find "$tree" -type f -exec chmod u+rw,go+r,go-w {} +
  find "$tree" -name '*.so*' -type f -exec chmod a-x {} +
  for pair in "$@" "ARCHITECTURE=$architecture" "SIZE=$(du -sk --apparent-size "$tree" | cut -f 1)"; do
    replace+=(-e "s#@${pair%%=*}@#${pair#*=}#")
  done
  mkdir "$tree/DEBIAN"
  sed "${replace[@]}" "$files.control" > "$tree/DEBIAN/control"
  if [ -e "$files.prerm" ]; then
    install --mode 755 "$files.prerm" "$tree/DEBIAN/prerm"
  fi
  if [ -e "$files.triggers" ]; then
    install --mode 644 "$files.triggers" "$tree/DEBIAN/triggers"
  fi
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$out" > "$out/dpkg-deb.log"
  rm -r "$tree"
}

pack_command_line() {
  local tree="$out/urdf-ik" library depends
  library="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
  step "building the command line and the C library" "Correct the errors that they show, then run this again." "$out/build.log" \
    env --unset=CARGO_TARGET_DIR cargo build --release --locked -p urdf_ik_cli -p urdf_ik_c
  install -Ds --mode 755 target/release/urdf_ik "$tree/usr/bin/urdf_ik"
  step "installing the C library" "Report this with the file $out/library.log." "$out/library.log" install_library "$tree" "$library"
  mkdir -p "$tree/usr/share/urdf_ik"
  cp -r urdf config/skeletons "$tree/usr/share/urdf_ik"
  python3 scripts/licences.py urdf_ik_cli,urdf_ik_c "$target" | document "$tree" urdf-ik
  depends="$(shared_libraries "$tree")"
  pack "$tree" urdf-ik "VERSION=$version" "DEPENDS=$depends"
}

install_library() {
  cmake -S crates/c -B "$out/c" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="$2" -DURDF_IK_C_LIBRARIES="$root/target/release" \
    && DESTDIR="$1" cmake --install "$out/c" \
    && strip --strip-unneeded "$1/usr/$2"/liburdf_ik_c.so.*.* && strip --strip-debug "$1/usr/$2/liburdf_ik_c.a"
}

pack_node() {
  local tree="$out/urdf-ik-node" workspace
  workspace="$(_urdf_ik_workspace "$root")"
  scripts/setup.sh --without-command-line
  mkdir -p "$tree/opt" "$tree/usr/share/doc/urdf-ik-node"
  if [ "$workspace" = "$root/.ros/embedded" ]; then
    with_private_ros "$workspace" "$tree"
  else
    with_sourced_ros "$workspace" "$tree"
  fi
}

with_private_ros() {
  local prefix="$1/prefix" tree="$2" python minor depends
  python="$(basename "$prefix"/lib/python3.*)"
  minor="${python#python3.}"
  python3 scripts/deb/node_tree.py "$1/install/urdf_ik" "$tree/opt/urdf_ik" "$prefix" > "$out/taken"
  { python3 scripts/licences.py urdf_ik_node "$target" && python3 scripts/deb/ros_notices.py "$prefix" < "$out/taken"; } \
    | document "$tree" urdf-ik-node
  depends="$(shared_libraries "$tree" "$tree/opt/urdf_ik/lib")"
  finish_node "$tree" jazzy "$python" "" "VERSION=$version" "DEPENDS=$depends" \
    "RECOMMENDS=python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))), python3-numpy, python3-yaml"
}

with_sourced_ros() {
  local tree="$2" python depends
  python="$(basename "$1"/install/urdf_ik/lib/python3.*)"
  python3 scripts/deb/node_tree.py "$1/install/urdf_ik" "$tree/opt/urdf_ik"
  python3 scripts/licences.py urdf_ik_node "$target" | document "$tree" urdf-ik-node
  depends="$(shared_libraries "$tree" "$tree/opt/urdf_ik/lib" "/opt/ros/$ROS_DISTRO/lib")"
  finish_node "$tree" "$ROS_DISTRO" "$python" ". /opt/ros/$ROS_DISTRO/setup.sh" "VERSION=$version+$ROS_DISTRO" \
    "DEPENDS=$depends, $(ros_packages "$tree")" \
    "RECOMMENDS=$(sed -n 's:.*<exec_depend>\(.*\)</exec_depend>.*:\1:p' package.xml | as_packages)"
}

# Adds the start command, the environment and the examples to tree $1, and packs it. $4 is a command that sets up the
# environment of ROS 2.
finish_node() {
  local tree="$1" distro="$2" python="$3" source_ros="$4"
  shift 4
  install -D --mode 755 packaging/debian/urdf_ik_node "$tree/usr/bin/urdf_ik_node"
  sed -e "s|@DISTRO@|$distro|; s|@PYTHON@|$python|; s|@SOURCE_ROS@|$source_ros|" packaging/debian/setup.sh > "$tree/opt/urdf_ik/setup.sh"
  mkdir "$tree/usr/share/doc/urdf-ik-node/examples"
  cp examples/*.py "$tree/usr/share/doc/urdf-ik-node/examples"
  pack "$tree" urdf-ik-node "$@" "DISTRO=$distro"
}

mkdir -p "$out"
check_tools
[ "$#" != 0 ] || set -- urdf-ik urdf-ik-node
for package in "$@"; do
  case "$package" in
    urdf-ik) pack_command_line ;;
    urdf-ik-node) pack_node ;;
    *) fail "There is no package $package." "Name urdf-ik or urdf-ik-node, or none for both." ;;
  esac
done
ls -l "$out"/*.deb

# shellcheck shell=bash
# The Debian packages that set-up needs.

# Prints the missing packages; checks for their contents, which may have been installed in other ways. The variable
# python exists if a private ROS 2 is to be created, and is empty if no interpreter was found for it.
missing_debian_packages() {
  command -v cmake > /dev/null || echo cmake
  { command -v c++ && command -v cc; } > /dev/null || echo build-essential
  # bindgen needs the library and the compiler's own headers.
  { compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' && compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h'; } \
    > /dev/null || [ -n "${LIBCLANG_PATH:-}" ] || echo libclang-dev
  if [ -n "${python+chosen}" ]; then
    missing_python_packages
  fi
}

missing_python_packages() {
  local name
  if [ -z "$python" ]; then
    printf '%s\n' python3 python3-venv python3-dev
  elif ! python_is_complete "$python"; then
    name="$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')"
    printf '%s\n' "$name-venv" "$name-dev"
  fi
}

install_debian_packages() {
  local -a packages=()
  mapfile -t packages < <(missing_debian_packages)
  install_with_apt "${packages[@]}"
  if [ "${#packages[@]}" != 0 ] && [ -n "${python+chosen}" ]; then
    choose_python
  fi
}

# Installs these packages, if any: directly as root, otherwise with sudo after asking.
install_with_apt() {
  local -a packages=("$@") as_root=()
  if [ "${#packages[@]}" = 0 ]; then
    return
  fi
  if ! command -v apt-get > /dev/null; then
    fail "These are missing: ${packages[*]} (named as Debian names them)." \
      "Install them with this system's package manager, then run this again."
  fi
  if [ "$(id -u)" != 0 ]; then
    as_root=(sudo)
    ask_for_sudo "${packages[@]}"
  fi
  local remedy="Run it by hand to see more: ${as_root[*]} apt-get install ${packages[*]}"
  step "reading the list of Debian packages" "$remedy" "$root/.ros/apt-update.log" "${as_root[@]}" apt-get update
  step "installing ${packages[*]}" "$remedy" "$root/.ros/apt-install.log" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${packages[@]}"
}

ask_for_sudo() {
  local answer by_hand="sudo apt-get install $*"
  if [ ! -t 0 ] || ! command -v sudo > /dev/null; then
    fail "These Debian packages are missing: $*." "Run this, then try again: $by_hand"
  fi
  read -r -p "urdf_ik: these Debian packages are missing: $*. Install them with sudo? [y/N] " answer
  case "$answer" in
    [yY]*) sudo --validate ;;
    *) fail "Nothing was installed." "Run this, then try again: $by_hand" ;;
  esac
}

# Installs a package that only tests use, unless a command of its name or one of the others exists. Without it some of
# them are skipped with a message: install_for_tests PACKAGE [COMMAND]…
install_for_tests() {
  if command -v "$@" > /dev/null; then
    return
  fi
  if ! (install_with_apt "$1"); then
    say "$1 could not be installed: what needs it is not tested"
  fi
}

# shellcheck shell=bash
# Small virtual environments in .ros, beside the private ROS 2.

# Creates the virtual environment $1 with the packages after $2, which is a module of one of them, unless it has them.
make_own_python() {
  local folder="$1" module="$2"
  shift 2
  if [ "$*" = "$(cat "$folder/recipe" 2> /dev/null)" ] && "$folder/bin/python" -c "import $module" 2> /dev/null; then
    return
  fi
  choose_python
  if [ -z "$python" ] || ! "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    install_with_apt python3 python3-venv
    choose_python
  fi
  rm -rf "$folder"
  make_environment "$folder" "$module" "$root/.ros" "$@"
  # Written last: a folder without it is incomplete.
  printf '%s\n' "$*" > "$folder/recipe"
}

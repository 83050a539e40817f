# shellcheck shell=bash
# Gives this shell (bash or zsh) ROS 2 and the built package: source scripts/env.sh
# Afterwards `python` imports rclpy and urdf_ik.srv, and urdf_ik_node and urdf_ik are commands.

_urdf_ik_root="$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]:-$0}")/.." >/dev/null && pwd -P)"
# shellcheck source=scripts/setup/environment.sh
. "$_urdf_ik_root/scripts/setup/environment.sh"

_urdf_ik_enter() {
  local workspace
  workspace="$(_urdf_ik_workspace "$1")"
  if [ ! -x "$workspace/install/urdf_ik/lib/urdf_ik/urdf_ik_node" ]; then
    printf 'urdf_ik: not built for this ROS 2 yet (there is no %s). Run: make -C "%s" build\n' \
      "$workspace/install/urdf_ik" "$1" >&2
    return 1
  fi
  _urdf_ik_export "$workspace"
}

_urdf_ik_status=0
_urdf_ik_enter "$_urdf_ik_root" || _urdf_ik_status=1
unset -f _urdf_ik_foreign _urdf_ik_workspace _urdf_ik_join _urdf_ik_export _urdf_ik_enter
eval "unset _urdf_ik_root _urdf_ik_status; return $_urdf_ik_status"

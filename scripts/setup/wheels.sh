# shellcheck shell=bash
# Python packages in a virtual environment.

# Makes the virtual environment $1 with $2, which is the packages that pip is told of by the arguments behind $3, the folder of its logs.
make_environment() {
  local folder="$1" what="$2" logs="$3"
  shift 3
  step "making a virtual environment" "See whether this works: $python -m venv /tmp/trial" "$logs/venv.log" \
    "$python" -m venv "$folder"
  # --no-compile: Python compiles the few modules that are used when it first imports them.
  step "installing $what from PyPI" "Check the connection to https://pypi.org, then run this again." "$logs/pip.log" \
    env PIP_CONSTRAINT="$root/scripts/requirements.txt" "$folder/bin/python" -m pip install --no-input \
    --disable-pip-version-check --progress-bar off --use-pep517 --no-deps --no-compile "$@"
}

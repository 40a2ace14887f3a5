# Sourced after setup.sh: Python packages of others, for benches and interoperation, in a private folder of the checkout.

# python_packages FOLDER MEGABYTES PACKAGE…: installs them there with their dependencies, unless just these are there.
python_packages() { pip_into packages "$@"; }

# python_environment FOLDER MEGABYTES PACKAGE…: the same in a virtual environment, FOLDER/bin/python.
python_environment() { pip_into environment "$@"; }

# pip_into KIND FOLDER MEGABYTES PACKAGE…
pip_into() {
    local kind=$1 folder=$2 megabytes=$3 wanted python=python3 place=()
    shift 3
    wanted="$(python3 --version) $*"
    [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ] || return 0
    say "installing with pip into ${folder#"$PWD/"}: $* ($megabytes MB)"
    rm -rf "$folder"
    if [ "$kind" = environment ]; then
        python3 -m venv "$folder" || die "python3 cannot make a virtual environment (what to do: install python3-venv)"
        python=$folder/bin/python
    else
        place=(--target "$folder")
    fi
    PIP_USER=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        "$python" -m pip install --quiet "${place[@]}" "$@" ||
        die "pip cannot install: $* (what to do: read its message above; a package index must be reachable)"
    echo "$wanted" > "$folder/wanted"
}

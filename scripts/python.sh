# Sourced after setup.sh: Python packages of others, for benches and interoperation, in a private folder of the checkout.

# python_packages FOLDER MEGABYTES PACKAGE…: installs them there with their dependencies, unless just these are there.
python_packages() {
    local folder=$1 megabytes=$2 wanted
    shift 2
    wanted="$(python3 --version) $*"
    [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ] || return 0
    say "installing with pip into ${folder#"$PWD/"}: $* ($megabytes MB)"
    rm -rf "$folder"
    PIP_USER=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        python3 -m pip install --quiet --target "$folder" "$@" ||
        die "pip cannot install: $* (what to do: read its message above; a package index must be reachable)"
    echo "$wanted" > "$folder/wanted"
}

# python_environment FOLDER MEGABYTES PACKAGE…: a virtual environment with them and their dependencies, unless just these are there.
python_environment() {
    local folder=$1 megabytes=$2 wanted
    shift 2
    wanted="$(python3 --version) $*"
    [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ] || return 0
    say "installing with pip into ${folder#"$PWD/"}: $* ($megabytes MB)"
    rm -rf "$folder"
    python3 -m venv "$folder" || die "python3 cannot make a virtual environment (what to do: install python3-venv)"
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$folder/bin/python" -m pip install --quiet "$@" ||
        die "pip cannot install: $* (what to do: read its message above; a package index must be reachable)"
    echo "$wanted" > "$folder/wanted"
}

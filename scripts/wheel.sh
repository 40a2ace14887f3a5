#!/usr/bin/env bash
# The Python wheel: both programs and the module `taskgen`; then a fresh virtual environment, in which they are tried.
#
# What a user may set, each respected as it is:
#   WHEEL_PROFILE   dev (default: the profile of demo and tests, so that nothing is compiled twice) or release
#   TASKGEN_CPU     portable (default) or native, for this machine's CPU alone
set -euo pipefail

MATURIN_VERSION=1.16.0
PIP_VERSION=25.0.1
MYPY_VERSION=2.4.1
PANDAS_VERSION=2.3.3
case ${WHEEL_PROFILE:=dev} in
    dev) BUILD_PROFILE=debug ;;
    release) BUILD_PROFILE=release ;;
    *)
        echo "make: no such profile: $WHEEL_PROFILE (what to do: WHEEL_PROFILE=dev or release)" >&2
        exit 2
        ;;
esac

cat >&2 <<TEXT
make wheel: taskgen, taskgen-llm and the Python module in one file, tried in a fresh virtual environment
  download   80 MB of tools (maturin, mypy, pandas), 20 MB of crates of other systems, a speech model of 78 MB,
             unless they are here; and what make demo needs
  time       about ten minutes after make demo or make test (our own code is compiled once more); 20 from nothing
TEXT
started=$SECONDS
. "$(dirname "$0")/setup.sh"
. scripts/python.sh
export TASKGEN_MODELS="${TASKGEN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/taskgen/models}"
PYTHON=$(python3 -c 'import sys; print(sys.executable if sys.version_info >= (3, 10) else "")')
[ -n "$PYTHON" ] || die "$(python3 --version) is too old for the Python module (what to do: a python3 of 3.10 or newer)"
WHEELS=$CARGO_TARGET_DIR/wheels
WORK=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$WORK"' EXIT
VENV=$WORK/venv
CHECKERS=$PWD/.tools/wheel

# step NAME COMMAND…: runs it and prints its seconds; the first failing step ends the run.
step() {
    local name=$1 begin=$SECONDS
    shift
    "$@" || {
        echo "make: failed: $name, after $((SECONDS - begin)) s" >&2
        exit 1
    }
    echo "== $name: $((SECONDS - begin)) s"
}

# Debug information would make the wheel of the dev profile twice as large; a release has none.
build() {
    local strip=true
    [ "$WHEEL_PROFILE" = dev ] || strip=false
    rm -rf "$WHEELS"
    already_built || say "building; the C++ of the two engines takes most of 10 minutes"
    "$PWD/.tools/maturin-$MATURIN_VERSION/bin/maturin" build --profile "$WHEEL_PROFILE" --strip=$strip --out "$WHEELS"
}

# alone COMMAND…: runs it with nothing on the PATH but the virtual environment: no cargo, no other taskgen.
alone() {
    env -i HOME="$WORK" LANG=C.UTF-8 PATH="$VENV/bin" PYTHONDONTWRITEBYTECODE=1 \
        TASKGEN_MODELS="$TASKGEN_MODELS" TASKGEN_PROGRAM="$VENV/bin/taskgen" "$@"
}

# Without an index: the wheel needs no other package. pip stays outside: Debian's Python has none to put into it.
install() {
    "$PYTHON" -m venv --without-pip "$VENV" &&
        alone PYTHONPATH="$PWD/.tools/pip-$PIP_VERSION" PIP_CONFIG_FILE=/dev/null python -m pip \
            --disable-pip-version-check install --quiet --no-index "$WHEELS"/taskgen-*.whl
}

programs() {
    alone taskgen --version && alone taskgen-llm --version && alone python -m taskgen --version
}

# The module, the program that it finds and their version are those of the wheel.
module() {
    alone python - "$VENV" <<'PYTHON' || return
import sys
import taskgen

folder = sys.argv[1]
assert taskgen.__file__.startswith(folder), taskgen.__file__
assert taskgen.find_program() == f"{folder}/bin/taskgen", taskgen.find_program()
assert taskgen.output("--version").split() == ["taskgen", taskgen.__version__], taskgen.__version__
PYTHON
    alone python -m unittest discover -s python/tests
}

# The model is fetched in the usual environment, which may name a proxy.
transcription() {
    "$VENV/bin/taskgen" --quiet models pull tiny.en >/dev/null &&
        cp seminars/soil.mp3 "$WORK" &&
        (cd "$WORK" && alone taskgen --quiet --offline transcribe soil.mp3 >/dev/null) &&
        alone python - "$WORK/soil.mp3.json" <<'PYTHON'
import sys
import taskgen

transcript = taskgen.read_transcript(sys.argv[1])
assert "ground truth in the field" in transcript.text, transcript.text
print(f"{transcript.path}: {len(transcript.segments)} segments, {len(transcript.text)} characters")
PYTHON
}

# The wheel's own environment has no pandas.
tables() {
    alone PYTHONPATH="$CHECKERS" python -m unittest discover -s python/tests -p test_frames.py
}

# mypy ARGUMENTS…, out of a private folder.
mypy() {
    PYTHONPATH="$CHECKERS" "$PYTHON" -m mypy --cache-dir "$WORK/mypy" "$@"
}

# The module by itself, and what a user of the installed one sees of its annotations.
types() {
    cat > "$WORK/user.py" <<'PYTHON'
import taskgen

tasks: list[taskgen.Task] = taskgen.Project("demo").tasks()
ranks: list[int | None] = [task.rank for task in tasks]
PYTHON
    mypy && (cd "$WORK" && mypy --strict --python-executable "$VENV/bin/python" user.py)
}

fetch_tool maturin $MATURIN_VERSION 10
fetch_tool pip $PIP_VERSION 2
python_packages "$CHECKERS" 250 mypy==$MYPY_VERSION pandas==$PANDAS_VERSION
step "build ($WHEEL_PROFILE)" build
step "fresh virtual environment" install
step programs programs
step "Python module" module
step transcription transcription
step "tables of pandas" tables
step "types of the module" types
wheel=$(ls "$WHEELS"/taskgen-*.whl)
installed=$(du -cm "$VENV/bin/taskgen" "$VENV/bin/taskgen-llm" | awk 'END { print $1 }')
echo "make wheel: done in $((SECONDS - started)) s; $(($(wc -c < "$wheel") / 1000000)) MB, $installed MB installed:"
echo "  pip install $wheel"

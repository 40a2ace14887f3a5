#!/usr/bin/env bash
# Formatting, lints and tests, with the seconds of each step; `quick` leaves out the tests that load a model.
# A test that loads a model has `real` in its name; everything else needs neither weights nor a network.
set -euo pipefail
mode=${1:-all}
started=$SECONDS
. "$(dirname "$0")/setup.sh"
# The tests run the program with a HOME of their own, so the place of the models is said, not derived.
export TASKGEN_MODELS="${TASKGEN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/taskgen/models}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step NAME COMMAND…: runs it and prints its seconds; the first failing step ends the run.
step() {
    local name=$1 begin=$SECONDS
    shift
    echo "== $name"
    "$@" || {
        echo "make: failed: $name, after $((SECONDS - begin)) s" >&2
        exit 1
    }
    echo "== $name: $((SECONDS - begin)) s"
}

# A minimal Rust lacks rustfmt and clippy; rustup can add them.
component() {
    cargo "$1" --version >/dev/null 2>&1 || rustup component add "$2" >/dev/null 2>&1 ||
        die "missing: $2 (what to do: rustup component add $2)"
}

run_tests() {
    if cargo nextest --version >/dev/null 2>&1; then
        [ "$mode" = quick ] && set -- -E 'not test(real)' || set --
        cargo nextest run --locked --no-fail-fast "$@"
    else
        [ "$mode" = quick ] && set -- -- --skip real || set --
        cargo test --locked --no-fail-fast --lib --bins --tests "$@"
    fi 2>&1 | tee "$log"
}

# The Python module against the program; a Python that is too old for it runs everything else here.
python_module() {
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
        PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 TASKGEN_PROGRAM="$BINARIES/taskgen" \
            python3 -m unittest discover -s python/tests
    else
        echo "left out: $(python3 --version) is older than 3.10"
    fi
}

# Both runners end with their own summary; this adds one plain line that covers all of it.
summary() {
    sed 's/\x1b\[[0-9;]*m//g' "$log" | awk '
        /^test result:/ { passed += $4; failed += $6 }
        /^ *Summary / {
            for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) passed += $(i - 1); if ($i ~ /^(failed|timed)/) failed += $(i - 1) }
        }
        END { printf "%d passed, %d failed\n", passed, failed }'
}

component fmt rustfmt
component clippy clippy
step formatting cargo fmt --check
step lints cargo clippy --locked --all-targets -- -D warnings
# `--all-targets` leaves out what a plain `cargo test` leaves out.
step "lints of the long proofs" cargo clippy --locked --test accept --test interop -- -D warnings
if cargo deny --version >/dev/null 2>&1; then
    step licences cargo deny check bans licenses sources
fi
step build cargo build --locked
step "Python module" python_module
if [ "$mode" != quick ]; then
    step models "$BINARIES/taskgen" models pull tiny.en base qwen2.5-coder-0.5b use-multilingual
fi
outcome=0
begin=$SECONDS
echo "== tests"
run_tests || outcome=1
echo "== tests: $((SECONDS - begin)) s; all steps: $((SECONDS - started)) s"
summary
exit "$outcome"

#!/usr/bin/env bash
# Builds for exactly this machine's CPU, beside the portable build; the caller sets TASKGEN_CPU=native.
# The binaries may not run on another machine.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
already_built || say "building for this CPU: about 9 minutes on 2 cores"
cargo build --locked
echo "built: $BINARIES/taskgen (keep taskgen-llm beside it)"

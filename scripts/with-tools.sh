#!/usr/bin/env bash
# Runs one command in the environment of the make targets, e.g. `scripts/with-tools.sh cargo test elo`.
# What the environment is, scripts/setup.sh says.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
exec "$@"

#!/usr/bin/env bash
# An arena without a model and without a network: the project's own documents are the trees, two small programs are the
# agents, and code asks and judges.
set -euo pipefail
started=$SECONDS
. "$(dirname "$0")/setup.sh"
already_built || say "building; the C++ of the two engines takes most of 10 minutes"
# The same build as the demo's and the tests': nothing is compiled twice.
cargo build --locked
taskgen=$BINARIES/taskgen
project=${ARENA_DEMO:-arena-demo}
mkdir -p "$project"
[ -f "$project/taskgen.toml" ] || "$taskgen" init "$project"
if ! grep -q '^\[agents.thorough\]' "$project/taskgen.toml"; then
    cat >>"$project/taskgen.toml" <<TOML

[agents.thorough]
command = "sh $PWD/scripts/arena/agent.sh $PWD/docs"

[agents.hasty]
command = "sh $PWD/scripts/arena/agent.sh $PWD/docs 1"
TOML
fi
run() {
    echo "\$ taskgen $*"
    "$taskgen" --project "$project" "$@"
}
run arena trees import docs
run arena tournament demo --agents thorough,hasty
run arena leaderboard
say "$((SECONDS - started)) s"
echo "next: taskgen --project $project arena list; taskgen --project $project arena replay MATCH"

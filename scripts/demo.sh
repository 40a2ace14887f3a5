#!/usr/bin/env bash
# From a fresh clone to ranked research tasks: builds, copies the sample seminars into demo/, runs every stage, shows the table.
# Works only in the git-ignored demo/; a second call continues where the first one stopped and repeats nothing.
set -euo pipefail

cat >&2 <<'TEXT'
make demo: three sample seminars become ranked research tasks, on this machine alone: no key, no account, no GPU.
  download   0.3 GB of models (two Whisper models, one that reads sentences), and 0.2 GB of crates and tools
  disk       2.2 GB in all: build 1.1 GB, models 0.3 GB, crates and tools 0.8 GB
  time       first time 15 to 20 minutes on 2 cores, most of it to build; again: seconds
TEXT
started=$SECONDS
. "$(dirname "$0")/setup.sh"

already_built || say "building; the C++ of the two engines takes most of 10 minutes"
cargo build --locked

mkdir -p demo/seminars
for file in seminars/*.m4a seminars/*.mp3 seminars/*.opus seminars/*.toml; do
    # An unchanged recording keeps its time, so that a second demo has nothing to do.
    cmp -s "$file" "demo/$file" || cp "$file" "demo/$file"
done
"$BINARIES/taskgen" init demo >/dev/null

outcome=0
# Ideas, tasks and verdicts are by code: no language model is asked or fetched.
"$BINARIES/taskgen" --project demo run || outcome=$?
"$BINARIES/taskgen" --project demo rank report --html demo/ranking.html || outcome=$?
"$BINARIES/taskgen" --project demo report tasks || outcome=$?
"$BINARIES/taskgen" --project demo tasks list || outcome=$?

cat >&2 <<TEXT

make demo: done in $((SECONDS - started)) s, exit code $outcome. Open in a browser:
  file://$PWD/demo/tasks/tasks.html   the tasks, each with its quotes and the places in the recordings, which it plays
  file://$PWD/demo/ranking.html       the ranking as plots
What comes next:
  make install                               taskgen on the PATH
  taskgen --project demo tasks show ID       from a task back to the sentence and the second of the recording
  taskgen --project demo tasks export        the tasks as JSONL
  taskgen init DIR                           a project of your own; put recordings into DIR/seminars
  taskgen --project DIR run
The demo asks no language model; README.md says how to have one find ideas, write tasks and judge them.
TEXT
exit "$outcome"

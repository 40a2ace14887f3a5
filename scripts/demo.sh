#!/usr/bin/env bash
# From a fresh clone to ranked research tasks: builds, copies the sample seminars into demo/, runs every stage, shows the table.
# Works only in the git-ignored demo/; a second call continues where the first one stopped and repeats nothing.
set -euo pipefail

cat >&2 <<'TEXT'
make demo: three sample seminars become ranked research tasks, on this machine alone: no key, no account, no GPU.
  download   0.7 GB of models (two Whisper models, a language model, one that reads sentences), and 0.2 GB of crates and tools
  disk       2.6 GB in all: build 1.1 GB, models 0.7 GB, crates and tools 0.8 GB
  time       first time about 15 minutes on 2 cores: build 10, download 1 or more, the seminars 4; again: seconds
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
# Four judgements a task, by code: no model is asked.
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
The model and the judge of the demo are for trying things out; README.md says how to use better ones.
TEXT
exit "$outcome"

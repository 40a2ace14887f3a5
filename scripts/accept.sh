#!/usr/bin/env bash
# The long proofs, with the real models: all of them, or those whose names contain an argument.
# TASKGEN_ACCEPT_SEED draws other moments.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
export TASKGEN_MODELS="${TASKGEN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/taskgen/models}"
# The proofs of pages have `page` in their names.
case "${*:-page}" in *page*) . scripts/browser.sh ;; esac
cargo build --locked
"$BINARIES/taskgen" models pull tiny.en base qwen2.5-coder-0.5b qwen2.5-coder-1.5b
# One after the other: each wants every core.
cargo test --locked --test accept -- --nocapture --test-threads 1 "$@"
[ $# -eq 0 ] || exit 0
# Tests of `make test` at the size of a proof: 2,000 judgements by hostile servers, three minutes against each limit, a
# ranking, an evaluation, a tournament and a transcription killed fifty times, 1,000 matches on one tree, 5,000 mutated media, an hour in which nobody speaks, a
# recording of ten hours.
export TASKGEN_HOSTILE_ITEMS=2000 TASKGEN_RATES_SECONDS=180 TASKGEN_KILLS=50 TASKGEN_MEDIA=5000 TASKGEN_SILENCE=60 TASKGEN_HOURS=10 TASKGEN_MATCHES=1000
cargo test --locked --test it -- --nocapture --test-threads 1 \
    hostile:: rates:: ranking::killed evaluation::killed duels::killed finds_more_without_changing transcribe_kills:: media::mutated nobody_speaks real_hours lrb_

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
# The proof of graphics cards wants a program built for Vulkan, and Mesa's lavapipe: apt-get install libvulkan-dev glslc
# spirv-headers mesa-vulkan-drivers, with headers of 1.3.272 or newer (VULKAN_SDK names a folder of them: docs/transcription.md).
# It is built once, into a folder of its own; TASKGEN_VULKAN names one that is there.
vulkan_program() {
    [ -z "${TASKGEN_VULKAN:-}" ] || return 0
    if ! command -v glslc >/dev/null || ! ls /usr/share/vulkan/icd.d/lvp_icd.* >/dev/null 2>&1 ||
        ! grep -qs VK_EXT_layer_settings "${VULKAN_SDK:-/usr}/include/vulkan/vulkan_core.h"; then
        say "no proof of graphics cards: glslc, mesa-vulkan-drivers, or a libvulkan-dev of 1.3.272 or newer is missing"
        without=(--skip lavapipe)
        return 0
    fi
    # The speech alone: both programs with Vulkan would take twice the time.
    CARGO_TARGET_DIR="$CARGO_TARGET_DIR/vulkan" CARGO_BUILD_BUILD_DIR="${BUILD_FOLDER}/vulkan" \
        cargo build --locked --no-default-features --features vulkan --bin taskgen
    export TASKGEN_VULKAN="$CARGO_TARGET_DIR/vulkan/debug/taskgen"
}
without=()
case "${*:-devices}" in *devices* | *lavapipe*) vulkan_program ;; *) without=(--skip lavapipe) ;; esac
# One after the other: each wants every core.
cargo test --locked --test accept -- --nocapture --test-threads 1 "${without[@]}" "$@"
[ $# -eq 0 ] || exit 0
# Tests of `make test` at the size of a proof: 2,000 judgements by hostile servers, three minutes against each limit, a
# ranking, an evaluation, a tournament and a transcription killed fifty times, 1,000 matches on one tree, 5,000 mutated media, an hour in which nobody speaks, a
# recording of ten hours.
export TASKGEN_HOSTILE_ITEMS=2000 TASKGEN_RATES_SECONDS=180 TASKGEN_KILLS=50 TASKGEN_MEDIA=5000 TASKGEN_SILENCE=60 TASKGEN_HOURS=10 TASKGEN_MATCHES=1000
cargo test --locked --test it -- --nocapture --test-threads 1 \
    hostile:: rates:: ranking::killed evaluation::killed duels::killed finds_more_without_changing transcribe_kills:: media::mutated nobody_speaks real_hours lrb_

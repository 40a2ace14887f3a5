#!/usr/bin/env bash
# The model layer against servers of others, really running: llama.cpp's server with the 0.5B model, and a LiteLLM proxy.
# They are Python packages in a private folder; the first is compiled there, which takes some minutes.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
. scripts/python.sh
export TASKGEN_MODELS="${TASKGEN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/taskgen/models}"
python_packages "$PWD/.tools/interop" 500 'llama-cpp-python[server]==0.3.36' 'litellm[proxy]==1.101.0'
cargo build --locked
"$BINARIES/taskgen" models pull qwen2.5-coder-0.5b
# The servers reach nobody: what they send elsewhere goes to a port of this machine where nobody listens.
export HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1,localhost
TASKGEN_PEERS="$PWD/.tools/interop" cargo test --locked --test interop -- --nocapture --test-threads 1 "$@"

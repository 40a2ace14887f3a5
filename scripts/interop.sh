#!/usr/bin/env bash
# The model layer against servers of others, really running: llama.cpp's server with the 0.5B model, and a LiteLLM proxy;
# and exports opened by the packages of those who own the formats. All are Python packages in private folders; the first is
# compiled there, which takes some minutes. And a Slurm of Debian's packages, which a root may install.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
. scripts/python.sh
export TASKGEN_MODELS="${TASKGEN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/taskgen/models}"
python_packages "$PWD/.tools/interop" 500 'llama-cpp-python[server]==0.3.36' 'litellm[proxy]==1.101.0'
python_environment "$PWD/.tools/interop-data" 900 datasets==5.2.0 mlcroissant==1.1.1 rocrate==0.16.0 roc-validator==0.13.0 jsonschema==4.26.0
python_environment "$PWD/.tools/interop-scoring" 700 inspect_ai==0.3.285 argilla==2.8.0 label-studio-sdk==2.1.2 pandas==3.1.1 'setuptools>=70.1'
python_environment "$PWD/.tools/interop-argilla" 400 argilla-server==2.8.0
export TASKGEN_DATA_PYTHON=$PWD/.tools/interop-data/bin/python
export TASKGEN_SCORING_PYTHON=$PWD/.tools/interop-scoring/bin/python
export TASKGEN_ARGILLA_PYTHON=$PWD/.tools/interop-argilla/bin/python
cargo build --locked
"$BINARIES/taskgen" models pull qwen2.5-coder-0.5b tiny.en
scripts/slurm.sh packages
SLURM_FOLDER=$(mktemp -d)
trap 'scripts/slurm.sh stop "$SLURM_FOLDER"; rm -rf "$SLURM_FOLDER"' EXIT
SLURM_ENVIRONMENT=$(scripts/slurm.sh start "$SLURM_FOLDER")
eval "$SLURM_ENVIRONMENT"
# The servers reach nobody: what they send elsewhere goes to a port of this machine where nobody listens.
export HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1,localhost
TASKGEN_PEERS="$PWD/.tools/interop" cargo test --locked --test interop -- --nocapture --test-threads 1 "$@"

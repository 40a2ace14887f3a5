#!/usr/bin/env bash
# The benches, each beside a peer in the same run; the peers are Python packages in a private folder.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
. scripts/python.sh
python_packages "$PWD/.tools/bench" 360 openai==3.54.0 choix==0.4.1 evalica==0.4.2
export PYTHONPATH="$PWD/.tools/bench"
# In the profile of everything else, so that nothing is compiled twice; a release is faster still.
cargo bench --locked --profile dev --bench overhead --bench ranking "$@"

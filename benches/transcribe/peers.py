"""faster-whisper, 8-bit on all cores: one pass over a recording, as its README drives it.

Arguments: the folder of the CTranslate2 model, the recording, its languages, `sequential` or `batched`. Prints one JSON
value: the seconds of the pass, without Python's start and the model's loading, and what was heard.
"""

import json
import os
import sys
import time

from faster_whisper import BatchedInferencePipeline, WhisperModel

BATCH = 8
BEAM = 5


def main(folder, recording, languages, path):
    model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=os.cpu_count())
    # One language is told; of several, each window's is heard.
    options = {"language": languages} if "," not in languages else {"multilingual": True}
    began = time.perf_counter()
    if path == "batched":
        pipeline = BatchedInferencePipeline(model)
        segments, _ = pipeline.transcribe(recording, beam_size=BEAM, batch_size=BATCH, **options)
    else:
        segments, _ = model.transcribe(recording, beam_size=BEAM, **options)
    heard = [{"start": segment.start, "end": segment.end, "text": segment.text} for segment in segments]
    print(json.dumps({"seconds": time.perf_counter() - began, "segments": heard}))


main(*sys.argv[1:])

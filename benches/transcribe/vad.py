"""Our ear beside Silero's: seconds of speech that each misses, and seconds of silence that each adds.

Usage: vad.py CACHE HEARING RECORDING…, where HEARING is the program of `hearing.rs` and $TASKGEN decodes. Silero is the one
that faster-whisper carries, once with that program's settings and once with ours: padding, and the pause that ends a stretch.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
from faster_whisper.audio import decode_audio
from faster_whisper.vad import VadOptions, get_speech_timestamps

RATE = 16000
SILERO = {
    "Silero, as in faster-whisper": VadOptions(),
    "Silero, padded as ours": VadOptions(min_silence_duration_ms=320, speech_pad_ms=200),
}


def main(cache, program, recordings):
    for recording in recordings:
        talk = json.loads((cache / f"{recording}.json").read_text())
        speech = filled([(turn["start"], turn["end"]) for turn in talk["turns"]], talk["seconds"])
        print(f"\n{recording}: {speech.sum() / RATE:.0f} s of speech, {(~speech).sum() / RATE:.0f} s without")
        audio = cache / f"{recording}.wav"
        for name, (seconds, spans) in heard(program, audio).items():
            found = filled(spans, talk["seconds"])
            missed, added = (speech & ~found).sum() / RATE, (found & ~speech).sum() / RATE
            whole = sum(not (speech & found)[slice(*samples(turn))].any() for turn in talk["turns"])
            print(f"{name:30} missed {missed:6.2f} s, {whole} whole turns; added {added:6.1f} s; {seconds:5.2f} s of work")


def heard(program, audio):
    ours = json.loads(subprocess.run([program, os.environ["TASKGEN"], audio], capture_output=True, check=True).stdout)
    results = {"ours": (ours["seconds"], ours["spans"])}
    sound = decode_audio(str(audio), sampling_rate=RATE)
    for name, options in SILERO.items():
        began = time.perf_counter()
        spans = [(span["start"] / RATE, span["end"] / RATE) for span in get_speech_timestamps(sound, options)]
        results[name] = (time.perf_counter() - began, spans)
    return results


def filled(spans, seconds):
    """For each sample whether it is in one of the spans."""
    mask = np.zeros(round(seconds * RATE), dtype=bool)
    for start, end in spans:
        mask[round(start * RATE) : round(end * RATE)] = True
    return mask


def samples(turn):
    return round(turn["start"] * RATE), round(turn["end"] * RATE)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])

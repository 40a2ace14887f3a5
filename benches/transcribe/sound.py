"""Rooms and noises, drawn from a random generator: what stands between a speaker and a recorder."""

import numpy as np

RATE = 16000
# Voices that talk at once in a babble.
CROWD = 7


def in_room(samples, room, rng):
    """`samples` as heard in a room: noise that decays by 60 dB in `seconds`, `level_db` beside the direct sound."""
    length = int(room["seconds"] * RATE)
    echo = rng.standard_normal(length) * 10 ** (-3 * np.arange(length) / length)
    echo[: RATE * 8 // 1000] = 0
    echo *= 10 ** (room["level_db"] / 20) / np.sqrt((echo**2).sum())
    echo[0] = 1
    size = 1 << (len(samples) + length).bit_length()
    heard = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(echo, size), size)
    return heard[: len(samples)]


def noise(kind, length, speech, rng):
    """`length` samples of a noise, of any level. `speech` holds the sentences that a babble is made of."""
    if kind == "babble":
        return babble(length, speech, rng)
    return {"fan": fan, "keyboard": keyboard}[kind](length, rng)


def fan(length, rng):
    """Pink noise and a hum."""
    spectrum = np.fft.rfft(rng.standard_normal(length))
    pink = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 1)), length)
    hum = np.sin(2 * np.pi * 100 * np.arange(length) / RATE)
    return pink / pink.std() + 0.3 * hum


def keyboard(length, rng):
    """Bursts of strokes, each a click of some milliseconds, over a quiet fan."""
    strokes = np.zeros(length)
    at = 0.0
    while (start := int(at * RATE)) < length:
        click = rng.standard_normal(RATE // 50) * np.exp(-np.arange(RATE // 50) / (RATE * rng.uniform(0.001, 0.004)))
        click = click[: length - start]
        strokes[start : start + len(click)] += click * rng.uniform(0.3, 1)
        at += rng.uniform(1, 6) if rng.random() < 0.05 else rng.uniform(0.08, 0.3)
    return strokes / strokes.std() + 0.2 * fan(length, rng)


def babble(length, speech, rng):
    """Several people who each say something else all the time."""
    voices = np.zeros(length)
    for _ in range(CROWD):
        order = rng.permutation(len(speech))
        talk = np.concatenate([speech[i] for i in order])
        voices += np.resize(np.roll(talk, int(rng.integers(len(talk)))), length)
    return voices

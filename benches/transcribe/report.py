"""The figures of the side-by-side, cell by cell, and the ratios that were wanted."""

import json
import statistics
from dataclasses import dataclass

from score import Score, difference, score

OURS = "taskgen"
OURS_8_BIT = "8-bit taskgen"
CPP_GREEDY = "whisper.cpp greedy"
CPP_BEAM = "whisper.cpp beam 5"
BATCHED = "faster-whisper batched"
SEQUENTIAL = "faster-whisper sequential"

# Where other processes had a larger share of the machine than this, a speed says little.
QUIET = 0.05

HEAD = (
    f"{'':26} {'x real time':>12} {'CPU s':>7} {'MB':>6} {'errors %':>8} {'against sequential':>19}"
    f" {'silence':>7} {'lost s':>6} {'start ms: median':>16} {'95 %':>6} {'told':>8} {'language':>8}"
)


@dataclass
class Cell:
    """A system on a recording with a model: all its rounds."""

    rates: list[float]
    cpu: float
    megabytes: float
    # Largest share of the machine that other processes took during a round.
    others: float
    score: Score
    texts: int
    failures: list[str]


def show(cache, results):
    cells, talks = read(cache, results)
    for recording, model in dict.fromkeys(key[:2] for key in cells):
        talk = talks[recording]
        share = 1 - talk["speech"] / talk["seconds"]
        print(f"\n{recording}, {model}: {talk['seconds'] / 60:.1f} minutes, {len(talk['turns'])} turns, {share:.0%} silence")
        print(HEAD)
        peer = cells.get((recording, model, SEQUENTIAL))
        for (where, what, system), cell in cells.items():
            if (where, what) == (recording, model):
                print(line(system, cell, peer))
    print()
    for recording, model in dict.fromkeys(key[:2] for key in cells):
        wanted(recording, model, {key[2]: cell for key, cell in cells.items() if key[:2] == (recording, model)})


def read(cache, results):
    talks, found = {}, {}
    for path in sorted(results.glob("*.json")):
        recording, model, rest = path.stem.split(" ", 2)
        system, _ = rest.rsplit(" ", 1)
        talks.setdefault(recording, json.loads((cache / f"{recording}.json").read_text()))
        found.setdefault((recording, model, system), []).append(json.loads(path.read_text()))
    order = [OURS, OURS_8_BIT, CPP_GREEDY, CPP_BEAM, BATCHED, SEQUENTIAL]
    keys = sorted(found, key=lambda key: (key[0] == "both", key[1] == "base", order.index(key[2])))
    return {key: cell(found[key], talks[key[0]]) for key in keys}, talks


def cell(rounds, talk):
    good = [result for result in rounds if "failure" not in result]
    if not good:
        return Cell([], 0, 0, 0, None, 0, [result["failure"] for result in rounds])
    texts = {json.dumps(result["segments"]) for result in good}
    return Cell(
        rates=[talk["seconds"] / result["seconds"] for result in good],
        cpu=statistics.median(result["cpu"] for result in good),
        megabytes=max(result["megabytes"] for result in good),
        others=max(result["others"] for result in good),
        score=score(talk["turns"], good[0]["segments"]),
        texts=len(texts),
        failures=[result["failure"] for result in rounds if "failure" in result],
    )


def line(system, cell, peer):
    if cell.score is None:
        return f"{system:26} failed {len(cell.failures)} times: {cell.failures[0]}"
    found = cell.score
    rates = f"{statistics.median(cell.rates):5.1f} ±{(max(cell.rates) - min(cell.rates)) / 2:4.1f}"
    interval = ""
    if peer and peer.score and system != SEQUENTIAL:
        interval = "{:+.1f} … {:+.1f}".format(*(100 * end for end in difference(found, peer.score)))
    return (
        f"{system:26} {rates:>12} {cell.cpu:7.1f} {cell.megabytes:6.0f} {100 * found.rate:8.2f} {interval:>19}"
        f" {found.words_in_silence:7} {found.lost:6.1f} {times(found)} {spoken(found)}"
        + (f"  (NOT QUIET: others had up to {cell.others:.0%} of the machine)" if cell.others > QUIET else "")
        + (f"  ({cell.texts} different texts)" if cell.texts > 1 else "")
        + (f"  ({len(cell.failures)} rounds failed: {cell.failures[0]})" if cell.failures else "")
    )


def times(found):
    """Error of the first word's start, and for how many of the turns after a pause it can be told."""
    total = len(found.starts) + found.without_start
    if not found.starts:
        return f"{'none':>16} {'none':>6} {0:>3}/{total:<4}"
    errors = sorted(abs(start) * 1000 for start in found.starts)
    high = errors[min(len(errors) - 1, int(0.95 * len(errors)))]
    return f"{statistics.median(errors):16.0f} {high:6.0f} {len(errors):>3}/{total:<4}"


def spoken(found):
    lost = f" {found.turns_lost} turns lost" if found.turns_lost else ""
    return f"{found.right_language / found.long_turns:8.1%}" + lost


def wanted(recording, model, systems):
    """What our speed and our errors are beside those of others, and what was wanted of them."""
    ours = systems.get(OURS)
    if not ours or not ours.rates:
        print(f"{recording}, {model}: no ratio, ours did not run")
        return
    for peer, least in ((CPP_GREEDY, 1.8), (CPP_BEAM, None), (BATCHED, 1.0), (SEQUENTIAL, None)):
        other = systems.get(peer)
        if not other or not other.rates:
            continue
        ratio = statistics.median(ours.rates) / statistics.median(other.rates)
        verdict = "" if least is None else f" (wanted: {least}, {'reached' if ratio >= least else 'NOT reached'})"
        print(f"{recording}, {model}: {ratio:.2f} times the speed of {peer}{verdict}")
    eight, batched = systems.get(OURS_8_BIT), systems.get(BATCHED)
    if eight and eight.rates and batched and batched.rates:
        ratio = statistics.median(eight.rates) / statistics.median(batched.rates)
        print(f"{recording}, {model}: with weights of 8 bits, as the peer's, {ratio:.2f} times the speed of {BATCHED}")
    peer = systems.get(SEQUENTIAL)
    if peer and peer.score:
        low, high = difference(ours.score, peer.score)
        ours_rate, theirs = ours.score.rate, peer.score.rate
        verdict = "reached" if ours_rate <= theirs else "within chance" if low <= 0 else "NOT reached"
        print(f"{recording}, {model}: errors {ours_rate:.2%} against {theirs:.2%} of {SEQUENTIAL} (wanted: no more, {verdict})")

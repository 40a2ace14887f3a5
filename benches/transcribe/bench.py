"""The side-by-side: each system on each recording with each model, in turn, round after round.

Usage: bench.py run CACHE [--only TEXT] [--rounds N]    measures; one result for each cell and round lands in CACHE/results
       bench.py report CACHE                            prints what is there

`--only` takes the cells whose name contains TEXT and keeps the results of the others. Where `taskgen` and `sequential`
are is said by TASKGEN and SEQUENTIAL, where the ggml models are by TASKGEN_MODELS.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import report
import weights

HERE = pathlib.Path(__file__).parent
# A pass that takes longer than this many times its recording has failed.
PATIENCE = 2
MODELS = {"english": ["tiny.en", "base"], "both": ["base"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    results = asked.cache / "results"
    if asked.command == "run":
        measure(asked.cache, results, asked.only, asked.rounds)
    report.show(asked.cache, results)


def measure(cache, results, only, rounds):
    if not only:
        shutil.rmtree(results, ignore_errors=True)
    results.mkdir(exist_ok=True)
    for number in range(1, rounds + 1):
        for recording, models in MODELS.items():
            talk = json.loads((cache / f"{recording}.json").read_text())
            for model in models:
                for system in SYSTEMS:
                    name = f"{recording} {model} {system}"
                    if only not in name:
                        continue
                    result = measured(SYSTEMS[system], cache, recording, model, talk)
                    (results / f"{name} {number}.json").write_text(json.dumps(result, ensure_ascii=False))
                    print(f"round {number}: {name}: {told(result)}", file=sys.stderr, flush=True)


def told(result):
    return result.get("failure") or f"{result['seconds']:.1f} s, others had {result['others']:.0%} of the machine"


def measured(system, cache, recording, model, talk):
    """Runs a system once. Its failure is a result, too."""
    with tempfile.TemporaryDirectory() as folder:
        audio = pathlib.Path(folder) / f"{recording}.wav"
        os.link(cache / audio.name, audio) if same_disk(cache, folder) else shutil.copy(cache / audio.name, audio)
        command, heard = system(cache, audio, model, talk["language"])
        cost, code, output, errors = run(command, folder, talk["seconds"] * PATIENCE)
        if code != 0:
            return {"failure": " ".join(errors.split()[-40:]) or f"exit code {code}"}
        return {**cost, **heard(output, cost, audio)}


def same_disk(one, other):
    return os.stat(one).st_dev == os.stat(other).st_dev


def run(command, folder, patience):
    """Seconds, processor seconds and peak memory of a process, its exit code and what it said."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began, busy = time.perf_counter(), machine_busy()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=errors, start_new_session=True)
        watchdog = subprocess.Popen(["sh", "-c", f"sleep {patience}; kill -9 {process.pid}"], start_new_session=True)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        os.killpg(watchdog.pid, 9)
        watchdog.wait()
        said = []
        for file in (output, errors):
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
    cpu = usage.ru_utime + usage.ru_stime
    others = max(machine_busy() - busy - cpu, 0) / (seconds * os.cpu_count())
    cost = {"seconds": seconds, "cpu": cpu, "megabytes": usage.ru_maxrss / 1000, "others": others}
    return cost, os.waitstatus_to_exitcode(status), *said


def machine_busy():
    """Processor seconds that the machine has worked (Linux)."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]
    idle = int(fields[3]) + int(fields[4])
    return (sum(map(int, fields[:8])) - idle) / os.sysconf("SC_CLK_TCK")


def ours(form):
    def command(cache, audio, model, language):
        choice = ["--model", model + form, "--language", language]
        return [os.environ["TASKGEN"], "transcribe", str(audio), *choice, "--quiet"], our_transcript

    return command


def our_transcript(_, cost, audio):
    transcript = json.loads(audio.with_name(f"{audio.name}.json").read_text())
    segments = [{key: segment[key] for key in ("start", "end", "text")} for segment in transcript["segments"]]
    # Everything counts that a user waits for: the start, the loading and the writing.
    return {"seconds": cost["seconds"], "segments": segments}


def whisper_cpp(decoding):
    def command(cache, audio, model, language):
        weights_file = pathlib.Path(os.environ["TASKGEN_MODELS"]) / f"ggml-{model}.bin"
        # It knows one language a pass: of several, that of the first half minute.
        language = "auto" if "," in language else language
        return [os.environ["SEQUENTIAL"], str(weights_file), str(audio), language, decoding], their_own_words

    return command


def faster_whisper(path):
    def command(cache, audio, model, language):
        folder = str(weights.folder(model, cache).resolve())
        return [sys.executable, str(HERE / "peers.py"), folder, str(audio), language, path], their_own_words

    return command


def their_own_words(output, cost, audio):
    # Only the pass: the start of Python and the loading of the model are given to them.
    said = json.loads(output)
    return {"seconds": said["seconds"], "segments": said["segments"]}


SYSTEMS = {
    report.OURS: ours(""),
    report.OURS_8_BIT: ours("-q8_0"),
    report.CPP_GREEDY: whisper_cpp("greedy"),
    report.CPP_BEAM: whisper_cpp("beam"),
    report.BATCHED: faster_whisper("batched"),
    report.SEQUENTIAL: faster_whisper("sequential"),
}

if __name__ == "__main__":
    main()

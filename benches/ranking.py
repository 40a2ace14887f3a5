"""The peers of ranking.rs: Bradley-Terry fits of choix and evalica, each with its defaults.

Reads one JSON value: methods, items, a ridge `alpha` for those that know one, and verdicts as [winner, loser]. Prints
one JSON value: for each method the seconds of the call alone and the strengths in logits (null where not finite), or
why there are none; and the most memory of the process, in megabytes.
"""

import json
import resource
import sys
import time

import choix
import evalica
import numpy as np
import pandas as pd

asked = json.load(sys.stdin)
items, verdicts = asked["items"], asked["verdicts"]
winners, losers = zip(*verdicts)
outcomes = [evalica.Winner.X] * len(verdicts)


def bradley_terry():
    result = evalica.bradley_terry(winners, losers, outcomes, index=pd.Index(range(items)))
    return np.log(result.scores.sort_index().to_numpy())


METHODS = {
    "choix.opt_pairwise": lambda: choix.opt_pairwise(items, verdicts, alpha=asked["alpha"]),
    "choix.ilsr_pairwise": lambda: choix.ilsr_pairwise(items, verdicts),
    "evalica.bradley_terry": bradley_terry,
}


def fit(method):
    began = time.perf_counter()
    try:
        strength = METHODS[method]()
        failure = None
    except (RuntimeError, ValueError) as error:
        strength, failure = [], str(error)
    seconds = time.perf_counter() - began
    strength = [float(x) if np.isfinite(x) else None for x in strength]
    return {"seconds": seconds, "strength": strength, "failure": failure}


fits = [fit(method) for method in asked["methods"]]
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
print(json.dumps({"fits": fits, "megabytes": megabytes}))

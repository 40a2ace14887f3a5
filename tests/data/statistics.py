"""Freezes statistics of well-known packages into statistics.json, which crates/base/src/stats/golden.rs compares with our own.

Run in an environment of its own, from the repository's root; the result is the same every time with the same packages:

    python3 -m venv /tmp/statistics
    /tmp/statistics/bin/pip install scipy==1.12.0 numpy==1.26.4 scikit-learn==1.9.1 statsmodels==0.15.0 \
        krippendorff==0.9.0 irrCAC==0.4.4
    /tmp/statistics/bin/python tests/data/statistics.py > tests/data/statistics.json
"""

import importlib.metadata
import json
import math
import warnings
from fractions import Fraction

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

warnings.simplefilter("ignore")
PACKAGES = ["numpy", "scipy", "scikit-learn", "statsmodels", "krippendorff", "irrCAC"]
WEIGHTS = ["identity", "linear", "quadratic"]

# Scale, raters, items, share of missing ratings, share of items on which raters agree, share of the most frequent label.
BINARY, FIVE, ELEVEN = [0, 1], [1, 2, 3, 4, 5], list(range(11))
UNEVEN, HALVES = [0, 1, 3, 9], [0, 0.5, 1, 1.5, 2]
DATA = [
    (BINARY, 2, 2, 0, 0.5, 0.5),
    (BINARY, 2, 10, 0, 0.7, 0.5),
    (BINARY, 2, 50, 0, 0.9, 0.95),
    (BINARY, 2, 200, 0, 0.2, 0.9),
    (BINARY, 3, 20, 0.2, 0.6, 0.8),
    (BINARY, 5, 60, 0.4, 0.5, 0.97),
    (BINARY, 2, 40, 0, 0, 0.5),
    (BINARY, 2, 6, 0, 1, 1),
    (FIVE, 2, 3, 0, 0.5, 0.2),
    (FIVE, 2, 12, 0, 0.5, 0.2),
    (FIVE, 2, 30, 0.1, 0.7, 0.6),
    (FIVE, 3, 5, 0, 0.6, 0.2),
    (FIVE, 3, 25, 0, 0.4, 0.9),
    (FIVE, 4, 12, 0.3, 0.8, 0.3),
    (FIVE, 4, 80, 0.5, 0.3, 0.4),
    (FIVE, 5, 100, 0.2, 0.5, 0.2),
    (FIVE, 5, 15, 0, 1, 0.3),
    (FIVE, 2, 8, 0.9, 0.5, 0.2),
    (ELEVEN, 2, 15, 0, 0.4, 0.1),
    (ELEVEN, 2, 100, 0.05, 0.6, 0.1),
    (ELEVEN, 3, 40, 0.25, 0.5, 0.3),
    (ELEVEN, 4, 30, 0, 0.2, 0.1),
    (ELEVEN, 5, 4, 0.3, 0.5, 0.1),
    (ELEVEN, 3, 120, 0.1, 0, 0.1),
    (UNEVEN, 2, 20, 0, 0.5, 0.4),
    (UNEVEN, 3, 50, 0.2, 0.6, 0.7),
    (HALVES, 2, 35, 0, 0.6, 0.3),
    (HALVES, 4, 18, 0.3, 0.4, 0.3),
]

# Four observers, twelve units: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C.
OBSERVERS = ["123321412...", "1233224125..", ".33323422513", "12332441251."]


def plain(x):
    """A number, or None for what is none."""
    return float(x) if x is not None and math.isfinite(x) else None


def draw(rng, scale, raters, items, missing, agree, frequent):
    shares = np.full(len(scale), (1 - frequent) / max(1, len(scale) - 1))
    shares[-2 if len(scale) > 2 else -1] = frequent
    shares /= shares.sum()
    ratings = rng.choice(scale, size=(items, raters), p=shares).astype(float)
    same = rng.random(items) < agree
    ratings[same] = ratings[same][:, :1]
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


def cohen(ratings, scale, weights):
    pairs = ratings[:, :2]
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if len(pairs) == 0 or len(np.unique(pairs)) < 2:
        return None
    # The package counts labels; with every half step between the ends as a label it counts distances.
    labels = list(range(int(2 * min(scale)), int(2 * max(scale)) + 1))
    first, second = (pairs * 2).astype(int).T
    return cohen_kappa_score(first, second, labels=labels, weights=None if weights == "identity" else weights)


def alpha(ratings, level):
    try:
        return krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=level)
    except ValueError:
        return None


def agreement(ratings, scale):
    given = ratings[~np.isnan(ratings)]
    several = ((~np.isnan(ratings)).sum(axis=1) > 1).any()
    frame = pd.DataFrame(ratings)
    result = dict.fromkeys(["percent", "fleiss"])
    result["gwet"] = [None] * 3
    if several:
        scored = [CAC(frame, weights=w, categories=[float(x) for x in scale], digits=15) for w in WEIGHTS]
        result["gwet"] = [plain(cac.gwet()["est"]["coefficient_value"]) for cac in scored]
        estimate = scored[0].fleiss()["est"]
        result["percent"] = plain(estimate["pa"])
        if len(np.unique(given)) > 1:
            result["fleiss"] = plain(estimate["coefficient_value"])
            if not np.isnan(ratings).any():
                other = fleiss_kappa(aggregate_raters(ratings)[0])
                assert abs(other - result["fleiss"]) < 1e-12, (other, result)
    counts = np.unique(given, return_counts=True)[1]
    return {
        "scale": scale,
        "items": [[None if math.isnan(x) else int(x) if x == int(x) else x for x in row] for row in ratings.tolist()],
        "percent": result["percent"],
        "constant": plain(counts.max() / counts.sum()) if len(counts) else None,
        "cohen": [plain(cohen(ratings, scale, w)) for w in WEIGHTS],
        "fleiss": result["fleiss"],
        "krippendorff": [plain(alpha(ratings, level)) for level in ["nominal", "ordinal", "interval"]],
        "gwet": result["gwet"],
    }


def tau_a(x, y):
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    return float(Fraction(sum(int(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])) for i, j in pairs), len(pairs)))


def correlation(x, y):
    r = stats.pearsonr(x, y)
    ends = [plain(end) for end in r.confidence_interval()] if len(x) > 3 and abs(r.statistic) < 1 - 1e-12 else None
    return {
        "x": x,
        "y": y,
        "pearson": plain(r.statistic),
        "interval": ends if ends and None not in ends else None,
        "spearman": plain(stats.spearmanr(x, y).statistic),
        "tau_a": tau_a(x, y),
        "tau_b": plain(stats.kendalltau(x, y).statistic),
    }


def correlations(rng):
    yield correlation([1.0, 2.0], [3.0, 1.0])
    yield correlation([2.0, 2.0, 2.0], [1.0, 2.0, 3.0])
    yield correlation([1.0, 2.0, 2.0, 3.0, 5.0, 5.0, 5.0, 8.0, 9.0, 10.0], [2.0, 1.0, 4.0, 4.0, 3.0, 7.0, 9.0, 6.0, 8.0, 8.0])
    for n in [3, 4, 5, 7, 9, 12, 16, 20, 25, 30, 40, 60, 100, 200]:
        slope = rng.uniform(-2, 2)
        x = rng.normal(size=n)
        y = slope * x + rng.normal(size=n)
        yield correlation([round(v, 3) for v in x], [round(v, 3) for v in y])
    for n in [6, 10, 15, 30, 50, 100, 200]:
        x = rng.integers(0, 6, size=n)
        y = np.clip(x + rng.integers(-2, 3, size=n), 0, 10)
        yield correlation([int(v) for v in x], [int(v) for v in y])


def sign_flip(differences):
    test = stats.permutation_test(
        (np.array(differences), np.zeros(len(differences))),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    return {"differences": differences, "p": plain(test.pvalue)}


def sign_flips(rng):
    for n in range(2, 13):
        yield sign_flip([round(v, 2) for v in rng.normal(0.5, 1, size=n)])
        yield sign_flip([int(v) for v in rng.integers(-3, 6, size=n)])


def holm(p):
    return {"p": p, "adjusted": [plain(v) for v in multipletests(p, method="holm")[1]]}


def wilson(successes, n):
    low, high = proportion_confint(successes, n, alpha=0.05, method="wilson")
    return {"successes": successes, "n": n, "low": plain(low), "high": plain(high)}


def detectable(deviation, n):
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    return {"deviation": deviation, "n": n, "value": plain(z * deviation / math.sqrt(n))}


def main():
    rng = np.random.default_rng(20240229)
    published = np.array([[float(row[i]) if row[i] != "." else np.nan for row in OBSERVERS] for i in range(12)])
    tables = [(published, FIVE)] + [(draw(rng, *settings), settings[0]) for settings in DATA]
    golden = {
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "agreement": [agreement(ratings, scale) for ratings, scale in tables],
        "correlation": list(correlations(rng)),
        "sign_flip": list(sign_flips(rng)),
        "holm": [holm([round(v, 4) for v in rng.beta(0.5, 2, size=n)]) for n in range(1, 22)] + [holm([0.02, 0.02, 0.01])],
        "wilson": [wilson(k, n) for n in [1, 2, 5, 10, 37, 200, 10000] for k in sorted({0, n // 5, n // 2, n})],
        "detectable": [detectable(s, n) for s in [0.01, 0.3, 1, 2.5, 30] for n in [2, 10, 50, 1000]],
    }
    # One data set a line.
    lines = [f'"packages": {json.dumps(golden.pop("packages"))}']
    for name, rows in golden.items():
        lines.append(f'"{name}": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]")
    print("{\n" + ",\n".join(lines) + "\n}")


main()

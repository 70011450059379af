"""Run multiple-inference in another interpreter: `PYTHON peer_bridge.py IN OUT TAIL SHARE`.

IN and OUT are .npz files that `peers.py` writes and reads. Needs nothing but multiple-inference and
scipy below 1.12.
"""

import json
import sys
import time
import warnings

import numpy as np

try:
    from multiple_inference.bayes import Nonparametric, Normal
    from multiple_inference.rank_condition import RankCondition
except ImportError as error:
    sys.exit(str(error))


def ranked(mean, cov, index, beta, tail):
    """Median and limits, given that the winner won."""
    law = RankCondition(mean, cov).get_marginal_distribution(index, beta=beta)
    rest = (tail - beta / 2) / (1 - beta)
    return [float(law.ppf(q)) for q in (0.5, rest, 1 - rest)]


def posterior(kind, mean, cov, index, tail):
    """Mean and limits by empirical Bayes."""
    law = kind(mean, cov).get_marginal_distribution(index)
    return [float(law.mean()), float(law.ppf(tail)), float(law.ppf(1 - tail))]


def answer(law, mean, cov, index, tail, share):
    if law in ("conditional", "hybrid"):
        return ranked(mean, cov, index, share if law == "hybrid" else 0.0, tail)
    kind = Normal if law == "normal prior" else Nonparametric
    return posterior(kind, mean, cov, index, tail)


def main():
    warnings.simplefilter("ignore")
    given, tail, share = np.load(sys.argv[1]), float(sys.argv[3]), float(sys.argv[4])
    found = []
    for number in range(int(given["n"])):
        for name in json.loads(str(given["laws"])):
            law, source = name.split(", ")
            mean, cov, index = (given[f"{part}_{source}_{number}"] for part in "mci")
            # It draws from NumPy's global state.
            np.random.seed(0)  # noqa: NPY002
            start = time.process_time()
            try:
                values = answer(law, mean, cov, int(index), tail, share)
            except (ValueError, IndexError, ArithmeticError, RuntimeError) as error:
                print(f"search {number}, {name}: {error!r}"[:120], file=sys.stderr)
                values = [float("nan")] * 3
            found.append([*values, time.process_time() - start])
    np.savez(sys.argv[2], found=np.array(found, dtype=float))


if __name__ == "__main__":
    main()

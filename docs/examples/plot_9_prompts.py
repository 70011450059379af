"""
The best of forty prompts
=========================

Forty prompts are tried on one set of questions and the best is kept. Nothing is trained, there are
no folds, and still the best score is the largest of many noisy ones. The same holds for
checkpoints, epochs and agents.

The answers are **made up**, so that the truth is known: 300 questions on 60 documents, five each.
Questions on one document are alike, and so are prompts.
"""

# %%
# Every prompt has a true share of right answers. Documents and questions are easy or hard for all.
import numpy as np
from scipy.special import expit, logit

rng = np.random.default_rng(1)
document = np.arange(300) // 5
skill = logit(rng.normal(0.70, 0.02, size=(40, 1)))
easy = rng.normal(0, 0.8, size=60)[document] + rng.normal(0, 1, size=300)
taste = rng.normal(0, 0.5, size=(40, 60))[:, document]  # a prompt suits some documents better
right = (rng.random((40, 300)) < expit(skill + easy + taste)).astype(float)


def true_share(prompt):
    """Share of right answers over very many documents."""
    draws = np.random.default_rng(0).normal(0, np.sqrt(0.8**2 + 1 + 0.5**2), size=100_000)
    return expit(skill[prompt, 0] + draws).mean()


print(f"best score {right.mean(axis=1).max():.3f}")

# %%
# One call, with the documents as clusters: their number, not that of the questions, says how much
# the score can move.
from skmaxev import correct

report = correct(responses=right, clusters=document, metric="accuracy")
print(report)

# %%
# And the truth.
print(f"printed {report.naive:.3f}")
print(f"honest  {report.estimate:.3f}   {report.interval[0]:.3f} to {report.interval[1]:.3f}")
print(f"true    {true_share(report.best_index):.3f}")

# %%
# The same with many sets of answers: how often does the interval hold the truth, and on which side
# do the scores err?
errors, held = [], []
for _ in range(100):
    easy = rng.normal(0, 0.8, size=60)[document] + rng.normal(0, 1, size=300)
    taste = rng.normal(0, 0.5, size=(40, 60))[:, document]
    drawn = (rng.random((40, 300)) < expit(skill + easy + taste)).astype(float)
    again = correct(responses=drawn, clusters=document, metric="accuracy")
    truth = true_share(again.best_index)
    errors.append([again.naive - truth, again.estimate - truth])
    held.append(again.interval[0] <= truth <= again.interval[1])
printed, honest = 100 * np.mean(errors, axis=0)
print(f"mean error in points: printed {printed:+.1f}, honest {honest:+.1f}")
print(f"{np.mean(held):.0%} of the intervals hold the truth")

# %%
# Is the winner better than the second? Both answered the same questions, so look at the
# difference: its interval is much narrower than that of either score, and counts documents.
second = report.runners_up().candidates[0]
print(f"lead {second.difference:.3f}, interval {second.low:.3f} to {second.high:.3f}")
print(f"the second is better with probability {second.p_better:.2f}")

# %%
# The half width shrinks with the root of the number of documents. How many would make a real lead
# of one point stand out?
half = (second.high - second.low) / 2
needed = 60 * (half / 0.01) ** 2
print(f"about {needed:,.0f} documents, {5 * needed:,.0f} questions")

# %%
from skmaxev.plotting import SelectionBiasDisplay

SelectionBiasDisplay.from_report(report).plot()

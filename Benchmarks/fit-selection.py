#!/usr/bin/env python3
"""Finds the weights of the selection's learned policy; see README.md, "The selection".

    swift run -c release --package-path Benchmarks selection-replay --features DIR TRACES…
    python3 Benchmarks/fit-selection.py DIR            # numpy and scipy are needed

Prints how well the fit does on histories it was made from, on those that were kept aside, and in cross-validation by
person; and then the table for LearnedParameters+Standard.swift.
"""
import hashlib
import pathlib
import sys

import numpy
from scipy.optimize import minimize

THRESHOLD = 0.9
WRONG = 10.0
# Found by cross-validation over the histories that were not kept aside.
RIDGE, LIKELIHOOD, PULL, SMOOTHNESS = 10.0, 2.0, 20.0, 0.5


def is_kept_aside(name):
    """A third of the histories, by the hash of the file's name."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 3 == 0


class Choices:
    """The choices of several histories: a row of features for each account of each choice."""

    def __init__(self, histories):
        rows, right, starts = [], [], [0]
        for _, choices in histories:
            for features, place in choices:
                rows.append(features)
                right.append(starts[-1] + place)
                starts.append(starts[-1] + len(features))
        self.rows = numpy.vstack(rows)
        self.right = numpy.array(right)
        self.starts = numpy.array(starts[:-1])
        self.choice = numpy.repeat(numpy.arange(len(right)), numpy.diff(starts))

    def probabilities(self, weights):
        scores = self.rows @ weights
        exponentials = numpy.exp(scores - numpy.maximum.reduceat(scores, self.starts)[self.choice])
        return exponentials / numpy.add.reduceat(exponentials, self.starts)[self.choice]

    def best(self, probabilities):
        highest = numpy.maximum.reduceat(probabilities, self.starts)
        best = numpy.zeros(len(self.starts), dtype=int)
        where = numpy.flatnonzero(probabilities == highest[self.choice])[::-1]
        best[self.choice[where]] = where
        return best

    def score(self, weights):
        """Shares taken wrongly and asked, the cost, and how often the right one is first when asked."""
        probabilities = self.probabilities(weights)
        best = self.best(probabilities)
        taken = probabilities[best] >= THRESHOLD
        is_right = best == self.right
        wrong, asked = (taken & ~is_right).mean(), (~taken).mean()
        return wrong, asked, WRONG * wrong + asked, is_right[~taken].mean()


def negative_log_likelihood(weights, choices, ridge):
    probabilities = choices.probabilities(weights)
    loss = -numpy.log(probabilities[choices.right]).sum()
    gradient = choices.rows.T @ probabilities - choices.rows[choices.right].sum(0)
    return loss + ridge * weights @ weights, gradient + 2 * ridge * weights


def smoothed_cost(weights, choices, start):
    """The cost with a threshold that is not a step, the likelihood, and a pull to where the search began."""
    probabilities = choices.probabilities(weights)
    best = choices.best(probabilities)
    top = probabilities[best]
    rest = numpy.maximum(1 - top, 1e-12)
    distance = numpy.log(top / rest) - numpy.log(THRESHOLD / (1 - THRESHOLD))
    taken = 1 / (1 + numpy.exp(-distance / SMOOTHNESS))
    is_wrong = (best != choices.right) * 1.0
    cost = (taken * WRONG * is_wrong + 1 - taken).sum()
    slope = taken * (1 - taken) / SMOOTHNESS * (WRONG * is_wrong - 1)
    coefficients = -(probabilities / rest[choices.choice]) * slope[choices.choice]
    coefficients[best] = slope
    likelihood, gradient = negative_log_likelihood(weights, choices, 0)
    offset = weights - start
    value = cost + LIKELIHOOD * likelihood + PULL * offset @ offset
    return value, choices.rows.T @ coefficients + LIKELIHOOD * gradient + 2 * PULL * offset


def fit(histories):
    choices = Choices(histories)
    scale = choices.rows.std(0)
    scale[scale < 1e-9] = 1
    choices.rows = choices.rows / scale
    start = minimize(
        negative_log_likelihood, numpy.zeros(choices.rows.shape[1]), args=(choices, RIDGE), jac=True,
        method="L-BFGS-B", options={"maxiter": 400}).x
    found = minimize(
        smoothed_cost, start, args=(choices, start), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return found / scale


def read(folder, width):
    for path in sorted(folder.glob("*.f32")):
        values, position, choices = numpy.fromfile(path, dtype="<f4").astype(float), 0, []
        while position < len(values):
            accounts, place = int(values[position]), int(values[position + 1])
            position += 2
            choices.append((values[position:position + accounts * width].reshape(accounts, width), place))
            position += accounts * width
        yield path.stem, choices


def show(what, score):
    print("%-44s wrong %5.2f %%  asked %5.2f %%  cost %.4f  first %4.1f %%"
          % (what, 100 * score[0], 100 * score[1], score[2], 100 * score[3]))


def main():
    folder = pathlib.Path(sys.argv[1])
    names = (folder / "names.txt").read_text().split()
    histories = list(read(folder, len(names)))
    kept = [history for history in histories if is_kept_aside(history[0])]
    tuned = [history for history in histories if not is_kept_aside(history[0])]

    weights = fit(tuned)
    show("fitted without those kept aside: on its own", Choices(tuned).score(weights))
    show("fitted without those kept aside: on them", Choices(kept).score(weights))

    order = numpy.random.RandomState(3).permutation(len(histories))
    scores, counts = [], []
    for fold in range(6):
        inside = [histories[index] for place, index in enumerate(order) if place % 6 == fold]
        outside = [histories[index] for place, index in enumerate(order) if place % 6 != fold]
        scores.append(Choices(inside).score(fit(outside)))
        counts.append(sum(len(choices) for _, choices in inside))
    show("cross-validation by person, six parts", numpy.average(scores, axis=0, weights=counts))

    weights = fit(histories)
    show("fitted on all: on all", Choices(histories).score(weights))
    half = (len(names) - 4) // 2
    print()
    for index in range(half):
        feature = names[index].removeprefix("near.")
        print("        (.%s, %.4f, %.4f)," % (feature, weights[index], weights[index + half]))
    print("in a wider context: last %.4f, streak %.4f; apart: last %.4f, streak %.4f" % tuple(weights[-4:]))


main()

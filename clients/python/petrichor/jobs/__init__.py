"""Parallel jobs over large data sets: plans of contracts such as map and reduce, with functions in Python.

    from petrichor.jobs import Plan, sum_of

    def words(row):
        return [(word, 1) for word in row.line.split()]

    if __name__ == "__main__":
        plan = Plan("word count", parallelism=2)
        (plan.read_text("lines.txt")
            .map(words, {"word": str, "times": int})
            .group_by("word").aggregate(times=sum_of("times"))
            .write_csv("counts.csv"))
        plan.run()

Nothing runs before `run`. Petrichor's engine reads, sorts, joins and writes. The functions run in separate
Python processes, and receive records as named tuples or as Arrow batches.
"""

from petrichor.jobs.data_set import DataSet, Grouping, Iteration
from petrichor.jobs.entities import Entities
from petrichor.jobs.fields import PlanError
from petrichor.jobs.aggregates import average_of, count, max_of, min_of, sum_of
from petrichor.jobs.plan import Plan
from petrichor.jobs.run import JobFailed, Result

__all__ = [
    "DataSet",
    "Entities",
    "Grouping",
    "Iteration",
    "JobFailed",
    "Plan",
    "PlanError",
    "Result",
    "average_of",
    "count",
    "max_of",
    "min_of",
    "sum_of",
]

"""Counts the words of a text, most frequent first.

    python word_count.py TEXT RESULT
"""

import re
import sys

from petrichor.jobs import Plan, sum_of

WORD = re.compile(r"\w+", re.ASCII)


def words(row):
    return [(word.lower(), 1) for word in WORD.findall(row.line)]


if __name__ == "__main__":
    source, result = sys.argv[1:]
    plan = Plan("word count", parallelism=2)
    (
        plan.read_text(source)
        .map(words, {"word": str, "times": int})
        .hints(records_per_call=8)
        .group_by("word")
        .aggregate(times=sum_of("times"))
        .sort_by("-times", "word")
        .write_csv(result)
    )
    done = plan.run()
    print(f"{result}: written in {done.seconds:.1f} s", file=sys.stderr)

"""The pipelines and models of the app under test. `Ran` counts calls."""

import os
import pathlib
import re
import threading

from google.appengine.ext import ndb
from petrichor.jobs import Entities as Texts
from petrichor.jobs import Plan, sum_of

from petrichor_workflows import Abort, Continue, Finish, Machine, MapReduce, Pipeline, State
from petrichor_workflows.jobs import Job

WORD = re.compile(r"\w+")


class Ran(ndb.Model):
    _use_cache = False
    _use_memcache = False
    times = ndb.IntegerProperty(default=0)


@ndb.transactional(propagation=ndb.TransactionOptions.INDEPENDENT, retries=20)
def ran(name):
    entity = Ran.get_by_id(name) or Ran(id=name)
    entity.times += 1
    entity.put()
    return entity.times


class Switch(ndb.Model):
    """Whether Guarded succeeds."""

    _use_cache = False
    _use_memcache = False
    on = ndb.BooleanProperty()


class Stored(ndb.Model):
    text = ndb.StringProperty()


class Text(ndb.Model):
    text = ndb.TextProperty()
    language = ndb.StringProperty()


class Total(ndb.Model):
    """Its id is chosen by the datastore, so one that is stored twice is visible."""

    word = ndb.StringProperty()
    count = ndb.IntegerProperty()


class Length(ndb.Model):
    length = ndb.IntegerProperty()


class Square(Pipeline):
    def run(self, number):
        ran(f"square {number}")
        return number * number


class Add(Pipeline):
    def run(self, numbers):
        return sum(numbers)


class SumOfSquares(Pipeline):
    def run(self, count):
        squares = []
        for number in range(count):
            squares.append((yield Square(number)))
        yield Add(squares)


class Nested(Pipeline):
    """The output of a generator within a generator, with futures inside of values."""

    def run(self):
        small = yield SumOfSquares(3)
        large = yield SumOfSquares(10)
        both = yield Pair(small, second=large)
        return {"small": small, "list": [both["first"], both["second"]], "$odd": 1}


class Pair(Pipeline):
    def run(self, first, second=None):
        return {"first": first, "second": second}


class InOrder(Pipeline):
    def run(self, name):
        first = yield Append(name, "a")
        second = yield Append(name, "b").after(first)
        yield Append(name, "c").after(first, second)


class Append(Pipeline):
    def run(self, name, letter):
        @ndb.transactional()
        def change():
            stored = Stored.get_by_id(name) or Stored(id=name, text="")
            stored.text += letter
            stored.put()
            return stored.text

        return change()


class Flaky(Pipeline):
    backoff_seconds = 0.1

    def run(self, name, failures):
        if ran(name) <= failures:
            raise RuntimeError(f"failure of {name}")
        return "done"


class Guarded(Pipeline):
    attempts_max = 1

    def run(self, name):
        ran(name)
        switch = Switch.get_by_id(name)
        if not (switch and switch.on):
            raise RuntimeError("the switch is off")
        return "passed"


class GuardedTree(Pipeline):
    def run(self, name):
        before = yield Square(7)
        guarded = yield Guarded(name).after(before)
        return (yield Pair(before, guarded))


class GivesUp(Pipeline):
    def run(self, name):
        ran(name)
        raise Abort("no use")


class Forever(Pipeline):
    def run(self, name):
        ran(name)
        return Continue({"turns": 1}, after_seconds=0.05)


class CountsDown(Pipeline):
    """Stores an entity in each turn."""

    def run(self, name, turns):
        left = turns if self.progress is None else self.progress["left"]
        entity = Stored(text=f"{name} {left}")
        if left > 1:
            return Continue({"left": left - 1}, [entity])
        return Finish("zero", [entity])


class TooMany(Pipeline):
    def run(self):
        for number in range(1_001):
            yield Square(number)


class TooLarge(Pipeline):
    def run(self):
        return "x" * 500_001


class ForeignFuture(Pipeline):
    def run(self):
        number = yield Square(2)
        yield Keeps(number)


class Keeps(Pipeline):
    def run(self, number):
        first = yield Square(number)
        yield Misuses(first)


class Misuses(Pipeline):
    def run(self, number):
        from petrichor_workflows.values import Future

        yield Square(Future(self.id.rpartition("-")[0] + "-0"))


class Nothing(Pipeline):
    def run(self):
        return
        yield


class TwoWordCounts(Pipeline):
    """A MapReduce as a part of another pipeline."""

    def run(self, source):
        first = yield MapReduce(source, words, totals, combiner=sums, shards=3, partitions=2)
        second = yield MapReduce(source, lengths, shards=2)
        return [first, second]


# --- functions of MapReduce ---


def words(item):
    for word in WORD.findall(item.text):
        yield word, 1


def sums(word, counts):
    yield sum(counts)


def totals(word, counts):
    yield Total(word=word, count=sum(counts))


def gives_up(word, counts):
    raise Abort("no totals")


def count_lines(word, counts):
    yield f"{word} {sum(counts)}"
    yield {"word": word}


def lengths(item):
    yield Length(id=item.key.id(), length=len(item.text))


def odd_key(item):
    yield 1, 1


def places(line):
    """One pair per line, with its exact text."""
    yield f"{line.offset:010d}", line.text


def joined(key, values):
    yield from values


# --- state machines ---


def divide(context):
    return ({"number": number, "factors": []} for number in context["numbers"])


def factor(context):
    """Takes one factor in each transition."""
    number = context["number"]
    if number == 1:
        return "done"
    least = next(n for n in range(2, number + 1) if number % n == 0)
    return "more", {**context, "number": number // least, "factors": [*context["factors"], least]}


def stop(context):
    return None


def join(contexts):
    return "show", {"factors": [one["factors"] for one in contexts]}


def unknown(context):
    return "surprise"


FACTORS = Machine(
    first="divide",
    states={
        "divide": State(join, {"show": "end"}, divide=divide, part="factor"),
        "factor": State(factor, {"more": "factor", "done": "end"}),
        "end": State(stop),
        "unknown": State(unknown),
    },
)


# --- jobs ---


class FailingJob(Job):
    attempts_max = 2
    backoff_seconds = 0.1


def job_words(row):
    return [(word, 1) for word in WORD.findall(row.text)]


def job_words_slowly(folder):
    """The first run waits to be killed."""

    def slowly(row):
        started = pathlib.Path(folder, "started")
        if not started.exists():
            started.touch()
            threading.Event().wait()
        return job_words(row)

    return slowly


def no_words(row):
    raise ValueError("no words")


def word_count(result, mapper=job_words):
    plan = Plan("words of texts")
    source = plan.read_entities("Text", {"text": str}, of=Texts(project="workflows", server=server(), namespace="texts"))
    words = source.map(mapper, {"word": str, "times": int}, name="words")
    words.group_by("word").aggregate(times=sum_of("times")).write_csv(result, if_exists="overwrite")
    return plan


def failing_word_count(result):
    with pathlib.Path(result).with_name("runs").open("a") as runs:
        runs.write("run\n")
    return word_count(result, no_words)


def slow_word_count(result):
    return word_count(result, job_words_slowly(str(pathlib.Path(result).parent)))


def server():
    return f"{os.environ['API_HOST']}:{os.environ['API_PORT']}"

"""Books, and the pipeline that counts their words."""

import functools
import re

from google.appengine.ext import blobstore, ndb
from petrichor_workflows import Finish, Lines, MapReduce, Pipeline

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
WORD_LENGTH_MAX = 400  # a name of a key has at most 1,500 bytes


class Book(ndb.Model):
    """Its id is the key of the blob."""

    title = ndb.StringProperty(indexed=False)
    size = ndb.IntegerProperty(indexed=False)
    added = ndb.DateTimeProperty(auto_now_add=True)
    workflow = ndb.StringProperty(indexed=False)
    words = ndb.IntegerProperty(indexed=False)  # unknown until they are counted
    different_words = ndb.IntegerProperty(indexed=False)


class Count(ndb.Model):
    """A child of its book; the id is the word."""

    times = ndb.IntegerProperty()


def words(line):
    """The mapper."""
    for word in WORD.findall(line.text):
        yield word[:WORD_LENGTH_MAX].lower(), 1


def add(word, counts):
    """The combiner."""
    yield sum(counts)


def store(book, word, counts):
    """The reducer."""
    yield Count(id=word, parent=book, times=sum(counts))


class CountWords(Pipeline):
    def run(self, book):
        source = Lines([book.id()])
        counted = yield MapReduce(source, words, functools.partial(store, book), combiner=add, shards=4, partitions=4)
        total = yield Total(book).after(counted)
        yield Publish(book, counted["keys"], total)


class Total(Pipeline):
    """Adds all counts of the book."""

    def run(self, book):
        return sum(count.times for count in Count.query(ancestor=book))


class Publish(Pipeline):
    def run(self, book, different_words, words):
        found = book.get()
        found.populate(words=words, different_words=different_words)
        return Finish(words, [found])


@ndb.transactional(xg=True)
def add_book(blob, title):
    """Stores the book, and starts the count with the same commit."""
    key = ndb.Key(Book, str(blob.key()))
    workflow = CountWords(key).start(queue="workflows")
    Book(key=key, title=title or blob.filename, size=blob.size, workflow=workflow).put()


def remove(book):
    ndb.delete_multi(Count.query(ancestor=book.key).fetch(keys_only=True))
    blobstore.delete(book.key.id())
    book.key.delete()

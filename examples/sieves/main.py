"""Prints the first thousand prime numbers. Each request computes them: load for processors, without any storage."""

import math

import flask

PRIMES = 1_000

app = flask.Flask(__name__)


def first_primes(count):
    """The sieve of Eratosthenes, up to a bound on the last of at least six primes (Rosser and Schoenfeld, 1962)."""
    end = math.ceil(count * (math.log(count) + math.log(math.log(count))))
    prime = bytearray([1]) * end
    prime[:2] = b"\0\0"
    for number in range(2, math.isqrt(end - 1) + 1):
        if prime[number]:
            prime[number * number :: number] = bytes(len(range(number * number, end, number)))
    return [number for number in range(end) if prime[number]][:count]


@app.get("/")
def show():
    return flask.Response(" ".join(map(str, first_primes(PRIMES))) + "\n", mimetype="text/plain")

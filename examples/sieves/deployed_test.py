"""Reads the primes of the deployed app at APP_URL. Exits with 0 on success."""

import os

from browser import Browser

status, _, text = Browser().open(os.environ["APP_URL"])
primes = [int(number) for number in text.split()]
assert status == 200, (status, text)
assert (len(primes), primes[:5], primes[-1]) == (1_000, [2, 3, 5, 7, 11], 7_919)
assert all(number % divisor for number in primes for divisor in range(2, int(number**0.5) + 1))
print("sieves: 1,000 primes of the deployed app")

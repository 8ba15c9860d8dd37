"""Petrichor's Python front ends: jobs in `petrichor.jobs`, collections of tuples in `petrichor.tuples`."""

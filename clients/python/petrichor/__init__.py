"""Petrichor's Python front end. Jobs are in `petrichor.jobs`."""

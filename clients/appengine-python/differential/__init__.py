"""Random operations on Petrichor and on Google's own implementations of App Engine's APIs; see `sides`."""

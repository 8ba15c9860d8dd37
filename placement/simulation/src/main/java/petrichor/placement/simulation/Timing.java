package petrichor.placement.simulation;

import petrichor.base.PetrichorException;

/**
 * Times of the simulated machines. A node serves one request after the other.
 *
 * @param linkMillisMin shortest time of a message
 * @param linkMillisMax longest one; times between are equally likely
 * @param requestMillis time that a node needs for a request
 * @param tupleMillis time for each of its tuples, in addition
 * @param operationsPerSecond rate at which operations arrive, at random times
 */
public record Timing(
        double linkMillisMin,
        double linkMillisMax,
        double requestMillis,
        double tupleMillis,
        double operationsPerSecond) {
    public Timing {
        if (!(linkMillisMin >= 0)
                || !(linkMillisMax >= linkMillisMin)
                || !(requestMillis >= 0)
                || !(tupleMillis >= 0)
                || !(operationsPerSecond > 0)) {
            throw PetrichorException.invalid(
                    "times must not be negative, and operations must arrive; links: {min} to {max}"
                            + " ms, request: {request} ms, tuple: {tuple} ms, rate: {rate}/s",
                    "min",
                    linkMillisMin,
                    "max",
                    linkMillisMax,
                    "request",
                    requestMillis,
                    "tuple",
                    tupleMillis,
                    "rate",
                    operationsPerSecond);
        }
    }
}

package petrichor.testing.cluster;

import java.time.Duration;

/**
 * Something bad that happens to a part of the system, and ends again.
 *
 * @param name as people choose it
 * @param victim the server, store node or connection it hits, as far as known before
 * @param injection makes it happen
 * @param held how long it lasts
 * @param healing ends it; what was killed is started again
 */
record Fault(String name, String victim, Runnable injection, Duration held, Runnable healing) {
    @Override
    public String toString() {
        return name + " (" + victim + ", " + held.toMillis() + " ms)";
    }
}

package petrichor.testing.cluster;

import java.time.Duration;

/**
 * A fault of a part of the system, with its injection and its repair.
 *
 * @param name for reports and options
 * @param victim affected server, store node or connection, as far as known before
 * @param injection injects the fault
 * @param held duration
 * @param healing ends the fault, and restarts killed processes
 */
record Fault(String name, String victim, Runnable injection, Duration held, Runnable healing) {
    @Override
    public String toString() {
        return name + " (" + victim + ", " + held.toMillis() + " ms)";
    }
}

package petrichor.cloud.leasing;

import java.time.Instant;

/** The workers on the machines. Called by the thread of {@link Leasing#step}; must not block. */
public interface Workers {
    /**
     * Whether the machine's worker has registered and still sends heartbeats. Takes precedence over
     * reports of the cloud.
     */
    boolean answers(String instance);

    /**
     * Prepares the release of a machine: it gets no new work, and needed data moves to other
     * machines.
     *
     * @param by time at which the machine is released in any case
     * @return whether no needed data is left on it; called again until then
     */
    boolean emptied(String instance, Instant by);
}

package petrichor.cloud.leasing;

import java.time.Instant;

/** What runs on the machines. Asked by the thread of {@link Leasing#step}; must answer at once. */
public interface Workers {
    /**
     * Whether the machine's worker has reported and still does. Counts more than what a cloud says.
     */
    boolean answers(String instance);

    /**
     * The machine will be given back: no new work, and what lies there and is needed must go
     * elsewhere.
     *
     * @param by then it goes anyway
     * @return whether nothing is lost with it any more; asked again until then
     */
    boolean emptied(String instance, Instant by);
}

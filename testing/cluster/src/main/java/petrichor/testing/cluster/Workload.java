package petrichor.testing.cluster;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Transactions whose results can be judged without knowing the order in which the system ran them.
 * Safe for any thread: many clients run the same workload. It has a database of its own.
 */
interface Workload {
    /** Also the name of its database. */
    String name();

    /** Writes what it begins with; no faults yet. */
    void prepare(LabClient client);

    /**
     * Runs one transaction; true if its commit was acknowledged. Failures that faults explain are
     * swallowed; broken promises go to the {@link Findings}.
     */
    boolean step(LabClient client, SplittableRandom chance);

    /**
     * Called now and then by one thread while clients run, and for the last time when none does.
     */
    default void judge(LabClient client, boolean last) {}

    /** Those that the options ask for, each reporting to {@code findings}. */
    static List<Workload> of(LabOptions.Sizes sizes, Findings findings) {
        return switch (sizes) {
            case SMALL -> all(findings);
            case MIXED -> List.of(new MixedSizes(findings), new Bank(findings));
        };
    }

    /** All with small entities. */
    static List<Workload> all(Findings findings) {
        return List.of(
                new ListAppends(findings),
                new Bank(findings),
                new WriteSkew(findings),
                new Phantoms(findings),
                new SameValues(findings));
    }
}

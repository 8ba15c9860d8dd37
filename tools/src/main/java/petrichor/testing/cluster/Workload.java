package petrichor.testing.cluster;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Transactions whose results can be checked without knowing their order of execution. Thread-safe:
 * many clients run the same workload. Each workload has its own database.
 */
interface Workload {
    /** The name, also of its database. */
    String name();

    /** Writes the initial data, before faults are injected. */
    void prepare(LabClient client);

    /**
     * Runs one transaction; true if its commit was acknowledged. Ignores failures explained by
     * faults; violated guarantees go to the {@link Findings}.
     */
    boolean step(LabClient client, SplittableRandom chance);

    /** Called at intervals by one thread while clients run, and once after they have stopped. */
    default void judge(LabClient client, boolean last) {}

    /**
     * Called after each fault, once every workload commits again. Clients run meanwhile; no other
     * fault is injected.
     */
    default void judgeRecovered(LabClient client) {}

    /** The workloads selected by the options, which report to {@code findings}. */
    static List<Workload> of(LabOptions.Sizes sizes, Findings findings) {
        return switch (sizes) {
            case SMALL -> all(findings);
            case MIXED -> List.of(new MixedSizes(findings), new Bank(findings));
        };
    }

    /** The workloads with small entities. */
    static List<Workload> all(Findings findings) {
        return List.of(
                new ListAppends(findings),
                new Bank(findings),
                new WriteSkew(findings),
                new Phantoms(findings),
                new SameValues(findings));
    }
}

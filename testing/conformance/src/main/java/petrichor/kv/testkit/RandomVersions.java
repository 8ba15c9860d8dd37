package petrichor.kv.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import petrichor.kv.testkit.StoreDriver.Operation;

/**
 * Versioned changes as they arrive from successive owners of a database: most are newer than all
 * before, some come late, some are repeated. A version identifies one batch. They use a separate
 * table, as a row is changed either with versions or without.
 */
final class RandomVersions {
    static final String TABLE = "versioned";

    /** Is never created. */
    private static final String MISSING = "missing";

    private static final int BETWEEN_NEW_ONES = 10;
    private static final double LATE = 0.25;
    private static final double AGAIN = 0.15;

    private record Sent(RandomChanges changes, long version) {}

    private final SplittableRandom random;
    private final TreeSet<Long> used = new TreeSet<>();
    private final List<Sent> sent = new ArrayList<>();
    private long newest = 1_000;

    RandomVersions(SplittableRandom random) {
        this.random = random;
    }

    Operation next() {
        Sent next = Seeds.chance(random, AGAIN) && !sent.isEmpty() ? again() : fresh();
        return new Operation(
                "put at " + next.version + " if newer " + next.changes.text(),
                driver -> driver.putIfNewer(next.changes.batch(), next.version));
    }

    private Sent again() {
        return Seeds.pick(random, sent);
    }

    private Sent fresh() {
        List<String> tables = Seeds.chance(random, 0.1) ? List.of(MISSING) : List.of(TABLE);
        Sent next = new Sent(RandomChanges.of(random, TABLE, tables), version());
        sent.add(next);
        return next;
    }

    private long version() {
        if (Seeds.chance(random, LATE)) {
            long late = newest - 1 - random.nextInt(5 * BETWEEN_NEW_ONES);
            if (used.add(late)) {
                return late;
            }
        }
        newest += BETWEEN_NEW_ONES;
        used.add(newest);
        return newest;
    }
}

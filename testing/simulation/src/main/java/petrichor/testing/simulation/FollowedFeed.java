package petrichor.testing.simulation;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowChange;
import petrichor.transactions.Snapshot;

/**
 * A reader of the change feed that continues from its position at whichever process serves. Checks
 * that each change replaces what the previous change of its row left: a commit that the feed
 * skipped, repeated or showed before it was decided breaks this chain.
 */
final class FollowedFeed {
    private static final int COMMITS_AT_ONCE = 20;
    private static final long BYTES_AT_ONCE = 1_000;

    private final Journal journal;
    private final Map<Bytes, Row> rows = new HashMap<>();
    private final Set<Long> versions = new TreeSet<>();
    private long position;

    FollowedFeed(Journal journal) {
        this.journal = journal;
    }

    /** Reads a part; a process that another one has fenced off may refuse. */
    void read(Database database, SeededRandom chance) {
        try {
            Changes part =
                    database.changes()
                            .after(position, 1 + chance.below(COMMITS_AT_ONCE), BYTES_AT_ONCE);
            part.commits().forEach(this::follow);
            position = part.position();
        } catch (PetrichorException refused) {
            if (refused.code() != ErrorCode.UNAVAILABLE) {
                throw refused;
            }
        }
    }

    private void follow(ChangedCommit commit) {
        if (commit.version() <= position || !versions.add(commit.version())) {
            journal.finding(-1, "the feed shows version " + commit.version() + " again");
        }
        for (RowChange change : commit.rows()) {
            Bytes key = Bytes.of(change.key());
            if (!same(rows.get(key), change.before())) {
                journal.finding(
                        -1,
                        "the feed shows a change at version "
                                + commit.version()
                                + " that does not follow from the one before");
            }
            Row after = change.after();
            if (after == null) {
                rows.remove(key);
            } else {
                rows.put(key, after);
            }
        }
    }

    private static boolean same(@Nullable Row one, @Nullable Row other) {
        if (one == null || other == null) {
            return one == null && other == null;
        }
        return one.version() == other.version() && Arrays.equals(one.value(), other.value());
    }

    /** Reads the rest from a process that owns the database, and compares it with the rows. */
    void finish(Database database) {
        SeededRandom any = new SeededRandom(0);
        while (position < database.changes().newest()) {
            read(database, any);
        }
        journal.acknowledgedWrites()
                .forEach(
                        (version, attempt) -> {
                            if (!versions.contains(version)) {
                                journal.finding(attempt, "is missing in the feed");
                            }
                        });
        try (Snapshot snapshot = database.snapshot()) {
            rows.forEach(
                    (key, row) -> {
                        if (!same(snapshot.get(key.array()), row)) {
                            journal.finding(-1, "a row differs from its last change in the feed");
                        }
                    });
        }
    }

    int commits() {
        return versions.size();
    }
}

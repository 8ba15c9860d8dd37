package petrichor.transactions.changes;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * The change records of a database, as rows of the meta table in version order. A record that is
 * longer than a value of the store may be is stored in several parts.
 *
 * <p>Thread-safe: has no state.
 */
public final class ChangeLog {
    /** The parts of a long record. Longer ones would need much memory at once in some stores. */
    private static final int PART_BYTES_MAX = 1 << 20;

    private static final int SCAN_ALL = Integer.MAX_VALUE;

    /**
     * Commits in order, and the version up to which the records are complete.
     *
     * @param gap the version of the step whose record is missing; null if none is
     */
    record Scanned(List<ChangeRecord.Commit> commits, long upTo, @Nullable Long gap) {}

    private final TableLayout layout;
    private final int partBytes;

    /**
     * @param valueBytesMax that the store accepts
     */
    public ChangeLog(TableLayout layout, int valueBytesMax) {
        this.layout = layout;
        this.partBytes = Math.min(valueBytesMax, PART_BYTES_MAX);
    }

    /**
     * Adds the record of a step to its rows. Every step has one, so that the chain has no gap.
     *
     * @param previous version of the step before it
     */
    public void record(WriteBatch rows, long previous, long version, StepChanges changes) {
        byte[] whole = new ChangeRecord(previous, changes.commits()).encode();
        int part = 0;
        for (int from = 0; from < whole.length; from += partBytes) {
            byte[] value =
                    whole.length <= partBytes
                            ? whole
                            : Arrays.copyOfRange(
                                    whole, from, Math.min(whole.length, from + partBytes));
            rows.put(TableLayout.META, layout.changeKey(version, part++), value);
        }
    }

    /** Whether the step of this version has a record. */
    boolean has(Reads rows, long version) {
        return rows.get(TableLayout.META, layout.changeKey(version, 0)) != null;
    }

    /** The position before the first record; null if there is none. */
    @Nullable Long first(Reads rows) {
        try (Scan scan = rows.scan(TableLayout.META, layout.changes(0), Direction.FORWARD, 1)) {
            // The parts of a record are removed together, so this is its first one.
            return scan.next() ? ChangeRecord.previousOf(scan.value()) : null;
        }
    }

    /**
     * What removing all records before a version loses. Searches backwards from there for a record
     * with commits or a step without a record.
     *
     * @param from the version; a later step must have a record
     * @param former what earlier removals have lost
     */
    public KeptChanges removingBefore(Reads rows, long from, KeptChanges former) {
        KeyRange later = layout.changes(from - 1);
        long expected;
        try (Scan scan = rows.scan(TableLayout.META, later, Direction.FORWARD, 1)) {
            if (!scan.next()) {
                return new KeptChanges(from, from);
            }
            expected = ChangeRecord.previousOf(scan.value());
        }
        KeyRange range = layout.changesBefore(from);
        try (Scan scan = rows.scan(TableLayout.META, range, Direction.REVERSE, SCAN_ALL)) {
            while (scan.next()) {
                if (TableLayout.isFirstPart(scan.key())) {
                    long version = TableLayout.versionOfChange(scan.key());
                    if (version != expected || ChangeRecord.hasCommits(scan.value())) {
                        return new KeptChanges(from, expected);
                    }
                    expected = ChangeRecord.previousOf(scan.value());
                }
            }
        }
        // Before that: what was removed earlier, or steps that never had a record.
        return new KeptChanges(from, expected > former.from() ? expected : former.lostUpTo());
    }

    /**
     * The commits after a position and up to a version, which must be published: later records may
     * belong to steps that are not decided.
     */
    Scanned scan(Reads rows, long position, long upTo, int commitsMax, int keysMax) {
        Reader reader = new Reader(position, commitsMax, keysMax);
        KeyRange range = new KeyRange(layout.changeKey(position + 1, 0), layout.changesEnd(upTo));
        try (Scan scan = rows.scan(TableLayout.META, range, Direction.FORWARD, SCAN_ALL)) {
            while (reader.wantsMore() && scan.next()) {
                reader.add(TableLayout.versionOfChange(scan.key()), scan.value());
            }
        }
        reader.endRecord();
        return reader.result(upTo);
    }

    /** Joins the parts of records and checks the chain. */
    private static final class Reader {
        private final int commitsMax;
        private final int keysMax;
        private final List<ChangeRecord.Commit> commits = new ArrayList<>();
        private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
        private long version;
        private long covered;
        private int keys;
        private boolean full;
        private @Nullable Long gap;

        Reader(long position, int commitsMax, int keysMax) {
            this.covered = position;
            this.commitsMax = commitsMax;
            this.keysMax = keysMax;
        }

        boolean wantsMore() {
            return !full && gap == null;
        }

        void add(long of, byte[] part) {
            if (of != version) {
                endRecord();
                version = of;
            }
            parts.writeBytes(part);
        }

        void endRecord() {
            if (parts.size() == 0 || !wantsMore()) {
                return;
            }
            ChangeRecord record = ChangeRecord.decode(parts.toByteArray());
            parts.reset();
            if (record.previous() > covered) {
                gap = record.previous();
                return;
            }
            for (ChangeRecord.Commit commit : record.commits()) {
                if (commit.version() <= covered) {
                    continue;
                }
                if (commits.size() >= commitsMax || (keys >= keysMax && !commits.isEmpty())) {
                    full = true;
                    return;
                }
                commits.add(commit);
                keys += commit.keys().size();
                covered = commit.version();
            }
            covered = version;
        }

        Scanned result(long upTo) {
            return new Scanned(commits, wantsMore() ? upTo : covered, gap);
        }
    }

    /** For a position before the oldest one. */
    static PetrichorException gone(long position, long oldest) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "The changes after position {position} are no longer kept; the oldest position is"
                        + " {oldest}. Copy the data again and continue from the version of the"
                        + " copy, or continue from a later position and lose the changes between.",
                "position",
                position,
                "oldest",
                oldest);
    }
}

package petrichor.transactions.commit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.WriteGate;
import petrichor.transactions.changes.StepChanges;
import petrichor.transactions.rows.ReadsAt;
import petrichor.transactions.rows.StoredWrites;
import petrichor.transactions.rows.TableLayout;

/**
 * Decides which commits of a database succeed, and in which order: first committer wins. Has no
 * threads, no clock and no I/O, so that the simulation runs this very class. The caller makes the
 * planned batch durable and then either publishes {@link Plan#version()} or calls {@link
 * #recovered}. One plan at a time: the next plan assumes that the previous one is durable.
 *
 * <p>Guarantees: every version is higher than all earlier ones, even across restarts; a commit is
 * admitted only if no row was written after the commit read it, by commits of earlier batches or of
 * the same one.
 */
public final class Sequencer {
    /**
     * A batch to be made durable in one step.
     *
     * @param rows rows to write; empty if no commit was admitted
     * @param version of the last commit in it; the version to publish
     * @param results the result of each intent once the step is done
     * @param changes the admitted commits and what they change, for the change feed
     */
    public record Plan(
            WriteBatch rows, long version, List<CommitResult> results, StepChanges changes) {}

    private final TableLayout layout;
    private final ConflictWindow window;
    private long lastVersion;

    /** Of the commits planned so far; null if it must be read from the store. */
    private @Nullable WriteGate gate;

    /**
     * @param recoveredVersion new versions are higher than this one
     */
    public Sequencer(int database, long recoveredVersion, long windowBytesMax) {
        this(database, recoveredVersion, windowBytesMax, MemoryBudget.unlimited());
    }

    /**
     * @param memory shared by the windows of all databases
     */
    Sequencer(int database, long recoveredVersion, long windowBytesMax, MemoryBudget memory) {
        this.layout = new TableLayout(database);
        this.lastVersion = recoveredVersion;
        this.window = new ConflictWindow(windowBytesMax, recoveredVersion, memory);
    }

    /** The newest version assigned to a commit or promised to a reader. */
    public long lastVersion() {
        return lastVersion;
    }

    /** Makes later commits get versions above this one, because a snapshot reads at it. */
    public void promise(long version) {
        lastVersion = Math.max(lastVersion, version);
    }

    /** Higher than every earlier version. */
    long nextVersion(long nowMicros) {
        lastVersion = Math.max(nowMicros, lastVersion + 1);
        return lastVersion;
    }

    /**
     * A plan was abandoned, or its step failed and the store was read again: planned versions above
     * {@code recoveredVersion} do not exist and never will.
     */
    public void recovered(long recoveredVersion) {
        lastVersion = Math.max(lastVersion, recoveredVersion);
        gate = null;
        // Does not cover the unused versions: no snapshot can read at them, and every transaction
        // that reads a range would be too old until another one commits without reading a range.
        window.clear(recoveredVersion);
    }

    /** Ends planning and releases its memory. */
    void close() {
        window.clear(lastVersion);
    }

    /** No open transaction has a read version at or below {@code version}. */
    public void forgetUpTo(long version) {
        window.forgetUpTo(version);
    }

    public int windowSize() {
        return window.size();
    }

    /**
     * Validates the intents in their order and assigns versions to those that may commit.
     *
     * @param nowMicros wall-clock time; may jump, versions do not
     */
    public Plan plan(List<CommitIntent> intents, long nowMicros, StoredWrites stored) {
        window.trim();
        if (gate == null) {
            gate = WriteGate.decode(stored.newest(WriteGate.row()));
        }
        WriteBatch rows = new WriteBatch();
        List<CommitResult> results = new ArrayList<>(intents.size());
        StepChanges changes = new StepChanges();
        for (CommitIntent intent : intents) {
            CommitResult refusal = refusal(intent, stored);
            if (refusal != null) {
                results.add(refusal);
            } else if (intent.writes().isEmpty()) {
                results.add(new CommitResult.Committed(lastVersion));
            } else {
                admit(intent, nextVersion(nowMicros), rows);
                changes.add(lastVersion, intent.conflictKeys());
                results.add(new CommitResult.Committed(lastVersion));
            }
        }
        return new Plan(rows, lastVersion, results, changes);
    }

    private @Nullable CommitResult refusal(CommitIntent intent, StoredWrites stored) {
        if (intent.baseVersion() > lastVersion) {
            return new CommitResult.Refused(
                    PetrichorException.invalid(
                            "The commit names a read version that does not exist yet; read again"
                                    + " and retry."));
        }
        PetrichorException closed = gate == null ? null : gate.refusal(intent.writes());
        if (closed != null) {
            return new CommitResult.Refused(closed);
        }
        for (ReadsAt reads : intent.reads()) {
            CommitResult conflict = conflict(reads, stored);
            if (conflict != null) {
                return conflict;
            }
        }
        List<byte[]> checked = intent.conflictKeys();
        for (int i = 0; i < checked.size(); i++) {
            CommitResult conflict =
                    keyConflict(intent.baseVersion(), checked.get(i), hash(intent, i), stored);
            if (conflict != null) {
                return conflict;
            }
        }
        // The other written rows follow from those above. This costs little and keeps history
        // complete if a writer fails to list the keys on which its rows depend.
        for (int i = 0; i < intent.writes().size(); i++) {
            RowWrite write = intent.writes().get(i);
            if (i < checked.size() && Arrays.equals(checked.get(i), write.key())) {
                continue;
            }
            ConflictWindow.Write other =
                    window.after(intent.baseVersion(), write.key(), write.hash());
            if (other != null) {
                return new CommitResult.Conflict(other.key(), other.version());
            }
        }
        return null;
    }

    private @Nullable CommitResult conflict(ReadsAt reads, StoredWrites stored) {
        for (byte[] key : reads.keys()) {
            CommitResult conflict = keyConflict(reads.version(), key, Bytes.hash(key), stored);
            if (conflict != null) {
                return conflict;
            }
        }
        for (KeyRange range : reads.ranges()) {
            if (reads.version() < window.floor()) {
                // Too old to validate: checking against the store could take as long as the scan
                // did.
                return new CommitResult.Conflict(range.from(), window.floor());
            }
            ConflictWindow.Write other = window.after(reads.version(), range);
            if (other != null) {
                return new CommitResult.Conflict(other.key(), other.version());
            }
        }
        return null;
    }

    /** The hash of a conflict key: known if the write at the same index has that key. */
    private static int hash(CommitIntent intent, int place) {
        byte[] key = intent.conflictKeys().get(place);
        if (place < intent.writes().size()) {
            RowWrite write = intent.writes().get(place);
            if (Arrays.equals(write.key(), key)) {
                return write.hash();
            }
        }
        return Bytes.hash(key);
    }

    private @Nullable CommitResult keyConflict(
            long version, byte[] key, int hash, StoredWrites stored) {
        ConflictWindow.Write other = window.after(version, key, hash);
        if (other != null) {
            return new CommitResult.Conflict(other.key(), other.version());
        }
        if (version < window.floor()) {
            long found = stored.writeAfter(version, key);
            if (found > 0) {
                return new CommitResult.Conflict(key, found);
            }
        }
        return null;
    }

    private void admit(CommitIntent intent, long version, WriteBatch rows) {
        for (RowWrite write : intent.writes()) {
            byte[] key = write.key();
            byte[] value = write.value();
            Row prior = write.prior();
            if (prior != null) {
                rows.put(
                        TableLayout.HISTORY,
                        layout.historyKey(key, version),
                        TableLayout.value(prior.version(), prior.value()));
            }
            if (value != null) {
                rows.put(TableLayout.ROWS, layout.rowKey(key), TableLayout.value(version, value));
            } else {
                rows.delete(TableLayout.ROWS, layout.rowKey(key));
            }
            window.add(key, write.hash(), version);
            if (WriteGate.isRow(key)) {
                gate = WriteGate.decode(value);
            }
        }
    }
}

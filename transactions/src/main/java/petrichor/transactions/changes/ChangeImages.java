package petrichor.transactions.changes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Reads;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Row;
import petrichor.transactions.RowChange;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.Shadows;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.rows.VersionReader;

/**
 * Adds the rows to commits: what each of them replaced, from the history entry that it wrote, and
 * what it wrote, from the row in place or from the history of the commit after it.
 */
final class ChangeImages {
    private record Replaced(long by, @Nullable Row row) {}

    private final TableLayout layout;
    private final ReadPoint point;
    private final LongSupplier newestVersion;

    /**
     * @param point the reader has entered it; its version is at or before the first commit
     * @param newestVersion the highest version that history may contain now
     */
    ChangeImages(TableLayout layout, ReadPoint point, LongSupplier newestVersion) {
        this.layout = layout;
        this.point = point;
        this.newestVersion = newestVersion;
    }

    /** Two reads of many rows, and one per row that was changed again after these commits. */
    List<ChangedCommit> of(List<ChangeRecord.Commit> commits) {
        List<byte[]> rowKeys = new ArrayList<>();
        List<byte[]> historyKeys = new ArrayList<>();
        for (ChangeRecord.Commit commit : commits) {
            for (byte[] key : commit.keys()) {
                rowKeys.add(layout.rowKey(key));
                historyKeys.add(layout.historyKey(key, commit.version()));
            }
        }
        // Rows before history, as every reader: a concurrent commit moves rows into history.
        List<byte @Nullable []> current = point.source().rows().get(TableLayout.ROWS, rowKeys);
        Reads history = point.source().historyAfter(point.version());
        List<byte @Nullable []> replaced = history.get(TableLayout.HISTORY, historyKeys);
        // From the last commit: what a commit replaced is what the one before it wrote.
        Map<Bytes, Replaced> replacedByNext = new HashMap<>();
        ChangedCommit[] changed = new ChangedCommit[commits.size()];
        int at = rowKeys.size();
        for (int number = commits.size() - 1; number >= 0; number--) {
            ChangeRecord.Commit commit = commits.get(number);
            List<RowChange> rows = new ArrayList<>(commit.keys().size());
            for (int i = commit.keys().size() - 1; i >= 0; i--) {
                at--;
                byte[] key = commit.keys().get(i);
                byte[] prior = replaced.get(at);
                Row before = prior == null ? null : layout.decoded(key, prior);
                Bytes place = Bytes.of(key);
                Replaced next = replacedByNext.get(place);
                if (next != null && next.by == commit.version()) {
                    // The commit lists the row twice.
                    continue;
                }
                Row last = next == null ? rowAt(commit.version(), key, current.get(at)) : next.row;
                // An older row means that the commit did not write the row.
                Row after = last != null && last.version() == commit.version() ? last : null;
                if (before != null || after != null) {
                    rows.add(new RowChange(key, before, after));
                    replacedByNext.put(place, new Replaced(commit.version(), before));
                }
            }
            changed[number] = new ChangedCommit(commit.version(), rows.reversed());
        }
        return List.of(changed);
    }

    private @Nullable Row rowAt(long version, byte[] key, byte @Nullable [] current) {
        if (current != null && TableLayout.versionOf(current) <= version) {
            return layout.decoded(key, current);
        }
        ReadPoint then = new ReadPoint(version, point.source(), false, () -> {});
        // A commit has written the row: nothing is read from the parent of a branch.
        Row stored = new VersionReader(layout, then, newestVersion, null, null).get(key);
        return stored == null || !layout.isBranch() ? stored : Shadows.decode(stored);
    }
}

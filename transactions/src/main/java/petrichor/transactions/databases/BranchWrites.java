package petrichor.transactions.databases;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.commit.CommitIntent;
import petrichor.transactions.rows.Shadows;
import petrichor.transactions.rows.TableLayout;

/**
 * Commits of a branch in the form in which they are stored. A removed row becomes a shadow, and
 * every write has a prior row: a shadow where there was none. So each change of a row leaves
 * history, and a reader of the past that finds neither a row nor history in the branch knows that
 * the branch had not changed the row, and reads the parent. Pure functions.
 */
final class BranchWrites {
    private BranchWrites() {}

    static CommitIntent stored(TableLayout branch, CommitIntent intent) {
        List<RowWrite> writes = new ArrayList<>(intent.writes().size());
        for (RowWrite write : intent.writes()) {
            byte[] key = write.key();
            writes.add(
                    new RowWrite(
                            key, Shadows.encode(write.value()), prior(branch, key, write.prior())));
        }
        return new CommitIntent(
                intent.reads(), intent.baseVersion(), intent.conflictKeys(), writes);
    }

    /** A shadow of the version at which the branch begins: before it, the parent is read. */
    private static Row prior(TableLayout branch, byte[] key, @Nullable Row row) {
        return row == null
                ? new Row(key, branch.branchedAt(), Shadows.encode(null))
                : new Row(key, row.version(), Shadows.encode(row.value()));
    }
}

package petrichor.frontends.appengine.datastore;

import java.util.List;
import petrichor.transactions.RowWrite;

/**
 * What another service adds to an open transaction, such as tasks.
 *
 * @param rows written in the same commit as the entities, or not at all. Their keys must be new, so
 *     that no other commit writes them
 * @param committed runs once after the commit, on the committer's thread, so it must not block;
 *     does not run if the process ends before, nor if the outcome of the commit is unknown
 */
public record TransactionalWork(List<RowWrite> rows, Runnable committed) {
    public TransactionalWork {
        rows = List.copyOf(rows);
    }

    long bytes() {
        long bytes = 0;
        for (RowWrite row : rows) {
            byte[] value = row.value();
            bytes += row.key().length + (value == null ? 0 : value.length);
        }
        return bytes;
    }
}

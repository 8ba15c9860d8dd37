package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.h2.index.Cursor;
import org.h2.message.DbException;
import org.h2.result.Row;
import org.h2.result.SearchRow;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * Rows that one step of a plan has read ahead, by key range. They are those of one execution of one
 * statement, which reads at one version and mark. Confined to the session's thread.
 */
final class Probes {
    /** Rows that are kept; older ranges are forgotten. */
    private static final int ROWS_MAX = 8_192;

    private final Map<KeyRange, List<Row>> known = new LinkedHashMap<>();
    private long execution;
    private int rows;

    /** Null if the range was not read. */
    @Nullable List<Row> rows(long running, KeyRange range) {
        return running == execution ? known.get(range) : null;
    }

    /** Adds what was read. Ranges of an earlier execution are forgotten. */
    void put(long running, Map<KeyRange, List<Row>> read) {
        int added = read.size() + read.values().stream().mapToInt(List::size).sum();
        if (running != execution || rows + added > ROWS_MAX) {
            known.clear();
            rows = 0;
            execution = running;
        }
        known.putAll(read);
        rows += added;
    }

    /** Reads kept rows. */
    static Cursor cursor(List<Row> rows) {
        return new Kept(new ArrayList<>(rows));
    }

    private static final class Kept implements Cursor {
        private final List<Row> rows;
        private int next;

        Kept(List<Row> rows) {
            this.rows = rows;
        }

        @Override
        public @Nullable Row get() {
            return next == 0 || next > rows.size() ? null : rows.get(next - 1);
        }

        @Override
        public @Nullable SearchRow getSearchRow() {
            return get();
        }

        @Override
        public boolean next() {
            return ++next <= rows.size();
        }

        @Override
        public boolean previous() {
            throw DbException.getInternalError("a scan reads in one direction");
        }
    }
}

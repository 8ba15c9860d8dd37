package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.StoreView;

/** Reads the rows of a read point, and their history. Thread-safe. */
public interface RowSource {
    /** The rows of all tables. */
    Reads rows();

    /**
     * The history table, complete for rows superseded after {@code version}. Request it after the
     * rows were read: then concurrently written rows are in at least one of the two.
     */
    Reads historyAfter(long version);

    /** The resource to close after the last reader; only if it is constant. */
    @Nullable StoreView view();

    /** A frozen view, if the store supports views; otherwise the store at the time of each read. */
    static RowSource frozen(KeyValueStore store) {
        StoreView view = store.view();
        return new RowSource() {
            @Override
            public Reads rows() {
                return view;
            }

            @Override
            public Reads historyAfter(long version) {
                return view;
            }

            @Override
            public StoreView view() {
                return view;
            }
        };
    }

    /**
     * The store at the time of each read, for a process that has not written any of its content.
     */
    static RowSource beside(Reads store) {
        return new RowSource() {
            @Override
            public Reads rows() {
                return store;
            }

            @Override
            public Reads historyAfter(long version) {
                return store;
            }

            @Override
            public @Nullable StoreView view() {
                return null;
            }
        };
    }

    /** Rows that change while they are read. */
    static RowSource live(Reads rows, RecentHistory recent) {
        return new RowSource() {
            @Override
            public Reads rows() {
                return rows;
            }

            @Override
            public Reads historyAfter(long version) {
                return recent.after(version, rows);
            }

            @Override
            public @Nullable StoreView view() {
                return null;
            }
        };
    }
}

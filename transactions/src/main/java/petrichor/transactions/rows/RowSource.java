package petrichor.transactions.rows;

import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.StoreView;

/** Where the rows of a read point are, and what they replaced. Safe for any thread. */
public interface RowSource {
    /** The rows, all tables of them. */
    Reads rows();

    /**
     * The table of history, with everything in it that was superseded after {@code version}. To be
     * asked for after the rows were read: then rows written in between are in at least one of the
     * two.
     */
    Reads historyAfter(long version);

    /** The resource to close when the last reader has left; only if this does not change. */
    @Nullable StoreView view();

    /** A frozen view, where the store has them; else the store as it is when it is read. */
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

    /** The store as it is when it is read, by who has written nothing of what is in it. */
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

package petrichor.transactions.migration;

import java.util.List;
import java.util.function.BooleanSupplier;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.rows.TableLayout;

/** The stores in which a database can be. Thread-safe. */
public interface MigrationStores {
    /** The store in which databases are created and registered. */
    String HOME = "home";

    /** Instead of a store: the database is in its home, with ranges of its rows in other stores. */
    String RING = "ring";

    /** The names of all stores, the home first. */
    List<String> names();

    /**
     * Opens the store when it is first needed. NOT_FOUND if no store has this name;
     * FAILED_PRECONDITION if it belongs to other databases.
     */
    CommitPoints commitPoints(String name);

    /** The commit point of a database in a store, or of its {@link #RING}; the same errors. */
    CommitPoint commitPoint(String name, TableLayout layout, BooleanSupplier alone);

    /** The store itself, or the home of a {@link #RING}; the same errors. */
    KeyValueStore store(String name);

    /** FAILED_PRECONDITION if databases cannot be moved in this server. */
    void requireMovable();

    /**
     * FAILED_PRECONDITION if the database is a branch or has branches, which read it in its home.
     */
    void requireUnbranched(String database, TableLayout layout);
}

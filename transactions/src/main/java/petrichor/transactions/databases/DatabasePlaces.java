package petrichor.transactions.databases;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.log.CommitLog;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.migration.MigrationStores;
import petrichor.transactions.migration.MovableCommitPoint;
import petrichor.transactions.ring.RingPoint;
import petrichor.transactions.rows.TableLayout;

/**
 * The stores in which databases can be: their home, and those to which they can move. A store is
 * marked as a part of the home before its first use, so that the numbers of databases are unique in
 * it. Thread-safe.
 */
final class DatabasePlaces implements MigrationStores {
    private final RoutedStores home;
    private final CommitPoints homePoints;
    private final NamedStores others;
    private final Branches branches;
    private final Function<RoutedStores, CommitPoints> points;
    private final RandomGenerator chance;
    private final TimeSource time;
    private final Map<String, CommitPoints> known = new ConcurrentHashMap<>();

    /**
     * @param points creates the commit points of a store
     */
    DatabasePlaces(
            RoutedStores home,
            CommitPoints homePoints,
            NamedStores others,
            Branches branches,
            Function<RoutedStores, CommitPoints> points,
            RandomGenerator chance,
            TimeSource time) {
        this.time = time;
        this.home = home;
        this.homePoints = homePoints;
        this.others = others;
        this.branches = branches;
        this.points = points;
        this.chance = chance;
    }

    @Override
    public List<String> names() {
        List<String> names = new ArrayList<>();
        names.add(HOME);
        others.names().forEach(names::add);
        return names;
    }

    @Override
    public CommitPoints commitPoints(String name) {
        return name.equals(HOME) ? homePoints : known.computeIfAbsent(name, this::claimed);
    }

    private CommitPoints claimed(String name) {
        KeyValueStore store = others.open(name);
        if (store == null) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "The configuration has no store {store}; it has {stores}. Add a section"
                            + " [stores.{store}] with its url to the configuration file.",
                    "store",
                    name,
                    "stores",
                    String.join(", ", names()));
        }
        store.createTable(TableLayout.META);
        store.createTable(TableLayout.ROWS);
        store.createTable(TableLayout.HISTORY);
        if (store.durableStep() instanceof DurableStep.ConditionalRow) {
            store.createTable(CommitLog.TABLE);
        }
        StoreMembership.join(home, new RoutedStores.Other(name, store), chance);
        return points.apply(RoutedStores.of(store));
    }

    @Override
    public CommitPoint commitPoint(String name, TableLayout layout, BooleanSupplier alone) {
        if (!name.equals(RING)) {
            return commitPoints(name).of(layout, alone);
        }
        home.home().createTable(CommitLog.TABLE);
        return new RingPoint(this, homePoints, layout, time, alone);
    }

    @Override
    public KeyValueStore store(String name) {
        if (name.equals(HOME) || name.equals(RING)) {
            return home.home();
        }
        return commitPoints(name).stores().home();
    }

    /** Whether ranges of a database are in several stores. */
    boolean hasRing(TableLayout layout) {
        return MovableCommitPoint.hasRing(home.reads(), layout);
    }

    /** FAILED_PRECONDITION if a database has rows in another store than its home. */
    void requireHome(String database, TableLayout layout) {
        if (hasRing(layout)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} has a ring, which the servers of a cluster cannot"
                            + " share yet: use one server.",
                    "database",
                    database);
        }
        if (MovableCommitPoint.isInSeveralStores(home.reads(), layout)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} was moved to another store, or is being moved. End the"
                            + " migration with the database in its home before it is dropped or"
                            + " shared by a cluster.",
                    "database",
                    database);
        }
    }

    @Override
    public void requireUnbranched(String database, TableLayout layout) {
        branches.requireMovable(database, layout);
    }

    @Override
    public void requireMovable() {
        if (!home.others().isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "Databases whose kinds or namespaces are placed in several stores cannot be"
                            + " moved yet: remove the section [placement], or export and import.");
        }
    }
}

package petrichor.tuples;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.scheduling.Scheduler;

/**
 * The tuples of all databases of a server. Completes changes of placements in databases that are
 * sequenced here, also those that another process began, and removes the rows that they leave.
 * Thread-safe.
 */
public final class TupleStores implements AutoCloseable {
    private static final Logger LOG = System.getLogger(TupleStores.class.getName());

    /** How often databases are searched for work that another process left. */
    private static final Duration LOOK_PERIOD = Duration.ofSeconds(30);

    private final Supplier<Databases> databases;
    private final Predicate<String> ownedElsewhere;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final Map<String, TupleStore> stores = new ConcurrentHashMap<>();

    /** Bytes of the samples of operations of all databases. */
    private final AtomicLong sampled = new AtomicLong();

    /** Databases with a running loop. */
    private final Set<String> working = ConcurrentHashMap.newKeySet();

    private Scheduler.@Nullable Chore watch;
    private volatile boolean closed;

    /**
     * @param databases current ones; a reset replaces them
     * @param ownedElsewhere whether another server is known to own a database
     * @param random chooses samples
     */
    public TupleStores(
            Supplier<Databases> databases,
            Predicate<String> ownedElsewhere,
            Scheduler scheduler,
            RandomGenerator random) {
        this.databases = databases;
        this.ownedElsewhere = ownedElsewhere;
        this.scheduler = scheduler;
        this.random = random;
    }

    /** Begins to look for work, now and periodically. */
    public synchronized void start() {
        if (watch == null) {
            scheduler.run(this::look);
            watch = scheduler.repeat(this::look, LOOK_PERIOD);
        }
    }

    /** The tuples of a database. */
    public TupleStore open(String name) {
        return of(databases.get().open(name), name);
    }

    private TupleStore of(Database database, String name) {
        return stores.compute(
                name,
                (_, known) -> {
                    if (known != null && known.database().equals(database)) {
                        return known;
                    }
                    if (known != null) {
                        known.forgetSamples();
                    }
                    return new TupleStore(database, random, sampled);
                });
    }

    /** Removes what is in memory of databases that no longer exist. */
    private void forgetOthers(List<String> names) {
        Set<String> present = Set.copyOf(names);
        stores.entrySet()
                .removeIf(
                        entry -> {
                            boolean gone = !present.contains(entry.getKey());
                            if (gone) {
                                entry.getValue().forgetSamples();
                            }
                            return gone;
                        });
    }

    /** Does what there is to do in a database, on another thread. */
    public void work(TupleStore store) {
        String name = store.database().name();
        if (!closed && working.add(name)) {
            scheduler.run(() -> workNow(store, name));
        }
    }

    private void workNow(TupleStore store, String name) {
        try {
            while (!closed && store.database().sequencedHere() && store.work()) {
                // The next step.
            }
        } catch (PetrichorException | NotOwner later) {
            LOG.log(Level.DEBUG, "The collections of {0} wait: {1}", name, later.getMessage());
        } finally {
            working.remove(name);
        }
    }

    /** Tests call it directly. */
    void look() {
        try {
            Databases all = databases.get();
            List<String> names = all.names();
            forgetOthers(names);
            for (String name : names) {
                // It may have been dropped since.
                Database database =
                        closed || ownedElsewhere.test(name) ? null : all.openExisting(name);
                if (database != null && database.sequencedHere()) {
                    work(of(database, name));
                }
            }
        } catch (PetrichorException | NotOwner later) {
            LOG.log(Level.DEBUG, "Collections wait: {0}", later.getMessage());
        }
    }

    /** Bytes that the samples of all databases take. */
    long sampledBytes() {
        return sampled.get();
    }

    /** Work in progress ends after its step. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            if (watch != null) {
                watch.close();
            }
        }
    }
}

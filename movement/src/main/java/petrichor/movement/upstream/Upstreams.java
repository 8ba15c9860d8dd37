package petrichor.movement.upstream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.rpc.CallFailure;

/**
 * The databases of an upstream, each opened on first use. Routes calls of the Datastore API to the
 * side that leads a database, and moves databases here. Thread-safe.
 */
public final class Upstreams implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Upstreams.class.getName());

    /** Calls under way; more are refused. Each has a virtual thread. */
    private static final int CALLS_MAX = 4_096;

    /** Each one remains until the server ends. */
    private static final int DATABASES_MAX = 1_000;

    private static final int PLATFORM_THREADS = 16;

    private final UpstreamSettings settings;
    private final LocalCopy.EntityDatabases datastore;
    private final UpstreamClient client;
    private final ShadowReads shadow;
    private final ConcurrentMap<DatabaseName, UpstreamDatabase> open = new ConcurrentHashMap<>();
    private final Semaphore calls = new Semaphore(CALLS_MAX);
    private final ExecutorService virtual =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("upstream-call-", 0).factory());
    private final ExecutorService platform =
            Executors.newFixedThreadPool(
                    PLATFORM_THREADS,
                    Thread.ofPlatform().name("upstream-capture-", 0).daemon().factory());

    /**
     * @param datastore of this server, which may be replaced
     */
    public Upstreams(UpstreamSettings settings, Supplier<Datastore> datastore) {
        this.settings = settings;
        this.datastore = datastore::get;
        this.client = new UpstreamClient(settings);
        this.shadow = new ShadowReads(settings.shadowReads(), client);
    }

    /**
     * Continues the moves of these databases.
     *
     * @param names as in the layers below: project or project/database
     */
    public void resume(List<String> names) {
        for (String joined : names) {
            int slash = joined.indexOf('/');
            DatabaseName name =
                    slash < 0
                            ? new DatabaseName(joined, "")
                            : new DatabaseName(
                                    joined.substring(0, slash), joined.substring(slash + 1));
            try {
                if (new LocalCopy(name, datastore).state() != null) {
                    var _ = database(name);
                }
            } catch (PetrichorException refused) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The move of {0} from its upstream does not continue: {1}",
                        name,
                        refused.getMessage());
            }
        }
    }

    /** The databases were opened again: their states are read again. */
    public void reopen(List<String> names) {
        List<UpstreamDatabase> former = List.copyOf(open.values());
        open.clear();
        former.forEach(UpstreamDatabase::close);
        resume(names);
    }

    private UpstreamDatabase database(DatabaseName name) {
        UpstreamDatabase known = open.get(name);
        if (known != null) {
            return known;
        }
        if (open.size() >= DATABASES_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "This server answers for {max} databases of its upstream; use another server"
                            + " for more.",
                    "max",
                    DATABASES_MAX);
        }
        return open.computeIfAbsent(name, this::opened);
    }

    private UpstreamDatabase opened(DatabaseName name) {
        return new UpstreamDatabase(
                new LocalCopy(name, datastore), datastore, client, settings, platform, shadow);
    }

    /** The response of the side that leads the database. Never blocks. */
    public CompletableFuture<byte[]> call(UpstreamCall call) {
        if (!calls.tryAcquire()) {
            return CompletableFuture.failedFuture(CallFailure.overloaded());
        }
        return CompletableFuture.supplyAsync(() -> database(call.database()).answer(call), virtual)
                .whenComplete((_, _) -> calls.release());
    }

    // Actions; each fails with FAILED_PRECONDITION in another phase

    /**
     * Begins to copy a database.
     *
     * @param namespaces those that move; empty for all
     */
    public void start(DatabaseName name, List<String> namespaces) {
        database(name).start(namespaces);
    }

    /** Compares both sides again. */
    public void verify(DatabaseName name) {
        database(name).verify();
    }

    /** From now on this server answers. Returns how long commits waited, in nanoseconds. */
    public long switchHere(DatabaseName name) {
        return database(name).switchHere();
    }

    /** From now on the upstream answers again. Returns how long commits waited, in nanoseconds. */
    public long switchBack(DatabaseName name) {
        return database(name).switchBack();
    }

    /** After a switch: ends the way back. */
    public void complete(DatabaseName name) {
        database(name).complete();
    }

    /** Before a switch: deletes the copy. */
    public void cancel(DatabaseName name) {
        database(name).cancel();
    }

    public UpstreamStatus status(DatabaseName name) {
        return database(name).status();
    }

    /** Reads that were executed on both sides, by result. */
    public Map<String, Long> shadowReads() {
        ShadowReads.Counts counts = shadow.counts();
        return Map.of(
                "equal", counts.equal(),
                "different", counts.different(),
                "skipped", counts.skipped());
    }

    @Override
    public void close() {
        open.values().forEach(UpstreamDatabase::close);
        shadow.close();
        virtual.shutdownNow();
        platform.shutdown();
        client.close();
    }
}

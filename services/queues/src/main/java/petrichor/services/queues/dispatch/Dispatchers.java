package petrichor.services.queues.dispatch;

import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.cron.CronJobs;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.scheduling.Scheduler;

/**
 * The queues of all projects whose databases this server owns, with their dispatchers. Finds out by
 * itself which projects have tasks, after a start and when a database moves to this server.
 * Thread-safe.
 */
public final class Dispatchers implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Dispatchers.class.getName());

    private final Supplier<Databases> databases;
    private final QueueLimits queueLimits;
    private final DispatchSetup setup;
    private final RandomGenerator random;
    private final ConcurrentMap<String, ProjectDispatcher> projects = new ConcurrentHashMap<>();
    private Scheduler.@Nullable Chore watch;
    private long rescannedNanos;
    private volatile boolean closed;

    /**
     * @param databases of the current data
     * @param memory for the tasks that are being delivered
     * @param scheduler runs dispatchers; its tasks may block
     * @param random generates names of tasks; unpredictable
     */
    public Dispatchers(
            Supplier<Databases> databases,
            QueueLimits queueLimits,
            DispatchLimits limits,
            TaskDelivery delivery,
            MemoryBudget memory,
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator random) {
        this.databases = databases;
        this.queueLimits = queueLimits;
        this.setup =
                new DispatchSetup(
                        delivery,
                        new DeliverySlots(limits.deliveriesMax(), memory),
                        limits,
                        time,
                        scheduler);
        this.random = random;
        this.rescannedNanos = time.monotonicNanos();
    }

    /** Begins to look for projects with tasks. */
    public synchronized void start() {
        if (watch == null) {
            watch = setup.scheduler().repeat(this::look, setup.limits().watchPeriod());
        }
    }

    /** The queues of a project. Its commits fail on a server that does not own its database. */
    public ProjectQueues open(String project) {
        return dispatcher(databases.get().open(project)).queues();
    }

    /** The cron jobs of a project; to be changed on the server that owns its database. */
    public CronJobs cronJobs(String project) {
        return dispatcher(databases.get().open(project)).cronJobs();
    }

    private ProjectDispatcher dispatcher(Database database) {
        ProjectDispatcher known = projects.get(database.name());
        if (known != null && known.database().equals(database)) {
            return known;
        }
        ProjectDispatcher fresh = new ProjectDispatcher(database, queueLimits, setup, random);
        ProjectDispatcher current =
                projects.compute(
                        database.name(),
                        (_, other) -> {
                            if (other != null && other.database().equals(database)) {
                                return other;
                            }
                            if (other != null) {
                                other.close();
                            }
                            return fresh;
                        });
        if (current == fresh && database.sequencedHere() && !closed) {
            current.start();
        }
        return current;
    }

    /** Looks for projects once; tests call it directly. */
    public void look() {
        boolean rescan =
                setup.time().monotonicNanos() - rescannedNanos
                        >= setup.limits().rescanPeriod().toNanos();
        if (rescan) {
            rescannedNanos = setup.time().monotonicNanos();
        }
        Databases current = databases.get();
        Set<String> names = new TreeSet<>(current.names());
        for (String name : names) {
            // Queues belong to the default databases of projects.
            if (name.indexOf('/') < 0 && !closed) {
                look(current, name, rescan);
            }
        }
        for (String project : projects.keySet()) {
            if (!names.contains(project)) {
                forget(project);
            }
        }
    }

    private void forget(String project) {
        ProjectDispatcher former = projects.remove(project);
        if (former != null) {
            former.close();
        }
    }

    private void look(Databases current, String project, boolean rescan) {
        try {
            Database database = current.open(project);
            if (!database.sequencedHere()) {
                forget(project);
                return;
            }
            ProjectDispatcher dispatcher = dispatcher(database);
            if (rescan) {
                dispatcher.rescan();
            }
        } catch (PetrichorException | NotOwner later) {
            LOG.log(Level.DEBUG, "The queues of {0} wait: {1}", project, later.getMessage());
        }
    }

    /** Statistics of a queue. */
    public QueueStatistics statistics(String project, String queue) {
        ProjectDispatcher dispatcher = dispatcher(databases.get().open(project));
        return dispatcher.queues().statistics(queue, dispatcher.statistics(queue));
    }

    /**
     * Delivers a task now, regardless of its ETA, the rate of its queue, and whether the queue is
     * paused. Returns whether the task exists.
     */
    public boolean runNow(String project, String queue, String task) {
        return dispatcher(databases.get().open(project))
                .dispatcher(queue)
                .map(dispatcher -> dispatcher.runNow(task))
                .orElse(false);
    }

    /** Tasks that were dropped and that moved to queues of dead letters, by project. */
    public Map<String, Exhausted> exhausted() {
        Map<String, Exhausted> all = new ConcurrentHashMap<>();
        projects.forEach(
                (name, dispatcher) ->
                        all.put(
                                name,
                                new Exhausted(
                                        dispatcher.queues().dropped(),
                                        dispatcher.queues().deadLetters())));
        return all;
    }

    /** Tasks whose retries were exhausted since the dispatcher started. */
    public record Exhausted(long dropped, long deadLetters) {}

    /** Deliveries in progress continue, but their outcomes are not recorded. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            if (watch != null) {
                watch.close();
            }
        }
        projects.values().forEach(ProjectDispatcher::close);
    }
}

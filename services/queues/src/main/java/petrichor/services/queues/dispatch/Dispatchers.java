package petrichor.services.queues.dispatch;

import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
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
import petrichor.services.queues.TaskUse;
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
    private final Predicate<String> ownedElsewhere;
    private final RandomGenerator random;
    private final ConcurrentMap<String, ProjectDispatcher> projects = new ConcurrentHashMap<>();
    private Scheduler.@Nullable Chore watch;
    private volatile long rescannedNanos;
    private volatile boolean closed;

    private final Object exhaustedLock = new Object();

    /** Of dispatchers that were closed, so that totals never decrease. */
    private Exhausted formerlyExhausted = Exhausted.NONE;

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
        this(databases, _ -> true, queueLimits, limits, delivery, memory, time, scheduler, random);
    }

    /**
     * For a server of a cluster.
     *
     * @param ownedElsewhere whether another server is known to own a database; of others, this
     *     server asks for the version, which makes a server the owner
     */
    public Dispatchers(
            Supplier<Databases> databases,
            Predicate<String> ownedElsewhere,
            QueueLimits queueLimits,
            DispatchLimits limits,
            TaskDelivery delivery,
            MemoryBudget memory,
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator random) {
        this.databases = databases;
        this.ownedElsewhere = ownedElsewhere;
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

    /** Begins to look for projects with tasks, now and periodically. */
    public synchronized void start() {
        if (watch == null) {
            setup.scheduler().run(this::lookNow);
            watch = setup.scheduler().repeat(this::lookNow, setup.limits().watchPeriod());
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
                                retire(other);
                            }
                            return fresh;
                        });
        if (current == fresh && database.sequencedHere() && !closed) {
            current.start();
        }
        return current;
    }

    private void lookNow() {
        try {
            look();
        } catch (PetrichorException | NotOwner later) {
            LOG.log(Level.DEBUG, "The queues wait: {0}", later.getMessage());
        }
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
            retire(former);
        }
    }

    private void retire(ProjectDispatcher former) {
        former.close();
        setup.delivery().abandon(former.database().name());
        synchronized (exhaustedLock) {
            formerlyExhausted = formerlyExhausted.plus(former.queues());
        }
    }

    private void look(Databases current, String project, boolean rescan) {
        try {
            Database database = current.open(project);
            if (!database.sequencedHere()) {
                forget(project);
                if (ownedElsewhere.test(project)) {
                    return;
                }
                // Tasks must not wait for a request to make a server take over.
                database.snapshot().close();
                database = current.open(project);
                if (!database.sequencedHere()) {
                    return;
                }
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
     * Due tasks of a project's push queues that wait, by target. A queue counts for the target of
     * its last task, with at most {@link DispatchLimits#windowTasks} tasks, and no more than its
     * rate lets start in a minute. Empty on a server that does not own the project's database.
     */
    public Map<String, Integer> backlog(String project) {
        ProjectDispatcher dispatcher = projects.get(project);
        return dispatcher == null ? Map.of() : dispatcher.backlog();
    }

    /** What a project adds on this server; none on one that has not seen its queues. */
    public TaskUse use(String project) {
        ProjectDispatcher dispatcher = projects.get(project);
        return dispatcher == null ? TaskUse.NONE : dispatcher.queues().use();
    }

    /**
     * Delivers a task now, regardless of its ETA, the rate of its queue, and whether the queue is
     * paused. Returns whether the task exists.
     */
    public boolean runNow(String project, String queue, String task) {
        return dispatcher(databases.get().open(project)).runNow(queue, task);
    }

    /** Tasks of all projects that left their queues without success, since the start. */
    public Exhausted exhausted() {
        synchronized (exhaustedLock) {
            Exhausted all = formerlyExhausted;
            for (ProjectDispatcher dispatcher : projects.values()) {
                all = all.plus(dispatcher.queues());
            }
            return all;
        }
    }

    /** Deliveries of this process: how many are in progress, and how many have ended. */
    public DeliveryCounts deliveries() {
        return setup.slots().counts();
    }

    /** Tasks whose retries were exhausted: those dropped, and those in queues of dead letters. */
    public record Exhausted(long dropped, long deadLetters) {
        static final Exhausted NONE = new Exhausted(0, 0);

        Exhausted plus(ProjectQueues queues) {
            return new Exhausted(dropped + queues.dropped(), deadLetters + queues.deadLetters());
        }
    }

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

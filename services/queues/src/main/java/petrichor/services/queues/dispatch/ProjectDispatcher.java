package petrichor.services.queues.dispatch;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueListener;
import petrichor.services.queues.QueueMode;
import petrichor.services.queues.QueueRows.Due;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.Settlement;
import petrichor.services.queues.cron.CronJobs;
import petrichor.transactions.Database;

/** The dispatchers of a project's push queues, while this server owns its database. Thread-safe. */
final class ProjectDispatcher implements QueueListener {
    private static final System.Logger LOG = System.getLogger(ProjectDispatcher.class.getName());

    private final Database database;
    private final ProjectQueues queues;
    private final DispatchSetup setup;
    private final Outcomes outcomes;
    private final ConcurrentMap<String, QueueDispatcher> dispatchers = new ConcurrentHashMap<>();
    private final Turns refreshes;
    private final CronClock cron;

    ProjectDispatcher(
            Database database, QueueLimits limits, DispatchSetup setup, RandomGenerator random) {
        this.database = database;
        this.setup = setup;
        this.queues = new ProjectQueues(database, limits, this, setup.time(), random);
        this.outcomes =
                new Outcomes(
                        queues,
                        setup.limits().settledPerCommit(),
                        setup.scheduler(),
                        this::settled);
        this.refreshes =
                new Turns("queues of " + database.name(), setup.scheduler(), this::refresh);
        this.cron =
                new CronClock(queues, setup, refreshes::wake, tasks -> added(Queue.CRON, tasks));
    }

    Database database() {
        return database;
    }

    ProjectQueues queues() {
        return queues;
    }

    CronJobs cronJobs() {
        return cron.jobs();
    }

    /** Reads the definitions, and dispatches. */
    void start() {
        refreshes.wake();
        cron.wake();
    }

    @Override
    public void added(String queue, List<Due> tasks) {
        QueueDispatcher dispatcher = dispatchers.get(queue);
        if (dispatcher != null) {
            dispatcher.added(tasks);
        }
    }

    /** Applies the change at once: a task that is added after a pause does not run. */
    @Override
    public void changed(String queue) {
        try {
            refresh();
        } catch (PetrichorException | NotOwner later) {
            LOG.log(
                    Level.DEBUG,
                    "A change of the queue {0} of {1} is applied later: {2}",
                    queue,
                    database.name(),
                    later.getMessage());
            refreshes.wake();
        }
    }

    /** One at a time, so that no older definition replaces a newer one. */
    private synchronized void refresh() {
        List<Queue> defined = queues.dispatched();
        for (Queue queue : defined) {
            dispatcher(queue).define(queue);
        }
        dispatchers.forEach(
                (name, dispatcher) -> {
                    if (defined.stream().noneMatch(queue -> queue.name().equals(name))) {
                        dispatcher.close();
                        dispatchers.remove(name, dispatcher);
                    }
                });
    }

    private QueueDispatcher dispatcher(Queue queue) {
        return dispatchers.computeIfAbsent(
                queue.name(), _ -> new QueueDispatcher(queues, queue, setup, outcomes));
    }

    /** Returns whether the task exists. */
    boolean runNow(String queue, String task) {
        return queues.queue(queue)
                .filter(found -> found.mode() == QueueMode.PUSH)
                .map(found -> dispatcher(found).runNow(task))
                .orElse(false);
    }

    private void settled(List<Settlement.Attempt> attempts, List<Settlement.Result> results) {
        for (Settlement.Attempt attempt : attempts) {
            QueueDispatcher dispatcher = dispatchers.get(attempt.queue());
            if (dispatcher != null) {
                dispatcher.settled(attempt.task());
            }
        }
        for (Settlement.Result result : results) {
            added(result.queue(), List.of(result.due()));
        }
        for (Settlement.Attempt attempt : attempts) {
            QueueDispatcher dispatcher = dispatchers.get(attempt.queue());
            if (dispatcher != null) {
                dispatcher.wake();
            }
        }
    }

    QueueStatistics.Dispatch statistics(String queue) {
        return Optional.ofNullable(dispatchers.get(queue))
                .map(QueueDispatcher::statistics)
                .orElse(QueueStatistics.Dispatch.NONE);
    }

    /** Due tasks that wait, by target. */
    Map<String, Integer> backlog() {
        Map<String, Integer> all = new TreeMap<>();
        for (QueueDispatcher dispatcher : dispatchers.values()) {
            TaskBacklog of = dispatcher.backlog();
            all.merge(of.target(), of.tasks(), Integer::sum);
        }
        return all;
    }

    void rescan() {
        dispatchers.values().forEach(QueueDispatcher::rescan);
        cron.wake();
        try {
            while (queues.forgetTombstones()) {
                // Each call removes a group.
            }
        } catch (PetrichorException | NotOwner later) {
            LOG.log(
                    Level.DEBUG,
                    "Tombstones of {0} stay for now: {1}",
                    database.name(),
                    later.getMessage());
        }
    }

    void close() {
        refreshes.close();
        cron.close();
        dispatchers.values().forEach(QueueDispatcher::close);
        outcomes.close();
    }
}

package petrichor.services.queues;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.services.queues.QueueRows.Due;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;

/**
 * The queues and tasks of a project. Calls block; those that change something require the owner of
 * the database, and are durable when they return. Failures are {@link
 * petrichor.base.PetrichorException}s; NOT_FOUND if the queue does not exist. Thread-safe.
 */
public final class ProjectQueues {
    private final QueueCommits commits;
    private final QueueCatalog catalog;
    private final AddedTasks added;
    private final TaskAddition addition;
    private final TaskRemoval removal;
    private final TaskListing listing;
    private final PullLeases leases;
    private final Settlement settlement;
    private final Exhaustion exhaustion;
    private final QueueListener listener;
    private final TimeSource time;

    /**
     * @param database the default database of the project
     * @param random generates names of tasks; unpredictable, so that they are unique
     */
    public ProjectQueues(
            Database database,
            QueueLimits limits,
            QueueListener listener,
            TimeSource time,
            RandomGenerator random) {
        this.commits = new QueueCommits(database);
        this.catalog = new QueueCatalog(commits, limits, listener);
        this.added = new AddedTasks(database.name(), limits.quotas(), this::count, time);
        this.addition = new TaskAddition(commits, catalog, limits, listener, time, random);
        TaskRows rows = new TaskRows(limits);
        this.removal = new TaskRemoval(commits, rows, time);
        this.listing = new TaskListing(database);
        this.exhaustion = new Exhaustion(rows, database.name());
        this.settlement = new Settlement(commits, rows, exhaustion, time);
        this.leases = new PullLeases(commits, catalog, exhaustion, limits, time);
        this.listener = listener;
        this.time = time;
    }

    /** The name of the project. */
    public String project() {
        return commits.database().name();
    }

    /** Commits of rows of queues. */
    public QueueCommits commits() {
        return commits;
    }

    /** Tasks that were dropped because their retries were exhausted. */
    public long dropped() {
        return exhaustion.dropped();
    }

    /** Tasks that moved to a queue of dead letters. */
    public long deadLetters() {
        return exhaustion.moved();
    }

    /** In the order of their names. */
    public List<Queue> queues() {
        return catalog.ofApps();
    }

    /** All queues that are dispatched, including that of cron jobs. */
    public List<Queue> dispatched() {
        return catalog.all().stream().filter(queue -> queue.mode() == QueueMode.PUSH).toList();
    }

    public Optional<Queue> queue(String name) {
        return catalog.find(name);
    }

    /** The queue; {@code default} is created if it does not exist. */
    public Queue require(String name) {
        catalog.provide(name);
        return catalog.existing(name);
    }

    /** Creates or replaces these queues; others stay. */
    public void define(List<Queue> queues) {
        catalog.define(queues);
    }

    /** Creates a queue; returns false, and nothing changes, if it exists. */
    public boolean create(Queue queue) {
        return catalog.create(queue);
    }

    /** Changes a queue and returns it. */
    public Queue change(String name, UnaryOperator<Queue> change) {
        catalog.provide(name);
        return catalog.change(name, change);
    }

    /** Deliveries in progress end; no others start. */
    public Queue pause(String name) {
        return change(name, queue -> queue.withPaused(true));
    }

    public Queue resume(String name) {
        return change(name, queue -> queue.withPaused(false));
    }

    /** Deletes a queue with its tasks. */
    public void delete(String name) {
        pause(name);
        removal.purge(name);
        catalog.remove(name);
    }

    /** Deletes all tasks that are in the queue now. */
    public void purge(String name) {
        require(name);
        removal.purge(name);
    }

    /**
     * Adds tasks; one whose name is in use is not added. RESOURCE_EXHAUSTED if a quota of the
     * project leaves no room for all of them.
     */
    public List<AddResult> add(String queue, List<NewTask> tasks) {
        added.require(tasks.size());
        return addition.add(queue, tasks);
    }

    /** A random name, for a task whose name must be known before it is added. */
    public String newTaskName() {
        return addition.randomName();
    }

    /**
     * Computes the rows of tasks that the commit of a transaction adds. Their names must be empty
     * or come from {@link #newTaskName}. RESOURCE_EXHAUSTED as for {@link #add}.
     */
    public TaskBatch prepare(String queue, List<NewTask> tasks) {
        added.require(tasks.size());
        return addition.prepare(queue, tasks);
    }

    /** What the project adds, on this server. */
    public TaskUse use() {
        return added.use();
    }

    /** Tasks in all queues of the project, up to a number. */
    public long count(long most) {
        long sum = 0;
        for (Queue queue : queues()) {
            sum += listing.count(queue.name(), most - sum).tasks();
        }
        return sum;
    }

    public List<DeleteResult> deleteTasks(String queue, List<String> names) {
        return removal.delete(queue, names);
    }

    public Optional<Task> task(String queue, String name) {
        return listing.find(queue, name);
    }

    /** The tasks of these names; null for one that is gone. */
    public List<@Nullable Task> tasks(String queue, List<String> names) {
        try (Snapshot snapshot = commits.database().snapshot()) {
            return TaskRows.read(snapshot, queue, names);
        }
    }

    /** The order of a queue, from this place on. */
    public List<Due> order(String queue, @Nullable Due from, int max) {
        return listing.order(queue, from, max);
    }

    /**
     * Records the outcomes of deliveries: removes tasks that succeeded, and moves others to their
     * next attempt. Listeners are not informed.
     */
    public List<Settlement.Result> settle(List<Settlement.Attempt> attempts) {
        return settlement.settle(attempts);
    }

    /** Tasks in the order of their names, from this name on. */
    public List<Task> tasksByName(String queue, String from, int max) {
        return listing.byName(queue, from, max);
    }

    /** Tasks in the order of their ETAs, from this place on. */
    public List<Task> tasksByEta(String queue, Due from, int max) {
        return listing.byEta(queue, from, max);
    }

    /** Tasks with a tag, in the order of their ETAs. */
    public List<Task> tasksByTag(String queue, String tag, int max) {
        return listing.byTag(queue, TaskAddition.tag(tag), max);
    }

    /** Leases the oldest tasks of a pull queue. */
    public List<Task> lease(String queue, int count, Duration lease) {
        return leases.lease(queue, count, lease, new PullLeases.Choice.Oldest());
    }

    /** Leases the oldest tasks with this tag. */
    public List<Task> leaseByTag(String queue, int count, Duration lease, byte[] tag) {
        return leases.lease(queue, count, lease, new PullLeases.Choice.OfTag(tag));
    }

    /** Leases the oldest tasks with the tag of the oldest task. */
    public List<Task> leaseByOldestTag(String queue, int count, Duration lease) {
        return leases.lease(queue, count, lease, new PullLeases.Choice.OfOldestTag());
    }

    /**
     * Changes the end of a lease.
     *
     * @param etaMicros the end that the worker knows
     * @param lease from now on; zero returns the task to the queue
     */
    public LeaseResult modifyLease(String queue, String task, long etaMicros, Duration lease) {
        return leases.modify(queue, task, etaMicros, lease);
    }

    /** Moves the ETA of a task to now; returns whether the task exists. */
    public boolean makeDue(String queueName, String name) {
        Optional<TaskState> moved =
                commits.commit(
                        edits -> {
                            Queue queue = catalog.require(edits, queueName);
                            if (!(TaskRows.find(edits.reader(), queueName, name)
                                    instanceof TaskRows.Found.Live(TaskState state))) {
                                return Optional.empty();
                            }
                            TaskState due =
                                    state.at(Math.min(state.etaMicros(), time.epochMicros()));
                            TaskRows.change(edits, queue, name, state, due);
                            return Optional.of(due);
                        });
        moved.ifPresent(
                state -> listener.added(queueName, List.of(new Due(state.etaMicros(), name))));
        return moved.isPresent();
    }

    /**
     * Statistics of a queue.
     *
     * @param dispatch what its dispatcher reports
     */
    public QueueStatistics statistics(String queue, QueueStatistics.Dispatch dispatch) {
        TaskListing.Count count = listing.count(queue);
        return new QueueStatistics(count.tasks(), count.oldestEtaMicros(), dispatch);
    }

    /** Removes tombstones that have ended; returns whether there may be more. */
    public boolean forgetTombstones() {
        return removal.forgetTombstones();
    }
}

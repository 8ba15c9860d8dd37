package petrichor.services.queues.dispatch;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueRows.Due;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.Settlement;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskWork;

/**
 * Dispatches the tasks of a push queue. The window, the bucket and the definition belong to its
 * turns; other threads leave hints and outcomes, and wake it. Thread-safe.
 */
final class QueueDispatcher {
    private static final System.Logger LOG = System.getLogger(QueueDispatcher.class.getName());

    /** Hints that are kept for the next turn; with more of them, the queue is scanned. */
    private static final int HINTS_MAX = 10_000;

    /** Longest sleep, because the wall clock may jump. */
    private static final Duration SLEEP_MAX = Duration.ofMinutes(1);

    /** Between checks whether the app can be reached. */
    private static final Duration UNREADY = Duration.ofSeconds(5);

    /** Between checks whether deliveries can start. */
    private static final Duration NOT_ACCEPTING = Duration.ofSeconds(1);

    /** Tasks for an app that cannot be reached, behind which tasks for other servers are found. */
    private static final int PARKED_MAX = 10_000;

    private static final long NANOS_PER_MICRO = 1_000;

    /** As long as the instances that a backlog starts are kept. */
    private static final double BACKLOG_S = 60;

    private final ProjectQueues queues;
    private final DispatchSetup setup;
    private final Outcomes outcomes;
    private final Turns turns;
    private final Runnable waker = this::wake;
    private volatile Queue queue;
    private final TokenBucket bucket;
    private final TaskWindow window;
    private final ConcurrentLinkedQueue<Due> hints = new ConcurrentLinkedQueue<>();
    private final AtomicInteger hintCount = new AtomicInteger();
    private volatile boolean rescan;

    /** Tasks that left the window because the app cannot be reached. */
    private int parked;

    /** Tasks that are being delivered, or whose outcome is not durable. */
    private final Set<String> active = ConcurrentHashMap.newKeySet();

    private volatile TaskBacklog backlog = TaskBacklog.NONE;

    /** That of the last task for the app. */
    private volatile String target = "";

    private final AtomicInteger inFlight = new AtomicInteger();
    private final ExecutionCounts executed;

    private final Alarm alarm;

    QueueDispatcher(ProjectQueues queues, Queue queue, DispatchSetup setup, Outcomes outcomes) {
        this.queues = queues;
        this.queue = queue;
        this.setup = setup;
        this.outcomes = outcomes;
        this.bucket = new TokenBucket(queue.rate(), setup.time().monotonicNanos());
        this.window = new TaskWindow(setup.limits().windowTasks());
        this.executed = new ExecutionCounts(setup.time());
        this.turns =
                new Turns(
                        "queue " + queue.name() + " of " + queues.project(),
                        setup.scheduler(),
                        this::turn);
        this.alarm = new Alarm(setup.time(), setup.scheduler(), turns::wake);
    }

    void define(Queue other) {
        queue = other;
        turns.wake();
    }

    /** Hints that these tasks are in the queue. */
    void added(List<Due> tasks) {
        if (hintCount.addAndGet(tasks.size()) > HINTS_MAX) {
            hintCount.addAndGet(-tasks.size());
            rescan = true;
        } else {
            hints.addAll(tasks);
        }
        turns.wake();
    }

    /** Scans the whole queue again. */
    void rescan() {
        rescan = true;
        turns.wake();
    }

    void wake() {
        turns.wake();
    }

    private void turn() {
        try {
            dispatch();
        } finally {
            backlog = new TaskBacklog(target, waiting(queue));
        }
    }

    /** Due tasks that the rate lets start soon; those of an app that answers no request count. */
    private int waiting(Queue current) {
        if (current.paused()) {
            return 0;
        }
        double startable = Math.ceil(current.rate().tokensPerSecond() * BACKLOG_S);
        return (int) Math.min(window.due(setup.time().epochMicros()), startable);
    }

    /** Tasks that waited at the end of the last turn. */
    TaskBacklog backlog() {
        return backlog;
    }

    private void dispatch() {
        Queue current = queue;
        long nowNanos = setup.time().monotonicNanos();
        bucket.change(current.rate(), nowNanos);
        readHints();
        if (current.paused() || current.rate().tokensPerSecond() == 0) {
            return;
        }
        if (!setup.delivery().accepting()) {
            alarm.set(NOT_ACCEPTING.toNanos());
            return;
        }
        boolean appReady = setup.delivery().ready(queues.project());
        if (appReady && parked > 0) {
            restart();
        } else if (!appReady) {
            alarm.set(UNREADY.toNanos());
            if (parked >= PARKED_MAX) {
                return;
            }
        }
        scan();
        if (queue.paused()) {
            // It was paused after the first look; what was added since then must not run.
            return;
        }
        List<Due> chosen = choose(current, nowNanos);
        if (!chosen.isEmpty() && start(current, chosen, appReady)) {
            setup.slots().whenFree(waker);
        } else {
            setup.slots().wakeNext();
            sleepUntilNext(current);
        }
    }

    private void readHints() {
        if (rescan) {
            rescan = false;
            restart();
        }
        for (Due hint = hints.poll(); hint != null; hint = hints.poll()) {
            hintCount.decrementAndGet();
            window.add(hint);
        }
    }

    private void restart() {
        parked = 0;
        window.restart();
    }

    private void scan() {
        while (window.needsScan()) {
            int max = window.free();
            List<Due> found = queues.order(queue.name(), window.cursor(), max);
            window.scanned(found, found.size() < max);
        }
    }

    private List<Due> choose(Queue current, long nowNanos) {
        long nowMicros = setup.time().epochMicros();
        int free =
                Math.min(
                        current.rate().concurrentMax() - inFlight.get(),
                        setup.limits().unsettledMax()
                                + current.rate().concurrentMax()
                                - active.size());
        List<Due> chosen = new ArrayList<>();
        while (chosen.size() < free
                && !window.isEmpty()
                && window.first().etaMicros() <= nowMicros) {
            if (active.contains(window.first().task())) {
                window.removeFirst();
            } else if (bucket.tryTake(nowNanos)) {
                chosen.add(window.removeFirst());
            } else {
                break;
            }
        }
        return chosen;
    }

    /** Returns whether there were too few slots. */
    private boolean start(Queue current, List<Due> chosen, boolean appReady) {
        boolean waiting = false;
        boolean skipped = false;
        List<@Nullable Task> tasks;
        try {
            tasks = queues.tasks(current.name(), chosen.stream().map(Due::task).toList());
        } catch (RuntimeException failed) {
            chosen.forEach(this::putBack);
            throw failed;
        }
        for (int i = 0; i < chosen.size(); i++) {
            Task task = tasks.get(i);
            Due due = chosen.get(i);
            if (task == null || task.state().etaMicros() != due.etaMicros()) {
                // It was deleted, or moved to another ETA, of which there is another hint.
                bucket.giveBack();
                skipped = true;
            } else if (!appReady && task.work() instanceof TaskWork.Push push && push.isToApp()) {
                bucket.giveBack();
                parked++;
                skipped = true;
            } else if (waiting || !setup.slots().tryTake(task.work().bytes())) {
                putBack(due);
                waiting = true;
            } else {
                start(current, task);
            }
        }
        if (skipped) {
            // No outcome will wake it for the tasks behind these.
            turns.wake();
        }
        return waiting;
    }

    private void putBack(Due due) {
        bucket.giveBack();
        window.add(due);
    }

    /** Delivers a task; the caller has taken a slot. */
    private void start(Queue current, Task task) {
        active.add(task.name());
        inFlight.incrementAndGet();
        if (task.work() instanceof TaskWork.Push push && push.isToApp()) {
            target = push.target().isEmpty() ? current.routing().target() : push.target();
        }
        long startedMicros = setup.time().epochMicros();
        var _ =
                answer(new Delivery(queues.project(), current, task))
                        .whenComplete(
                                (result, failure) ->
                                        finished(
                                                task,
                                                startedMicros,
                                                failure == null
                                                        ? result
                                                        : new DeliveryResult.Unanswered(
                                                                failure.toString())));
    }

    private CompletableFuture<DeliveryResult> answer(Delivery delivery) {
        try {
            return setup.delivery().deliver(delivery);
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    private void finished(Task task, long startedMicros, DeliveryResult result) {
        if (result instanceof DeliveryResult.Unanswered(String reason)) {
            LOG.log(
                    Level.DEBUG,
                    "The task {0} of the queue {1} of {2} had no answer: {3}",
                    task.name(),
                    queue.name(),
                    queues.project(),
                    reason);
        }
        inFlight.decrementAndGet();
        executed.add();
        setup.slots().release(task.work().bytes(), result.succeeded());
        outcomes.add(
                new Settlement.Attempt(
                        queue.name(),
                        task.name(),
                        result.status(),
                        result.succeeded(),
                        startedMicros));
        turns.wake();
    }

    /** The outcome of a delivery is durable. */
    void settled(String task) {
        active.remove(task);
    }

    /** Delivers a task regardless of rate, ETA and pauses; returns whether it exists. */
    boolean runNow(String name) {
        Task task = queues.task(queue.name(), name).orElse(null);
        if (task == null) {
            return false;
        }
        if (!active.contains(name) && setup.slots().tryTake(task.work().bytes())) {
            start(queue, task);
        }
        return true;
    }

    private void sleepUntilNext(Queue current) {
        long nowNanos = setup.time().monotonicNanos();
        if (window.isEmpty()) {
            return;
        }
        long untilEta = (window.first().etaMicros() - setup.time().epochMicros()) * NANOS_PER_MICRO;
        boolean full =
                inFlight.get() >= current.rate().concurrentMax()
                        || active.size()
                                >= setup.limits().unsettledMax() + current.rate().concurrentMax();
        if (untilEta <= 0 && full) {
            // The next outcome wakes it.
            return;
        }
        alarm.set(Math.min(SLEEP_MAX.toNanos(), Math.max(untilEta, bucket.nanosToNext(nowNanos))));
    }

    QueueStatistics.Dispatch statistics() {
        Queue current = queue;
        return new QueueStatistics.Dispatch(
                executed.lastMinute(),
                executed.lastHour(),
                inFlight.get(),
                current.paused() ? 0 : current.rate().tokensPerSecond());
    }

    void close() {
        turns.close();
    }
}

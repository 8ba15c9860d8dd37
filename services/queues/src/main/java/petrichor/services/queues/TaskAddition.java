package petrichor.services.queues;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.queues.QueueRows.Due;

/** Adds tasks to queues, in a commit of their own or in that of a transaction. Thread-safe. */
final class TaskAddition {
    /** Of random names: unique without a check. */
    private static final int RANDOM_BYTES = 16;

    private static final Pattern RANDOM_NAME = Pattern.compile("task[\\da-f]{32}");

    /** Between now and the ETA of a task that may run immediately, clients' clocks may differ. */
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final QueueCommits commits;
    private final QueueCatalog catalog;
    private final QueueLimits limits;
    private final QueueListener listener;
    private final TimeSource time;
    private final RandomGenerator random;

    TaskAddition(
            QueueCommits commits,
            QueueCatalog catalog,
            QueueLimits limits,
            QueueListener listener,
            TimeSource time,
            RandomGenerator random) {
        this.commits = commits;
        this.catalog = catalog;
        this.limits = limits;
        this.listener = listener;
        this.time = time;
        this.random = random;
    }

    /** Tasks whose names are in use are not added; the others are. */
    List<AddResult> add(String queueName, List<NewTask> tasks) {
        catalog.provide(queueName);
        requireCount(tasks.size());
        List<AddResult> results =
                commits.commit(
                        edits -> {
                            Queue queue = catalog.require(edits, queueName);
                            List<Task> checked = checked(queue, tasks);
                            List<AddResult> outcome = conflicts(edits, queueName, checked);
                            for (AddResult each : outcome) {
                                if (each instanceof AddResult.Added(Task task)) {
                                    TaskRows.insert(edits, queue, task);
                                }
                            }
                            return outcome;
                        });
        List<Due> added = new ArrayList<>(results.size());
        for (AddResult result : results) {
            if (result instanceof AddResult.Added(Task task)) {
                added.add(TaskRows.due(task));
            }
        }
        if (!added.isEmpty()) {
            listener.added(queueName, added);
        }
        return results;
    }

    private List<AddResult> conflicts(RowEdits edits, String queue, List<Task> tasks) {
        long now = time.epochMicros();
        Set<String> names = new HashSet<>();
        List<AddResult> results = new ArrayList<>(tasks.size());
        for (Task task : tasks) {
            boolean repeated = !names.add(task.name());
            results.add(
                    switch (TaskRows.find(edits.reader(), queue, task.name())) {
                        case TaskRows.Found.Live _ -> new AddResult.AlreadyExists(task.name());
                        case TaskRows.Found.Tombstone(long until) when until > now ->
                                new AddResult.Tombstoned(task.name());
                        case TaskRows.Found.Tombstone _, TaskRows.Found.Nothing _ ->
                                repeated
                                        ? new AddResult.AlreadyExists(task.name())
                                        : new AddResult.Added(task);
                    });
        }
        return results;
    }

    /** The rows of tasks with random names, for the commit of a transaction. */
    TaskBatch prepare(String queueName, List<NewTask> tasks) {
        requireCount(tasks.size());
        for (NewTask task : tasks) {
            if (!task.name().isEmpty() && !RANDOM_NAME.matcher(task.name()).matches()) {
                throw PetrichorException.invalid(
                        "A task that a transaction adds cannot have a name, such as {name}.",
                        "name",
                        task.name());
            }
        }
        catalog.provide(queueName);
        try (var snapshot = commits.database().snapshot()) {
            RowEdits edits = new RowEdits(snapshot);
            Queue queue = catalog.require(edits, queueName);
            List<Task> checked = checked(queue, tasks);
            for (Task task : checked) {
                requireNew(edits, queueName, task.name());
                TaskRows.insert(edits, queue, task);
            }
            List<Due> added = checked.stream().map(TaskRows::due).toList();
            return new TaskBatch(checked, edits.writes(), () -> listener.added(queueName, added));
        }
    }

    private static void requireNew(RowEdits edits, String queue, String name) {
        if (!(TaskRows.find(edits.reader(), queue, name) instanceof TaskRows.Found.Nothing)) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "The queue {queue} has a task of the name {name}.",
                    "queue",
                    queue,
                    "name",
                    name);
        }
    }

    private void requireCount(int tasks) {
        if (tasks > limits.tasksPerCallMax()) {
            throw PetrichorException.invalid(
                    "A call adds at most {max} tasks, not {tasks}.",
                    "max",
                    limits.tasksPerCallMax(),
                    "tasks",
                    tasks);
        }
    }

    private List<Task> checked(Queue queue, List<NewTask> tasks) {
        return tasks.stream().map(task -> checked(queue, task)).toList();
    }

    private Task checked(Queue queue, NewTask task) {
        long now = time.epochMicros();
        long etaMax = now + TaskCodec.micros(limits.delayMax()) + MICROS_PER_SECOND;
        if (task.etaMicros() > etaMax) {
            throw PetrichorException.invalid(
                    "The ETA of a task is at most {max} in the future.", "max", limits.delayMax());
        }
        requireDeadline(task.deadline());
        if (!task.name().isEmpty()) {
            QueueName.requireTask(task.name());
        }
        byte[] tag =
                switch (task.work()) {
                    case TaskWork.Push push -> {
                        requireMode(queue, QueueMode.PUSH);
                        requirePush(push);
                        yield new byte[0];
                    }
                    case TaskWork.Pull pull -> {
                        requireMode(queue, QueueMode.PULL);
                        requirePull(pull);
                        yield pull.tag();
                    }
                };
        boolean named = !task.name().isEmpty() && !RANDOM_NAME.matcher(task.name()).matches();
        return new Task(
                task.name().isEmpty() ? randomName() : task.name(),
                new Task.Content(task.work(), now, task.retry(), task.deadline()),
                new TaskState(eta(queue, task, now), TaskState.Attempts.NONE, named, tag));
    }

    /** Pull tasks keep an ETA in the past, because workers lease them in the order of ETAs. */
    private static long eta(Queue queue, NewTask task, long now) {
        boolean keepsPast = queue.mode() == QueueMode.PULL && task.etaMicros() > 0;
        return keepsPast ? task.etaMicros() : Math.max(now, task.etaMicros());
    }

    private static void requireMode(Queue queue, QueueMode mode) {
        if (queue.mode() != mode) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The queue {queue} takes {mode} tasks only; use another queue.",
                    "queue",
                    queue.name(),
                    "mode",
                    queue.mode().name().toLowerCase(java.util.Locale.ROOT));
        }
    }

    private static void requireDeadline(Duration deadline) {
        if (!deadline.isPositive() || deadline.compareTo(QueueLimits.DEADLINE_MAX) > 0) {
            throw PetrichorException.invalid(
                    "The deadline of a delivery must be positive and at most {max}, not"
                            + " {deadline}.",
                    "max",
                    QueueLimits.DEADLINE_MAX,
                    "deadline",
                    deadline);
        }
    }

    private void requirePush(TaskWork.Push push) {
        requireBytes(push, limits.pushBytesMax());
        if (push.url().isEmpty() || push.url().length() > QueueLimits.URL_CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "The URL of a task has 1 to {max} characters, not {length}.",
                    "max",
                    QueueLimits.URL_CHARACTERS_MAX,
                    "length",
                    push.url().length());
        }
        boolean path = push.url().startsWith("/");
        if (!path && !push.url().startsWith("http://") && !push.url().startsWith("https://")) {
            throw PetrichorException.invalid(
                    "The URL of a task is a path of the app, such as /job, or starts with http://"
                            + " or https://.");
        }
    }

    private void requirePull(TaskWork.Pull pull) {
        requireBytes(pull, limits.pullBytesMax());
        if (pull.tag().length > QueueLimits.TAG_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "The tag of a task has at most {max} bytes, not {bytes}.",
                    "max",
                    QueueLimits.TAG_BYTES_MAX,
                    "bytes",
                    pull.tag().length);
        }
    }

    private static void requireBytes(TaskWork work, int max) {
        if (work.bytes() > max) {
            throw PetrichorException.invalid(
                    "The task has {bytes} bytes; at most {max} are allowed. Store the data"
                            + " elsewhere and pass a key.",
                    "bytes",
                    work.bytes(),
                    "max",
                    max);
        }
    }

    String randomName() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return "task" + HexFormat.of().formatHex(bytes);
    }

    static byte[] tag(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

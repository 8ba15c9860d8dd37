package petrichor.jobs.flink;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.jobgraph.tasks.TaskOperatorEventGateway;
import org.apache.flink.util.SerializedValue;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.HostedSubtask;
import petrichor.jobs.jobgraph.SubtaskId;

/**
 * Periodically reports a subtask's news to the stage's coordinator, and passes the coordinator's
 * answers to the subtask. Unacknowledged news is repeated in the next report.
 */
final class TaskReports implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(250);

    /**
     * Interval while others wait for a sample or for splitters, or this task does not know its
     * receivers.
     */
    private static final Duration EVERY_WHEN_WAITING = Duration.ofMillis(20);

    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final Duration SILENCE_MAX = Duration.ofMinutes(1);

    private final SubtaskId task;
    private final int attempt;
    private final String machine;
    private final TaskOperatorEventGateway gateway;
    private final Map<StageMessage.Route, PartitionOutput> outputs = new ConcurrentHashMap<>();
    private final Map<Integer, GateReader> readers = new ConcurrentHashMap<>();
    private final ArrayList<StageMessage.Move> moves = new ArrayList<>();

    /** Samples that the coordinator has not acknowledged, by edge. */
    private final HashMap<Integer, ArrayList<byte[]>> samples = new HashMap<>();

    /** Edges whose splitters are awaited. */
    private final HashSet<Integer> unsettled = new HashSet<>();

    private volatile long heardNanos = System.nanoTime();
    private @Nullable HostedSubtask subtask;
    private @Nullable Thread thread;
    private boolean closed;

    /**
     * @param machine where the task runs
     */
    TaskReports(SubtaskId task, int attempt, String machine, TaskOperatorEventGateway gateway) {
        this.task = task;
        this.attempt = attempt;
        this.machine = machine;
        this.gateway = gateway;
    }

    /** Starts to report. */
    synchronized void begin(HostedSubtask of) {
        subtask = of;
        thread =
                Thread.ofPlatform()
                        .name(Thread.currentThread().getName() + ", reports")
                        .daemon()
                        .start(this::tellOn);
    }

    /** Registers the reader that measures how busy the subtask is with an edge's data. */
    void reads(int edge, GateReader reader) {
        readers.put(edge, reader);
    }

    /** Registers the output to be informed about a receiver. */
    void leads(StageMessage.Route way, PartitionOutput output) {
        outputs.put(way, output);
    }

    synchronized void moved(StageMessage.Move move) {
        moves.add(move);
    }

    synchronized void sample(int edge, List<byte[]> records) {
        samples.put(edge, new ArrayList<>(records));
        unsettled.add(edge);
        notifyAll();
    }

    /** The subtask has succeeded: sends a last report, before Flink learns of the end. */
    void last() throws InterruptedException {
        close();
        Thread reporting = thread;
        if (reporting != null) {
            // One report at a time: an acknowledgment would otherwise be applied twice.
            reporting.join();
        }
        HostedSubtask ended = subtask;
        if (ended != null) {
            tell(ended);
        }
    }

    private void tellOn() {
        try {
            while (pause()) {
                HostedSubtask told = subtask;
                if (told != null) {
                    tell(told);
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    @SuppressWarnings("WaitNotInLoop") // an early report is harmless
    private synchronized boolean pause() throws InterruptedException {
        if (!closed) {
            wait((isWaiting() ? EVERY_WHEN_WAITING : EVERY).toMillis());
        }
        return !closed;
    }

    private synchronized boolean isWaiting() {
        return !unsettled.isEmpty()
                || outputs.values().stream().anyMatch(PartitionOutput::isUnknown);
    }

    private void tell(HostedSubtask told) {
        StageMessage.Report report = report(told);
        try {
            if (gateway.sendRequestToCoordinator(
                                    StageCoordinator.id(), new SerializedValue<>(report))
                            .get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
                    instanceof StageMessage.Known known) {
                heard(told, report, known);
            }
            heardNanos = System.nanoTime();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ExecutionException | TimeoutException e) {
            silent(told, e);
        } catch (PetrichorException e) {
            told.stop(e);
        }
    }

    /** The news is repeated in the next report, but a thread may be waiting for the answer. */
    private void silent(HostedSubtask told, Exception why) {
        if (System.nanoTime() - heardNanos > SILENCE_MAX.toNanos()) {
            told.stop(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "the job's coordinator on Flink did not answer: {reason}",
                            "reason",
                            why));
        }
    }

    private synchronized StageMessage.Report report(HostedSubtask told) {
        HashSet<Integer> cancelled = new HashSet<>();
        told.inputs()
                .forEach(
                        (edge, input) -> {
                            if (input.isCancelled()) {
                                cancelled.add(edge);
                            }
                        });
        HashMap<Integer, Double> busy = new HashMap<>();
        readers.forEach((edge, reader) -> busy.put(edge, reader.busyPart()));
        return new StageMessage.Report(
                task,
                attempt,
                machine,
                new ArrayList<>(moves),
                new TreeMap<>(told.measured()),
                new HashMap<>(samples),
                cancelled,
                busy);
    }

    private synchronized void heard(
            HostedSubtask told, StageMessage.Report report, StageMessage.Known known) {
        moves.subList(0, report.moves().size()).clear();
        samples.keySet().removeAll(report.samples().keySet());
        known.cuts()
                .forEach(
                        (edge, cuts) -> {
                            if (unsettled.remove(edge)) {
                                told.settle(edge, cuts);
                            }
                        });
        known.receptions()
                .forEach(
                        (way, reception) -> {
                            PartitionOutput output = outputs.get(way);
                            if (output != null) {
                                output.know(reception);
                            }
                        });
        for (StageMessage.Route way : known.cancelled()) {
            PartitionOutput output = outputs.get(way);
            if (output != null) {
                output.cancelUpstream();
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        if (thread != null) {
            thread.interrupt();
        }
    }
}

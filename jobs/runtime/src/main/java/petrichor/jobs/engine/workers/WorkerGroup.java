package petrichor.jobs.engine.workers;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import petrichor.jobs.channels.ChannelToken;

/**
 * The processes of one attempt: they start together, connect to each other, and end together.
 * Guarded by the executor's monitor.
 */
final class WorkerGroup implements AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    private final List<WorkerProcess> workers = new ArrayList<>();
    private final InetSocketAddress[] addresses;
    private final long[] spilledBytes;
    private volatile boolean closed;
    private int here;
    private int done;
    private int released;

    /** Receives the messages of the group's workers. */
    interface Listener {
        void said(WorkerGroup crew, WorkerProcess worker, WorkerMessage message);

        void gone(WorkerGroup crew, WorkerProcess worker);
    }

    private final JobWorkers.Gathered gathered;

    private WorkerGroup(JobWorkers.Gathered gathered) {
        this.gathered = gathered;
        this.addresses = new InetSocketAddress[gathered.links().size()];
        this.spilledBytes = new long[gathered.links().size()];
    }

    /** The processes communicate only after {@link #register}. */
    static WorkerGroup of(JobWorkers.Gathered gathered) {
        WorkerGroup crew = new WorkerGroup(gathered);
        for (WorkerLink link : gathered.links()) {
            crew.workers.add(new WorkerProcess(crew.workers.size(), link));
        }
        return crew;
    }

    SlotAssignment slots() {
        return gathered.slots();
    }

    long memoryBytes(WorkerProcess worker) {
        return gathered.memoryBytes().get(worker.number());
    }

    /**
     * @param silentMax a process that sends nothing for this long is considered to hang
     */
    void register(Listener listener, Duration silentMax) {
        WorkerProcess.Listener each =
                new WorkerProcess.Listener() {
                    @Override
                    public void said(WorkerProcess worker, WorkerMessage message) {
                        listener.said(WorkerGroup.this, worker, message);
                    }

                    @Override
                    public void gone(WorkerProcess worker) {
                        listener.gone(WorkerGroup.this, worker);
                    }
                };
        tell(new WorkerMessage.Hello(ChannelToken.random().hex()));
        workers.forEach(worker -> worker.listen(each));
        Thread.ofVirtual().name("workers watched").start(() -> watch(listener, silentMax));
    }

    private void watch(Listener listener, Duration silentMax) {
        int asked = Math.toIntExact(silentMax.dividedBy(POLL_INTERVAL));
        while (!closed) {
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
            for (WorkerProcess worker : workers) {
                if (worker.isSilent(asked) && !closed) {
                    // First of all: a thread that writes to it may be blocked.
                    worker.endSilent();
                    listener.gone(this, worker);
                }
            }
        }
    }

    /** A worker has reported its address; true when all have. */
    boolean arrived(WorkerProcess worker, InetSocketAddress address) {
        addresses[worker.number()] = address;
        return ++here == workers.size();
    }

    /** A worker has finished its part of a stage; true when all have. */
    boolean done(WorkerProcess worker, long spilled) {
        spilledBytes[worker.number()] = spilled;
        done++;
        if (done < workers.size()) {
            return false;
        }
        done = 0;
        return true;
    }

    /** A worker has been released; true when all have. */
    boolean released() {
        return ++released == workers.size();
    }

    List<WorkerProcess> workers() {
        return workers;
    }

    List<InetSocketAddress> addresses() {
        return List.copyOf(Arrays.asList(addresses));
    }

    /** Bytes that these processes have spilled, as reported so far. */
    long spilledBytes() {
        return Arrays.stream(spilledBytes).sum();
    }

    void tell(WorkerMessage message) {
        workers.forEach(worker -> worker.send(message));
    }

    /** Whether all processes have ended after {@link #close}. */
    boolean hasEnded() {
        return workers.stream().noneMatch(WorkerProcess::isAlive);
    }

    /**
     * Returns the processes, which have been released and keep running. Does not close their {@link
     * WorkerLink}s.
     */
    JobWorkers.Gathered leave() {
        closed = true;
        return gathered;
    }

    @Override
    public void close() {
        closed = true;
        workers.forEach(WorkerProcess::close);
    }
}

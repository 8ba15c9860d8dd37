package petrichor.apps.instances;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One process of an app, from its start to its end; it is not restarted. Thread-safe. Its states
 * follow each other as the package describes; a virtual thread of its own carries them out.
 */
public final class Instance {
    /**
     * @param drained completes when the instance has no requests any more
     */
    record StopOrder(String reason, CompletableFuture<?> drained) {}

    private final InstanceSpec spec;
    private final int port;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Consumer<InstanceState>> listeners = new ArrayList<>();
    private final CompletableFuture<InstanceState> started = new CompletableFuture<>();
    private final CompletableFuture<InstanceState> ended = new CompletableFuture<>();
    private final CompletableFuture<StopOrder> stop = new CompletableFuture<>();
    private final CompletableFuture<Void> kill = new CompletableFuture<>();
    private volatile InstanceState state = new InstanceState.Starting();
    private volatile Supplier<InstanceUsage> usage;

    Instance(InstanceSpec spec, int port, InstanceUsage nothingYet) {
        this.spec = spec;
        this.port = port;
        this.usage = () -> nothingYet;
    }

    public InstanceSpec spec() {
        return spec;
    }

    /** On the loopback address. */
    public int port() {
        return port;
    }

    public InstanceState state() {
        return state;
    }

    /** Whether it accepts a connection now. Blocks up to the timeout. */
    public boolean accepts(Duration timeout) {
        return HttpGet.accepts(port, timeout);
    }

    /** The state after STARTING: READY, or a final one. */
    public CompletableFuture<InstanceState> started() {
        return started.copy();
    }

    /** The final state; its processes have ended, and port, user id and memory are free again. */
    public CompletableFuture<InstanceState> ended() {
        return ended.copy();
    }

    /**
     * Calls the listener with the current state and then with each following one, in order. It must
     * not block, and should not throw.
     */
    public void onState(Consumer<InstanceState> listener) {
        lock.lock();
        try {
            listeners.add(listener);
            notify(listener, state);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops it without waiting for requests in progress; see {@link #stop(String,
     * CompletionStage)}.
     */
    public void stop(String reason) {
        stop(reason, CompletableFuture.completedFuture(null));
    }

    /**
     * Drains and stops it: waits for its requests, sends its stop request and SIGTERM, and after
     * the grace period SIGKILL. Has no effect if it has ended or is being stopped.
     *
     * @param reason for operators
     * @param drained completes when no request is in progress; is awaited for the drain timeout
     */
    public void stop(String reason, CompletionStage<?> drained) {
        stop.complete(new StopOrder(reason, drained.toCompletableFuture()));
    }

    /** Ends it at once, also if it is being stopped. */
    public void kill(String reason) {
        kill.complete(null);
        stop(reason);
    }

    /** What it uses now. */
    public InstanceUsage usage() {
        return usage.get();
    }

    CompletableFuture<StopOrder> stopOrder() {
        return stop;
    }

    CompletableFuture<Void> killOrder() {
        return kill;
    }

    void measuredBy(Supplier<InstanceUsage> supplier) {
        usage = supplier;
    }

    void enter(InstanceState next) {
        lock.lock();
        try {
            state = next;
            listeners.forEach(listener -> notify(listener, next));
        } finally {
            lock.unlock();
        }
        if (!(next instanceof InstanceState.Draining)) {
            started.complete(next);
        }
        if (next.isFinal()) {
            ended.complete(next);
        }
    }

    private void notify(Consumer<InstanceState> listener, InstanceState current) {
        try {
            listener.accept(current);
        } catch (RuntimeException defect) {
            // The instance must be supervised to its end in any case.
            System.getLogger(Instance.class.getName())
                    .log(System.Logger.Level.ERROR, "a listener of " + this + " failed", defect);
        }
    }

    @Override
    public String toString() {
        return "instance " + spec.name();
    }
}

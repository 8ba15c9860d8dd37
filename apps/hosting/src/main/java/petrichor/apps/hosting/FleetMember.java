package petrichor.apps.hosting;

import java.util.concurrent.CompletableFuture;
import petrichor.apps.instances.Instance;
import petrichor.apps.instances.InstanceState;

/** An instance of a fleet. Guarded by the fleet's lock. */
final class FleetMember {
    private final Instance instance;
    private final String id;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private InstanceState state = new InstanceState.Starting();
    private boolean leaving;
    private int requests;
    private int refusals;
    private long readyNanos;

    /** Sum of requests multiplied by the time that they took since the last observation. */
    private double requestNanos;

    private long countedNanos;
    private long observedNanos;

    FleetMember(Instance instance, long nowNanos) {
        this.instance = instance;
        this.id = instance.spec().name().instance();
        this.countedNanos = nowNanos;
        this.observedNanos = nowNanos;
    }

    Instance instance() {
        return instance;
    }

    String id() {
        return id;
    }

    int requests() {
        return requests;
    }

    boolean isReady() {
        return !leaving && state instanceof InstanceState.Ready;
    }

    boolean isStarting() {
        return !leaving && state instanceof InstanceState.Starting;
    }

    /** Whether it counts as an instance of the fleet: it is not being stopped. */
    boolean stays() {
        return !leaving && !state.isFinal();
    }

    /** How long it was ready; 0 if it never was. */
    long readyForNanos(long nowNanos) {
        return readyNanos == 0 ? 0 : nowNanos - readyNanos;
    }

    void enter(InstanceState next, long nowNanos) {
        if (next instanceof InstanceState.Ready) {
            readyNanos = nowNanos;
            observedNanos = nowNanos;
            countedNanos = nowNanos;
            requestNanos = 0;
        }
        state = next;
    }

    void begin(long nowNanos) {
        count(nowNanos);
        requests++;
    }

    /**
     * @param refused whether it did not accept the connection
     * @return how often it refused connections in a row
     */
    int end(long nowNanos, boolean refused) {
        count(nowNanos);
        requests--;
        refusals = refused ? refusals + 1 : 0;
        if (leaving && requests == 0) {
            drained.complete(null);
        }
        return refusals;
    }

    private void count(long nowNanos) {
        requestNanos += (double) requests * (nowNanos - countedNanos);
        countedNanos = nowNanos;
    }

    /** Requests in progress, on average since the last call. */
    double takeConcurrency(long nowNanos) {
        count(nowNanos);
        long elapsed = nowNanos - observedNanos;
        double average = elapsed <= 0 ? requests : requestNanos / elapsed;
        requestNanos = 0;
        observedNanos = nowNanos;
        return average;
    }

    /** Gets no further requests, and stops when its last one has ended. */
    void leave(String reason) {
        leaving = true;
        if (requests == 0) {
            drained.complete(null);
        }
        instance.stop(reason, drained);
    }
}

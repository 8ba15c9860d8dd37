package petrichor.apps.hosting;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.apps.instances.Instance;
import petrichor.apps.instances.InstanceState;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.table.VersionName;

/** An instance of a fleet. Guarded by the fleet's lock. */
final class FleetMember {
    /** How long it may refuse connections: a process that is busy or paused recovers. */
    static final Duration REFUSING_MAX = Duration.ofSeconds(10);

    /** Attempts to connect that must have failed too, however far the clock jumped. */
    static final int FAILED_CHECKS_MIN = 3;

    private final Instance instance;
    private final String id;
    private final String reason;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private InstanceState state = new InstanceState.Starting();
    private boolean leaving;
    private int requests;
    private Suspicion suspicion = Suspicion.NONE;
    private boolean checking;
    private long readyNanos;

    /** Sum of requests multiplied by the time that they took since the last observation. */
    private double requestNanos;

    private long countedNanos;
    private long observedNanos;

    /** That it does not accept connections. */
    private record Suspicion(boolean exists, long sinceNanos, int failedChecks) {
        static final Suspicion NONE = new Suspicion(false, 0, 0);

        Suspicion failedCheck() {
            return new Suspicion(exists, sinceNanos, failedChecks + 1);
        }
    }

    /**
     * @param reason why it was started
     */
    FleetMember(Instance instance, String reason, long nowNanos) {
        this.instance = instance;
        this.id = instance.spec().name().instance();
        this.reason = reason;
        this.countedNanos = nowNanos;
        this.observedNanos = nowNanos;
    }

    Instance instance() {
        return instance;
    }

    String id() {
        return id;
    }

    String reason() {
        return reason;
    }

    int requests() {
        return requests;
    }

    /** For the router. */
    Backend backend(VersionName version) {
        return new Backend(
                version,
                id,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), instance.port()));
    }

    /** For operators. */
    FleetStatus.Member status() {
        return new FleetStatus.Member(id, instance.state(), requests, reason, instance.usage());
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

    void end(long nowNanos, Backends.Use use) {
        count(nowNanos);
        requests--;
        switch (use) {
            case UNREACHABLE -> {
                if (!isSuspect()) {
                    suspicion = new Suspicion(true, nowNanos, 0);
                }
            }
            case ANSWERED, BROKEN -> suspicion = Suspicion.NONE;
            case ABANDONED, TIMED_OUT -> {}
        }
        if (leaving && requests == 0) {
            drained.complete(null);
        }
    }

    /**
     * Whether a request goes rather to this instance.
     *
     * @param avoided an instance that has just failed; null if there is none
     */
    boolean isBetterThan(FleetMember other, @Nullable String avoided) {
        boolean avoidsThis = isSuspect() || id.equals(avoided);
        boolean avoidsOther = other.isSuspect() || other.id.equals(avoided);
        return avoidsThis == avoidsOther ? requests() < other.requests() : !avoidsThis;
    }

    /** Whether a request did not reach it, and no later one and no check did. */
    boolean isSuspect() {
        return suspicion.exists();
    }

    /** Whether to check now if it accepts connections; each check ends with {@link #checked}. */
    boolean beginCheck() {
        boolean begins = isSuspect() && stays() && !checking;
        checking |= begins;
        return begins;
    }

    /** Returns whether it has refused connections for too long. */
    boolean checked(boolean accepted, long nowNanos) {
        checking = false;
        if (accepted) {
            suspicion = Suspicion.NONE;
        } else if (isSuspect()) {
            suspicion = suspicion.failedCheck();
        }
        return isSuspect()
                && stays()
                && suspicion.failedChecks() >= FAILED_CHECKS_MIN
                && nowNanos - suspicion.sinceNanos() >= REFUSING_MAX.toNanos();
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

package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Billing;
import petrichor.cloud.InstanceType;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Money;
import petrichor.cloud.Purchase;

/**
 * The lease of a machine that is requested, running or being released. Confined to the thread of
 * {@link Leasing}.
 */
final class Lease {
    private final String token;
    private final InstanceType type;
    private final Purchase purchase;
    private final Optional<Money> bid;
    private LeaseState state;
    private Instant since;
    private @Nullable String instance;
    private @Nullable Instant running;
    private @Nullable StageId stage;
    private @Nullable String need;
    private String reason;

    /** Time since which its worker has been silent. */
    @Nullable Instant silentSince;

    /** Time of the next call to the cloud for this lease. */
    Instant nextCall;

    /** Time at which the cloud reclaims the machine. */
    @Nullable Instant takenAt;

    /** Whether the outcome of a launch is unknown. */
    boolean unconfirmed;

    /** The stage for which it was leased, which accepts it at any price. */
    @Nullable Purpose purpose;

    record Purpose(StageId stage, String need) {}

    /** Number of listings without it, while it is {@link LeaseState#UNCONFIRMED}. */
    int listsWithout;

    private Lease(LeaseLine line, InstanceType type) {
        this.token = line.token();
        this.type = type;
        this.purchase = line.purchase();
        this.bid = line.bid();
        this.state = line.state();
        this.since = line.at();
        this.instance = line.instance().orElse(null);
        this.running = line.running().orElse(null);
        this.stage = line.stage().orElse(null);
        this.need = line.need().orElse(null);
        this.reason = line.reason();
        this.nextCall = line.at();
    }

    static Lease of(LeaseLine line, InstanceType type) {
        return new Lease(line, type);
    }

    LeaseLine line(Instant now) {
        return new LeaseLine(
                now,
                token,
                type.name(),
                purchase,
                bid,
                state,
                Optional.ofNullable(instance),
                Optional.ofNullable(running),
                Optional.ofNullable(stage),
                Optional.ofNullable(need),
                reason);
    }

    String token() {
        return token;
    }

    InstanceType type() {
        return type;
    }

    Purchase purchase() {
        return purchase;
    }

    LeaseState state() {
        return state;
    }

    Instant since() {
        return since;
    }

    @Nullable StageId stage() {
        return stage;
    }

    @Nullable String need() {
        return need;
    }

    String reason() {
        return reason;
    }

    boolean known() {
        return instance != null;
    }

    /** The cloud's id of the machine, which must be known. */
    String instance() {
        if (instance == null) {
            throw new IllegalStateException("no machine is known for " + token);
        }
        return instance;
    }

    void instance(String id) {
        instance = id;
    }

    @Nullable Instant running() {
        return running;
    }

    void running(Instant from) {
        running = from;
    }

    void become(LeaseState next, Instant now, String why) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(token + " from " + state + " to " + next);
        }
        state = next;
        since = now;
        reason = why;
        if (next != LeaseState.USED && next != LeaseState.LEAVING && next != LeaseState.ENDING) {
            stage = null;
            need = null;
        }
    }

    void use(StageId by, String name, Instant now) {
        become(LeaseState.USED, now, "a stage started");
        stage = by;
        need = name;
    }

    /** Machines being released no longer belong to a stage. */
    void leaveStage() {
        stage = null;
        need = null;
    }

    Leased leased() {
        return new Leased(instance(), type, purchase);
    }

    LaunchRequest request(LeaseTag tag) {
        return new LaunchRequest(token, type.name(), purchase, bid, tag);
    }

    /** End of the paid time; now if billing has not started. */
    Instant paidUntil(Billing billing, Instant now) {
        return running == null || running.isAfter(now) ? now : billing.paidUntil(running, now);
    }

    Duration paidFor(Billing billing, Instant now) {
        return Duration.between(now, paidUntil(billing, now));
    }
}

package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Cloud;
import petrichor.cloud.Description;
import petrichor.cloud.Instance;
import petrichor.cloud.InterruptionNotice;
import petrichor.cloud.Listing;

/**
 * Observes the cloud and the workers. Treats listings of the cloud as hints: a machine exists when
 * its worker answers, and is gone when the cloud confirmed its termination; absence from a listing
 * is not evidence of termination. Confined to the thread of {@link Leasing}.
 */
final class CloudObserver {
    /**
     * Number of listings without a row after which the machine is assumed not to exist, because
     * listings may omit rows.
     */
    static final int LISTS_WITHOUT_MIN = 10;

    private static final Duration BOOT_MIN = Duration.ofMinutes(1);
    private static final System.Logger LOG = System.getLogger(CloudObserver.class.getName());

    private final Cloud cloud;
    private final String owner;
    private final InstantSource clock;
    private final LeaseBook book;
    private final Workers workers;
    private final LeasingLimits limits;
    private Instant nextList = Instant.MIN;

    CloudObserver(
            Cloud cloud,
            String owner,
            InstantSource clock,
            LeaseBook book,
            Workers workers,
            LeasingLimits limits) {
        this.cloud = cloud;
        this.owner = owner;
        this.clock = clock;
        this.book = book;
        this.workers = workers;
        this.limits = limits;
    }

    void observe(Map<StageId, StageDemand> stages) {
        notices(stages);
        if (!clock.instant().isBefore(nextList)) {
            list();
            nextList = clock.instant().plus(limits.listEvery());
        }
        for (Lease lease : book.all()) {
            switch (lease.state()) {
                case STARTING -> starting(lease);
                case IDLE, USED -> present(lease, stages);
                case REQUESTED, LEAVING, ENDING, UNCONFIRMED, ENDED -> {}
            }
        }
    }

    private void notices(Map<StageId, StageDemand> stages) {
        try {
            for (InterruptionNotice notice : cloud.interruptions()) {
                book.ofInstance(notice.instance())
                        .filter(lease -> lease.takenAt == null)
                        .ifPresent(
                                lease -> {
                                    lease.takenAt = notice.endsAt();
                                    leaves(lease, stages, CostReport.TAKEN + notice.reason());
                                });
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the cloud sends no interruption notices", e);
        }
    }

    private void leaves(Lease lease, Map<StageId, StageDemand> stages, String why) {
        Instant now = clock.instant();
        switch (lease.state()) {
            case USED -> {
                tellLoss(lease, stages, why);
                book.become(lease, LeaseState.LEAVING, now, why);
            }
            case IDLE -> book.become(lease, LeaseState.LEAVING, now, why);
            case STARTING -> book.become(lease, LeaseState.ENDING, now, why);
            case REQUESTED, LEAVING, ENDING, UNCONFIRMED, ENDED -> {}
        }
    }

    private static void tellLoss(Lease lease, Map<StageId, StageDemand> stages, String why) {
        @Nullable StageId of = lease.stage();
        StageDemand stage = of == null ? null : stages.get(of);
        if (stage != null) {
            stage.lost(lease.leased(), why);
        }
        lease.leaveStage();
    }

    private void list() {
        Listing listing;
        try {
            listing = cloud.list(owner);
        } catch (RuntimeException e) {
            listing = new Listing.NotNow(String.valueOf(e.getMessage()));
        }
        switch (listing) {
            case Listing.Rows rows -> {
                Set<String> seen = new HashSet<>();
                for (Listing.Row row : rows.rows()) {
                    switch (row) {
                        case Listing.Row.Seen readable -> {
                            seen.add(readable.instance().token());
                            found(readable.instance());
                        }
                        case Listing.Row.Garbled unreadable -> lookCloser(unreadable.id());
                    }
                }
                if (rows.complete()) {
                    withoutDoubt(seen);
                }
            }
            case Listing.NotNow _ -> {}
        }
    }

    /** Examines a machine whose row was unreadable; it exists and may belong to this owner. */
    private void lookCloser(String instance) {
        if (book.ofInstance(instance).isEmpty()
                && describe(instance) instanceof Description.Known known
                && known.instance().tag().owner().equals(owner)) {
            found(known.instance());
        }
    }

    private void found(Instance instance) {
        Instant now = clock.instant();
        Lease lease = book.ofToken(instance.token());
        if (lease == null) {
            if (!book.ever(instance.token()) && instance.state().alive()) {
                book.adopt(instance, now);
            }
            return;
        }
        if (!lease.known()) {
            lease.instance(instance.id());
            instance.running().ifPresent(lease::running);
            switch (lease.state()) {
                case REQUESTED ->
                        book.become(lease, LeaseState.STARTING, now, "found in the cloud");
                case UNCONFIRMED -> book.become(lease, LeaseState.ENDING, now, "not needed");
                case STARTING, IDLE, USED, LEAVING, ENDING, ENDED -> {}
            }
        }
    }

    /** A machine that the cloud cannot describe delays only itself. */
    private Description describe(String instance) {
        try {
            return cloud.describe(instance);
        } catch (RuntimeException e) {
            return new Description.NotNow(String.valueOf(e.getMessage()));
        }
    }

    private void withoutDoubt(Set<String> seen) {
        Instant now = clock.instant();
        Duration settles = cloud.limits().launchSettles().plus(cloud.limits().answersStale());
        for (Lease lease : book.in(LeaseState.UNCONFIRMED)) {
            if (!seen.contains(lease.token()) && now.isAfter(lease.since().plus(settles))) {
                lease.listsWithout++;
                if (lease.listsWithout >= LISTS_WITHOUT_MIN) {
                    book.end(lease, now, "it was never launched");
                }
            }
        }
    }

    private void starting(Lease lease) {
        if (lease.running() == null
                && describe(lease.instance()) instanceof Description.Known known) {
            known.instance().running().ifPresent(lease::running);
        }
        Instant now = clock.instant();
        boolean answers = workers.answers(lease.instance());
        if (answers && lease.running() != null) {
            book.become(lease, LeaseState.IDLE, now, "its worker registered");
        } else if (now.isAfter(lease.since().plus(bootMax(lease)))) {
            book.become(
                    lease,
                    LeaseState.ENDING,
                    now,
                    answers
                            ? "the cloud does not report its start time"
                            : "it did not start in time");
        }
    }

    private Duration bootMax(Lease lease) {
        Duration usual = lease.type().bootEstimate();
        return (usual.compareTo(BOOT_MIN) < 0 ? BOOT_MIN : usual)
                .multipliedBy(limits.bootTimesMax());
    }

    private void present(Lease lease, Map<StageId, StageDemand> stages) {
        Instant now = clock.instant();
        if (workers.answers(lease.instance())) {
            lease.silentSince = null;
        } else if (lease.silentSince == null) {
            lease.silentSince = now;
        } else if (now.isAfter(lease.silentSince.plus(limits.silentMax()))) {
            String why = "its worker is silent";
            if (lease.state() == LeaseState.USED) {
                tellLoss(lease, stages, why);
            }
            book.become(lease, LeaseState.ENDING, now, why);
        }
    }
}

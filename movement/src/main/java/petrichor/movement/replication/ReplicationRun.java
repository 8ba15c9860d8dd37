package petrichor.movement.replication;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.movement.replication.ReplicationProgress.Phase;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.rpc.v1.ReplicationResponse.Outcome;

/**
 * Replicates one stream: begins or resumes where the replica is, copies ranges of rows, then sends
 * the changes. A batch contains everything that was committed while the previous one was on its
 * way. The replica holds all state, so a run can end anywhere, and two runs of a stream do no harm.
 * Confined to one thread, except {@link #progress}.
 */
public final class ReplicationRun {
    private static final int WAIT_MS = 5_000;
    private static final long PAUSE_MS_MIN = 50;
    private static final long PAUSE_MS_MAX = 2_000;

    /** The source keeps changes of at most this time that the replica has already. */
    private static final long HOLD_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

    /** The position of a replica moves at least this often if other data changes. */
    private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

    private final ReplicationLink link;
    private final BooleanSupplier wanted;
    private volatile ReplicationProgress progress = ReplicationProgress.NONE;
    private long heldNanos;
    private long movedNanos;

    /**
     * @param wanted whether to continue; asked between requests
     */
    public ReplicationRun(ReplicationLink link, BooleanSupplier wanted) {
        this.link = link;
        this.wanted = wanted;
    }

    public ReplicationProgress progress() {
        return progress;
    }

    /**
     * Returns when it is no longer wanted. While the target is the primary, it only looks whether
     * the source is that again.
     */
    public void run() {
        long pause = PAUSE_MS_MIN;
        while (wanted.getAsBoolean()) {
            try {
                if (follow()) {
                    pause = PAUSE_MS_MIN;
                    continue;
                }
                pause = PAUSE_MS_MAX;
            } catch (PetrichorException failed) {
                failed(String.valueOf(failed.getMessage()));
            } catch (RuntimeException unexpected) {
                // A stream that ended silently would leave the replica behind for good.
                failed("Unexpected: " + unexpected);
            }
            LockSupport.parkNanos(this, Duration.ofMillis(pause).toNanos());
            pause = Math.min(PAUSE_MS_MAX, pause * 2);
        }
    }

    private void failed(String why) {
        progress = progress.failed(why, TimeSource.SYSTEM.epochMicros());
    }

    /**
     * Replicates until the state of the replica must be read again; false if the target is the
     * primary.
     */
    private boolean follow() {
        ReplicaStatus source = link.lead();
        ReplicaStatus replica = link.describeTarget();
        Leadership leader = source.getLeadership();
        if (replica.getLeadership().getLineage().equals(leader.getLineage())
                && replica.getLeadership().getEpoch() > leader.getEpoch()) {
            return fenced(leader, replica);
        }
        if (source.getRole() == ReplicaStatus.Role.REPLICA) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The source is itself a replica of {source}; replicate from there.",
                    "source",
                    source.getSource());
        }
        boolean resumes =
                replica.getRole() == ReplicaStatus.Role.REPLICA
                        && replica.getStream().equals(link.stream().id())
                        && replica.getLeadership().equals(leader);
        if (!resumes) {
            return begin(leader);
        }
        try {
            return replica.getCopied() ? changes(leader, replica) : copy(leader, replica);
        } catch (PetrichorException failed) {
            if (isGone(replica)) {
                return begin(leader);
            }
            throw failed;
        }
    }

    /** Whether the source no longer has the changes after the replica's position. */
    private boolean isGone(ReplicaStatus replica) {
        ReplicationResponse now = link.describeSource();
        return replica.getPosition() < now.getOldest() || replica.getPosition() > now.getNewest();
    }

    /** The target has another primary of a later epoch: the source must not be written any more. */
    private boolean fenced(Leadership leader, ReplicaStatus replica) {
        if (replica.getRole() == ReplicaStatus.Role.REPLICA
                && replica.getLeadership().getHolder().equals(leader.getHolder())) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The source is being opened after a switch that failed; if that was"
                            + " interrupted, repeat `petrichor replicate reopen`.");
        }
        var _ =
                link.fence(
                        "The database "
                                + link.stream().source()
                                + " was replaced by its replica "
                                + link.stream().name()
                                + " in epoch "
                                + replica.getLeadership().getEpoch()
                                + ": write there.",
                        leader.getEpoch());
        progress = progress.in(Phase.PROMOTED);
        return false;
    }

    private boolean begin(Leadership leader) {
        long position = link.describeSource().getNewest();
        progress = progress.copying(position);
        link.hold(position);
        ReplicationResponse begun = link.begin(leader, position);
        return begun.getOutcome() != Outcome.FENCED || fenced(leader, begun.getStatus());
    }

    private boolean copy(Leadership leader, ReplicaStatus from) {
        progress = progress.in(Phase.COPY);
        ByteString next = from.getCopiedTo();
        while (wanted.getAsBoolean()) {
            ReplicationResponse rows = link.readRange(next);
            ReplicationResponse stored = link.storeRange(leader, next, rows);
            if (stored.getOutcome() == Outcome.FENCED) {
                return fenced(leader, stored.getStatus());
            }
            progress = progress.sent(0, rows.getRawBytes(), rows.getRows().size());
            if (stored.getOutcome() == Outcome.ELSEWHERE || stored.getStatus().getCopied()) {
                return true;
            }
            next = stored.getStatus().getCopiedTo();
        }
        return true;
    }

    private boolean changes(Leadership leader, ReplicaStatus from) {
        ReplicaStatus replica = from;
        long position = replica.getPosition();
        movedNanos = System.nanoTime();
        // The target may have stopped between a commit and the creation of its indexes.
        ReplicationResponse indexes = link.describeSource();
        boolean first = true;
        while (wanted.getAsBoolean()) {
            boolean consistent = replica.getPosition() >= replica.getConsistentFrom();
            progress = progress.in(consistent ? Phase.FOLLOWING : Phase.CATCH_UP);
            ReplicationResponse changes = link.read(position, consistent && !first ? WAIT_MS : 0);
            position = changes.getPosition();
            if (changes.getCommits() > 0 || consistent) {
                progress = progress.behind(changes.getFirstVersion());
            }
            boolean idle = System.nanoTime() - movedNanos > IDLE_NANOS;
            if (changes.getCommits() > 0 || !consistent || idle || first) {
                if (first) {
                    changes =
                            changes.toBuilder()
                                    .setDeclaredIndexes(indexes.getDeclaredIndexes())
                                    .setAutomaticIndexes(indexes.getAutomaticIndexes())
                                    .build();
                }
                ReplicationResponse applied = link.apply(leader, replica.getPosition(), changes);
                first = false;
                if (applied.getOutcome() == Outcome.FENCED) {
                    return fenced(leader, applied.getStatus());
                }
                if (applied.getOutcome() == Outcome.ELSEWHERE) {
                    return true;
                }
                replica = applied.getStatus();
                position = Math.max(position, replica.getPosition());
                movedNanos = System.nanoTime();
                progress =
                        progress.sent(
                                changes.getCommits(),
                                changes.getRawBytes(),
                                changes.getRows().size());
                if (position >= changes.getNewest()) {
                    progress = progress.behind(0);
                }
                hold(replica.getPosition(), idle);
            } else if (!link.describeTarget().getLeadership().equals(leader)) {
                // Promoted, while there is nothing to send that it would refuse.
                return true;
            }
        }
        return true;
    }

    private void hold(long position, boolean now) {
        if (now || System.nanoTime() - heldNanos > HOLD_EVERY_NANOS) {
            link.hold(position);
            heldNanos = System.nanoTime();
        }
    }
}

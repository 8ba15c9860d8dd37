package petrichor.movement.upstream;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.entities.StoredEntities;

/**
 * The background work of a move, in steps that can be repeated after a failure. Confined to the
 * holder of the lock of the move, except for {@link #compared} and {@link #settlesSeconds}.
 */
final class MoveSteps {
    /** With their former values, far below the size of a commit. */
    private static final int DELETED_TOGETHER = 25;

    private final LocalCopy local;
    private final UpstreamEntities upstream;
    private final CapturedWrites captured;
    private final Follower follower;
    private final ReverseStream reverse;
    private final long callMicrosMax;
    private @Nullable EntityCopy copy;
    private volatile @Nullable EntityComparison comparison;

    MoveSteps(
            LocalCopy local,
            UpstreamEntities upstream,
            CapturedWrites captured,
            Follower follower,
            ReverseStream reverse,
            long callMicrosMax) {
        this.local = local;
        this.upstream = upstream;
        this.captured = captured;
        this.follower = follower;
        this.reverse = reverse;
        this.callMicrosMax = callMicrosMax;
    }

    /** Stores a change of the state, and returns the new one. */
    interface Change extends Function<UnaryOperator<UpstreamState>, UpstreamState> {}

    /**
     * @param more whether there is more to do at once
     */
    record Done(UpstreamState state, boolean more) {}

    /** A copy continues at its stored position, a comparison begins again. */
    void restart() {
        copy = null;
        comparison = null;
    }

    /** Entities of the running comparison; negative if none is running. */
    long compared() {
        EntityComparison running = comparison;
        return running == null ? -1 : running.compared();
    }

    Done step(UpstreamState now, Change change) {
        return switch (now.phase()) {
            case FORWARDING, COMPLETED, REVERSING -> new Done(now, false);
            case COPY -> {
                EntityCopy running = copy;
                if (running == null) {
                    running = new EntityCopy(local, upstream);
                    copy = running;
                }
                UpstreamState copied = running.step(now);
                // So that the entries do not grow during a long copy.
                var _ = follower.step();
                yield new Done(copied, true);
            }
            case CATCH_UP -> {
                boolean more = follower.step();
                yield !more && now.compared().at() == 0 && settled(now)
                        ? new Done(change.apply(stored -> stored.with(UpstreamPhase.VERIFY)), true)
                        : new Done(now, more);
            }
            case VERIFY -> new Done(verified(now, change), true);
            case READY -> new Done(now, follower.step());
            case REVERSIBLE -> new Done(now, reverse.step());
        };
    }

    /** Whether commits that were sent before their keys were stored have ended. */
    private boolean settled(UpstreamState now) {
        return unsettledMicros(now) <= 0;
    }

    private long unsettledMicros(UpstreamState now) {
        return now.captured() + callMicrosMax - TimeSource.SYSTEM.epochMicros();
    }

    /** Seconds that the comparison waits for that; 0 if it does not wait. */
    long settlesSeconds(UpstreamState now) {
        return now.phase() == UpstreamPhase.CATCH_UP && now.compared().at() == 0 && !settled(now)
                ? TimeUnit.MICROSECONDS.toSeconds(unsettledMicros(now)) + 1
                : 0;
    }

    /** Deletes all entities here, and the keys of commits that were to be copied. */
    void deleteCopy() {
        for (List<byte[]> rows = local.someRows(DELETED_TOGETHER);
                !rows.isEmpty();
                rows = local.someRows(DELETED_TOGETHER)) {
            List<StoredEntities.State> deleted =
                    rows.stream().map(row -> new StoredEntities.State(row, 0, null)).toList();
            var _ = local.commit(new LocalCopy.Part(deleted, List.of()), stored -> stored);
        }
        for (CapturedWrites.Pending pending = captured.pending(DELETED_TOGETHER);
                !pending.settled().isEmpty();
                pending = captured.pending(DELETED_TOGETHER)) {
            List<byte[]> entries =
                    pending.settled().stream().map(CapturedWrites.Entry::row).toList();
            var _ = local.commit(new LocalCopy.Part(List.of(), entries), stored -> stored);
            captured.forget(pending.settled());
        }
    }

    private UpstreamState verified(UpstreamState now, Change change) {
        // So that few entities differ because they were just written.
        follower.catchUp();
        EntityComparison running = comparison;
        if (running == null) {
            running =
                    new EntityComparison(
                            local,
                            upstream,
                            captured,
                            follower,
                            new EntityCopy(local, upstream).namespaces(now));
            comparison = running;
        }
        if (running.step()) {
            return now;
        }
        UpstreamState.Compared result = running.finish(TimeSource.SYSTEM.epochMicros());
        comparison = null;
        UpstreamPhase next =
                result.mismatches() == 0 ? UpstreamPhase.READY : UpstreamPhase.CATCH_UP;
        return change.apply(stored -> stored.with(next, result));
    }
}

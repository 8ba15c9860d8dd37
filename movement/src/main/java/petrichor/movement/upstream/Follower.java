package petrichor.movement.upstream;

import com.google.datastore.v1.Key;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;

/**
 * Copies the entities that forwarded commits have written: reads them at the upstream, and stores
 * what it finds together with the removal of the {@link CapturedWrites}. Repetition is harmless.
 * Confined to the holder of the lock of the move.
 */
final class Follower {
    private static final int KEYS_MAX = 500;

    /** Otherwise a catch-up could last as long as commits arrive. */
    private static final int STEPS_MAX = 100;

    /** After a failure fewer keys are read at once: one of them may be locked there. */
    private int keysMax = KEYS_MAX;

    private final LocalCopy local;
    private final UpstreamEntities upstream;
    private final CapturedWrites captured;

    Follower(LocalCopy local, UpstreamEntities upstream, CapturedWrites captured) {
        this.local = local;
        this.upstream = upstream;
        this.captured = captured;
    }

    /** Copies some entries; returns whether there were any. */
    boolean step() {
        CapturedWrites.Pending pending = captured.pending(keysMax);
        if (pending.settled().isEmpty()) {
            return false;
        }
        Map<Bytes, Key> keys = new LinkedHashMap<>();
        List<byte[]> entries = new ArrayList<>();
        for (CapturedWrites.Entry entry : pending.settled()) {
            entries.add(entry.row());
            entry.keys().forEach(key -> keys.put(Bytes.of(RowLayout.entityRow(key)), key));
        }
        int most = keysMax;
        keysMax = Math.max(1, most / 2);
        LocalCopy.Part part = new LocalCopy.Part(states(keys.values(), most), entries);
        var _ = local.commit(part, state -> state);
        keysMax = Math.min(KEYS_MAX, most * 2);
        captured.forget(pending.settled());
        return true;
    }

    /** The upstream refuses keys that its clients cannot write either. */
    private List<StoredEntities.State> states(Collection<Key> keys, int most) {
        try {
            return upstream.states(List.copyOf(keys));
        } catch (PetrichorException refused) {
            if (refused.code() != ErrorCode.INVALID_ARGUMENT || most > 1) {
                throw refused;
            }
        }
        List<StoredEntities.State> found = new ArrayList<>();
        for (Key key : keys) {
            try {
                found.addAll(upstream.states(List.of(key)));
            } catch (PetrichorException refused) {
                if (refused.code() != ErrorCode.INVALID_ARGUMENT) {
                    throw refused;
                }
            }
        }
        return found;
    }

    /** Copies most of what was written until now. */
    void catchUp() {
        int steps = 0;
        while (steps < STEPS_MAX && step()) {
            steps++;
        }
    }

    /** UNAVAILABLE if a commit has no answer, so that it may still be applied. */
    void requireDecided() {
        refuse(captured.pending(1));
    }

    /** Copies until no entry is left, while no commits are sent. */
    void drain() {
        while (step()) {
            // The next part.
        }
        CapturedWrites.Pending pending = captured.pending(1);
        if (!pending.isEmpty()) {
            refuse(pending);
            throw new IllegalStateException("a commit was sent during the switch");
        }
    }

    private static void refuse(CapturedWrites.Pending pending) {
        if (pending.waitNanos() > 0) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "A commit has no answer from the upstream and may still be applied; switch"
                            + " again in {seconds} s.",
                    "seconds",
                    TimeUnit.NANOSECONDS.toSeconds(pending.waitNanos()) + 1);
        }
    }
}

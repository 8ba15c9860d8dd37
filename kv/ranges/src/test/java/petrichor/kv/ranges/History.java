package petrichor.kv.ranges;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Records the changes requested for each key, with their start and acknowledgement times, and
 * checks which values a read may return.
 */
final class History {
    private static final long NEVER = Long.MAX_VALUE;

    /** One change of one key. */
    static final class Change {
        final long number;
        final boolean put;
        final long started;
        long acknowledged = NEVER;

        Change(long number, boolean put, long started) {
            this.number = number;
            this.put = put;
            this.started = started;
        }
    }

    /** A read that started at this time. */
    record Look(Bytes key, long started) {}

    private final Map<Bytes, List<Change>> changes = new HashMap<>();
    private long now;

    Change begin(Bytes key, long number, boolean put) {
        Change change = new Change(number, put, ++now);
        changes.computeIfAbsent(key, _ -> new ArrayList<>()).add(change);
        return change;
    }

    void acknowledge(Change change) {
        change.acknowledged = ++now;
    }

    /** The change had no effect. */
    void refuse(Change change) {
        changes.values().forEach(all -> all.remove(change));
    }

    Look look(Bytes key) {
        return new Look(key, ++now);
    }

    /**
     * @param versioned true: the greatest number wins; false: the last one, and any of concurrent
     *     ones
     */
    void check(Look look, byte @Nullable [] value, boolean versioned) {
        List<Change> all = changes.getOrDefault(look.key, List.of());
        List<Change> before =
                all.stream().filter(change -> change.acknowledged < look.started).toList();
        for (Change change : all) {
            boolean fits =
                    value == null
                            ? !change.put
                            : change.put && new String(value, UTF_8).equals("" + change.number);
            if (fits && !isOutdone(change, before, versioned)) {
                return;
            }
        }
        if (value == null && before.isEmpty()) {
            return;
        }
        throw new AssertionError(
                "key "
                        + look.key
                        + " cannot be "
                        + (value == null ? "absent" : new String(value, UTF_8))
                        + " after "
                        + before.stream()
                                .map(c -> (c.put ? "put " : "delete ") + c.number)
                                .toList());
    }

    /** Whether a later change was acknowledged before the read started. */
    private static boolean isOutdone(Change change, List<Change> before, boolean versioned) {
        for (Change other : before) {
            boolean later =
                    versioned ? other.number > change.number : other.started > change.acknowledged;
            if (later) {
                return true;
            }
        }
        return false;
    }
}

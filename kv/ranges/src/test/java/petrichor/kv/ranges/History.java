package petrichor.kv.ranges;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * What was asked of each key, when it was asked and when it was acknowledged, and which answers
 * that leaves to a read.
 */
final class History {
    private static final long NEVER = Long.MAX_VALUE;

    /** One change of one key. */
    static final class Change {
        final long number;
        final boolean put;
        final long begun;
        long acknowledged = NEVER;

        Change(long number, boolean put, long begun) {
            this.number = number;
            this.put = put;
            this.begun = begun;
        }
    }

    /** A read that began at this moment. */
    record Look(Bytes key, long begun) {}

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

    /** It did nothing. */
    void refuse(Change change) {
        changes.values().forEach(all -> all.remove(change));
    }

    Look look(Bytes key) {
        return new Look(key, ++now);
    }

    /**
     * @param versioned the greatest number wins; else the last one, and of changes at the same time
     *     any
     */
    void check(Look look, byte @Nullable [] value, boolean versioned) {
        List<Change> all = changes.getOrDefault(look.key, List.of());
        List<Change> before =
                all.stream().filter(change -> change.acknowledged < look.begun).toList();
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

    /** By a change that was acknowledged before the read began. */
    private static boolean isOutdone(Change change, List<Change> before, boolean versioned) {
        for (Change other : before) {
            boolean later =
                    versioned ? other.number > change.number : other.begun > change.acknowledged;
            if (later) {
                return true;
            }
        }
        return false;
    }
}

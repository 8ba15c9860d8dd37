package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.migration.MigrationStores;

/**
 * Which ranges of a database's keys are in which stores; keys outside all ranges are in the home.
 * Stored in the home by the step that has its version, and applied there after all stores have the
 * steps before. Immutable.
 *
 * @param version of the step that stored it; 0 for a database without a ring
 * @param members stores that can have ranges
 * @param ranges in the order of keys, without overlaps
 * @param move the range that is being copied; null for none
 * @param former rows that are no longer read
 * @param plan ranges to move next, in this order
 * @param goal what to plan when nothing is planned
 */
public record RingMap(
        long version,
        List<Member> members,
        List<Range> ranges,
        @Nullable Move move,
        List<Former> former,
        List<Planned> plan,
        Goal goal) {
    /**
     * A store of the ring.
     *
     * @param leaving its ranges are to be moved to other members
     */
    public record Member(String store, boolean leaving) {}

    /** The store that has a range. */
    public record Range(KeyRange keys, String store) {}

    /** While it is copied, a range is read in one store and written in both. */
    public record Move(KeyRange keys, String from, String to, long since) {}

    /**
     * Rows of a range that is elsewhere by now; deleted when no reader from before can read them.
     *
     * @param since version from which on readers read elsewhere
     */
    public record Former(KeyRange keys, String store, long since) {}

    /** A range to move. */
    public record Planned(KeyRange keys, String to) {}

    /** What the ring works towards. */
    public enum Goal {
        /** Nothing. */
        NONE,
        /** Each member has about as many bytes as the others. */
        BYTES,
        /** Bytes and requests count alike. */
        LOAD
    }

    /** Everything in the home. */
    public static final RingMap NONE =
            new RingMap(0, List.of(), List.of(), null, List.of(), List.of(), Goal.NONE);

    // Not the compact form: its class file would lack the nullness of the move.
    public RingMap(
            long version,
            List<Member> members,
            List<Range> ranges,
            @Nullable Move move,
            List<Former> former,
            List<Planned> plan,
            Goal goal) {
        this.version = version;
        this.members = List.copyOf(members);
        this.ranges = List.copyOf(ranges);
        this.move = move;
        this.former = List.copyOf(former);
        this.plan = List.copyOf(plan);
        this.goal = goal;
    }

    /** The store in which a key is read. */
    public String storeOf(byte[] key) {
        int at = indexOf(key);
        return at >= 0 && ranges.get(at).keys.contains(key)
                ? ranges.get(at).store
                : MigrationStores.HOME;
    }

    /** The other store in which a key is written; null for none. */
    @Nullable String copyOf(byte[] key) {
        return move != null && move.keys.contains(key) ? move.to : null;
    }

    /** The last range that begins at or before a key; -1 for none. */
    private int indexOf(byte[] key) {
        int low = 0;
        int high = ranges.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Bytes.compare(ranges.get(middle).keys.from(), key) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** The stores of all parts of a range of keys, in order, gaps included. */
    public List<Range> parts(KeyRange keys) {
        List<Range> parts = new ArrayList<>();
        byte[] from = keys.from();
        for (int i = Math.max(0, indexOf(from)); i < ranges.size(); i++) {
            Range range = ranges.get(i);
            KeyRange common = common(range.keys, new KeyRange(from, keys.to()));
            if (common == null) {
                if (isAfter(range.keys.from(), keys.to())) {
                    break;
                }
                continue;
            }
            if (Bytes.compare(from, common.from()) < 0) {
                parts.add(new Range(new KeyRange(from, common.from()), MigrationStores.HOME));
            }
            parts.add(new Range(common, range.store));
            byte[] end = common.to();
            if (end == null) {
                return parts;
            }
            from = end;
        }
        KeyRange rest = new KeyRange(from, keys.to());
        if (!rest.isEmpty()) {
            parts.add(new Range(rest, MigrationStores.HOME));
        }
        return parts;
    }

    private static boolean isAfter(byte[] key, byte @Nullable [] end) {
        return end != null && Bytes.compare(key, end) >= 0;
    }

    /** Null if no key is in both. */
    static @Nullable KeyRange common(KeyRange one, KeyRange other) {
        byte[] from = Bytes.compare(one.from(), other.from()) >= 0 ? one.from() : other.from();
        byte[] end = one.to();
        byte[] otherEnd = other.to();
        byte[] to =
                end == null || (otherEnd != null && Bytes.compare(otherEnd, end) < 0)
                        ? otherEnd
                        : end;
        return isAfter(from, to) ? null : new KeyRange(from, to);
    }

    /** The same with a range in another store; adjacent ranges of one store become one. */
    List<Range> with(KeyRange keys, String store) {
        List<Range> next = new ArrayList<>();
        next.add(new Range(keys, store));
        for (Range range : ranges) {
            without(range.keys, keys).forEach(left -> next.add(new Range(left, range.store)));
        }
        next.sort((one, other) -> Bytes.compare(one.keys.from(), other.keys.from()));
        return merged(next);
    }

    private static List<KeyRange> without(KeyRange range, KeyRange removed) {
        KeyRange common = common(range, removed);
        if (common == null) {
            return List.of(range);
        }
        List<KeyRange> left = new ArrayList<>();
        if (Bytes.compare(range.from(), common.from()) < 0) {
            left.add(new KeyRange(range.from(), common.from()));
        }
        byte[] end = common.to();
        if (end != null && !new KeyRange(end, range.to()).isEmpty()) {
            left.add(new KeyRange(end, range.to()));
        }
        return left;
    }

    private static List<Range> merged(List<Range> ranges) {
        List<Range> merged = new ArrayList<>();
        for (Range range : ranges) {
            Range last = merged.isEmpty() ? null : merged.getLast();
            byte[] end = last == null ? null : last.keys.to();
            if (last != null
                    && end != null
                    && last.store.equals(range.store)
                    && Bytes.compare(end, range.keys.from()) == 0) {
                merged.set(
                        merged.size() - 1,
                        new Range(new KeyRange(last.keys.from(), range.keys.to()), last.store));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    /** Whether a range is covered without gaps. */
    boolean covers(KeyRange keys) {
        byte[] from = keys.from();
        for (Range range : ranges) {
            if (range.keys.contains(from)) {
                byte[] end = range.keys.to();
                if (end == null) {
                    return true;
                }
                from = end;
            }
        }
        return isAfter(from, keys.to());
    }

    /** The members that keep their ranges. */
    List<String> staying() {
        return members.stream().filter(member -> !member.leaving).map(Member::store).toList();
    }

    boolean isMember(String store) {
        return members.stream().anyMatch(member -> member.store.equals(store));
    }

    // ---- changes

    RingMap at(long now) {
        return new RingMap(now, members, ranges, move, former, plan, goal);
    }

    RingMap members(List<Member> now) {
        return new RingMap(version, now, ranges, move, former, plan, goal);
    }

    RingMap ranges(List<Range> now) {
        return new RingMap(version, members, now, move, former, plan, goal);
    }

    RingMap move(@Nullable Move now) {
        return new RingMap(version, members, ranges, now, former, plan, goal);
    }

    RingMap former(List<Former> now) {
        return new RingMap(version, members, ranges, move, now, plan, goal);
    }

    RingMap plan(List<Planned> now, Goal next) {
        return new RingMap(version, members, ranges, move, former, now, next);
    }
}

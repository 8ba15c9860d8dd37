package petrichor.transactions.ring;

import java.util.List;
import java.util.Optional;
import petrichor.kv.KeyRange;

/**
 * A ring as it is now.
 *
 * @param version of its map
 * @param ranges in the order of keys
 * @param move the range that is being moved
 * @param planned ranges that are to be moved
 * @param formerRanges ranges whose rows are to be deleted in the store that had them
 * @param moved what was moved since the database was opened
 * @param problem of the last unit of work
 */
public record RingStatus(
        long version,
        List<Member> members,
        List<RingMap.Range> ranges,
        Optional<Moving> move,
        int planned,
        int formerRanges,
        RingMap.Goal goal,
        Moved moved,
        Optional<String> problem) {
    /**
     * A store of the ring.
     *
     * @param bytes of its rows when the ring was last measured; -1 if it was not
     * @param reads since the database was opened
     * @param writes since the database was opened
     */
    public record Member(
            String store, boolean leaving, int ranges, long bytes, long reads, long writes) {
        static Member of(RingMap map, RingMap.Member member, long bytes, long[] requests) {
            String store = member.store();
            long ranges = map.ranges().stream().filter(one -> one.store().equals(store)).count();
            return new Member(
                    store, member.leaving(), (int) ranges, bytes, requests[0], requests[1]);
        }
    }

    /** A range under way. */
    public record Moving(
            KeyRange keys, String from, String to, String phase, long rows, long bytes) {}

    /**
     * Moves that were completed.
     *
     * @param pauseNanosMax the longest time that commits waited for a switch
     */
    public record Moved(long ranges, long rows, long bytes, long abandoned, long pauseNanosMax) {
        static final Moved NOTHING = new Moved(0, 0, 0, 0, 0);

        Moved and(long moreRows, long moreBytes) {
            return new Moved(
                    ranges + 1, rows + moreRows, bytes + moreBytes, abandoned, pauseNanosMax);
        }

        Moved andAbandoned() {
            return new Moved(ranges, rows, bytes, abandoned + 1, pauseNanosMax);
        }

        Moved waited(long pauseNanos) {
            return new Moved(ranges, rows, bytes, abandoned, Math.max(pauseNanosMax, pauseNanos));
        }
    }

    public RingStatus {
        members = List.copyOf(members);
        ranges = List.copyOf(ranges);
    }

    /** Whether nothing is left to do. */
    public boolean settled() {
        return move.isEmpty()
                && planned == 0
                && formerRanges == 0
                && goal == RingMap.Goal.NONE
                && members.stream().noneMatch(Member::leaving);
    }

    /** Why a member cannot leave: it has ranges, and nothing is planned. */
    static Optional<String> stranded(RingMap map) {
        boolean planning =
                map.move() != null || !map.plan().isEmpty() || map.goal() != RingMap.Goal.NONE;
        return map.members().stream()
                .filter(member -> !planning && member.leaving())
                .map(RingMap.Member::store)
                .filter(store -> map.ranges().stream().anyMatch(one -> one.store().equals(store)))
                .findFirst()
                .map(
                        store ->
                                "The store "
                                        + store
                                        + " is leaving and still has ranges, whose moves were"
                                        + " ended: remove it again, or add it to keep it.");
    }
}

package petrichor.coordination;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Tracks the lease expiry of members by the local clock, counted from the end of the read that
 * first showed a renewal: the renewal was sent before that, so the member's own lease expires
 * earlier. Thread-safe.
 */
final class LeaseExpiryTracker {
    /** Allows for clock drift: adds a twentieth of the lease. */
    private static final int DRIFT_DIVISOR = 20;

    private record Seen(long version, long sinceNanos) {}

    private final Map<String, Seen> seen = new HashMap<>();
    private long startNanos;
    private boolean started;

    /** Call after the version was read, with the time of the read. */
    synchronized void note(String member, long version, long nowNanos) {
        Seen former = seen.get(member);
        if (former == null || former.version() != version) {
            boolean early = started && nowNanos - startNanos < 0;
            seen.put(member, new Seen(version, early ? startNanos : nowNanos));
        }
    }

    /** Whether the member has not renewed its lease since this version. */
    synchronized boolean expired(Member member, long version, long nowNanos) {
        Seen known = seen.get(member.id());
        if (known == null || known.version() != version) {
            return false;
        }
        long lease = member.lease().toNanos();
        return nowNanos - known.sinceNanos() > lease + lease / DRIFT_DIVISOR;
    }

    /**
     * Time without polling does not count towards any expiry: counting restarts with the next poll.
     */
    synchronized void startAt(long nanos) {
        seen.clear();
        startNanos = nanos;
        started = true;
    }

    synchronized void forgetAllBut(Set<String> members) {
        seen.keySet().retainAll(members);
    }
}

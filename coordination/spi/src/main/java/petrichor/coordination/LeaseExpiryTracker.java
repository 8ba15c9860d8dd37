package petrichor.coordination;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How long each member has not renewed, on our own clock. Counted from the end of the read that
 * showed a renewal first: the renewal was sent before that, so the member's own count is further.
 * Safe for any thread.
 */
final class Silence {
    /** For clocks that do not run at quite the same rate: a twentieth of the lease more. */
    private static final int DRIFT_DIVISOR = 20;

    private record Seen(long version, long sinceNanos) {}

    private final Map<String, Seen> seen = new HashMap<>();
    private long startNanos;
    private boolean started;

    /** To be called after the version was read, with the time of then. */
    synchronized void note(String member, long version, long nowNanos) {
        Seen former = seen.get(member);
        if (former == null || former.version() != version) {
            boolean early = started && nowNanos - startNanos < 0;
            seen.put(member, new Seen(version, early ? startNanos : nowNanos));
        }
    }

    /** Whether this version of the member is known for longer than its lease can last. */
    synchronized boolean over(Member member, long version, long nowNanos) {
        Seen known = seen.get(member.id());
        if (known == null || known.version() != version) {
            return false;
        }
        long lease = member.lease().toNanos();
        return nowNanos - known.sinceNanos() > lease + lease / DRIFT_DIVISOR;
    }

    /**
     * Time without polling counts as silence of no member: counting restarts with the next poll.
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

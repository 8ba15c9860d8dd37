package petrichor.coordination;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;

/**
 * A server of the cluster, from joining until it leaves or its lease expires. A server that rejoins
 * is a new member.
 *
 * @param id never reused
 * @param address where other servers reach it, {@code host:port}
 * @param startedMicros when it joined by its own clock, in microseconds since 1970
 * @param lease how long it remains a member without a renewal
 */
public record Member(String id, String address, long startedMicros, Duration lease) {
    static final Comparator<Member> ELDEST_FIRST =
            Comparator.comparingLong(Member::startedMicros).thenComparing(Member::id);

    private static final int HEADER_BYTES = 2 * Long.BYTES;

    public Member {
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("a lease must be positive, not " + lease);
        }
    }

    byte[] toBytes() {
        byte[] text = address.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEADER_BYTES + text.length)
                .putLong(startedMicros)
                .putLong(lease.toNanos())
                .put(text)
                .array();
    }

    static Member parse(String id, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        long started = in.getLong();
        Duration lease = Duration.ofNanos(in.getLong());
        String address = StandardCharsets.UTF_8.decode(in).toString();
        return new Member(id, address, started, lease);
    }
}

package petrichor.transactions;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Whether a database accepts commits. A closed gate refuses each commit that writes rows, except
 * one that also writes the {@linkplain #ROW row of the gate}: only the code that closed the gate
 * does that, for instance replication, which keeps its position there. The sequencer applies the
 * gate in commit order, so no commit is acknowledged after the commit that closed it. Immutable.
 *
 * <pre>
 *   row   'Y' 'g' -> closed(1) [count(1) (length(1) prefix)* length(2) reason] content
 * </pre>
 *
 * @param exempt prefixes of the keys of rows that may be written while the gate is closed: rows
 *     that the replica maintains itself, such as those of indexes
 * @param reason why commits are refused, and what to do; null if the gate is open
 * @param content of the code that closed the gate
 */
public record WriteGate(List<byte[]> exempt, @Nullable String reason, byte[] content) {
    /** The longest reason, in bytes. */
    public static final int REASON_BYTES_MAX = 1_000;

    private static final byte[] ROW = {'Y', 'g'};
    private static final WriteGate NONE = open(new byte[0]);

    // Not the compact form: its class file would lack the nullness of the reason.
    public WriteGate(List<byte[]> exempt, @Nullable String reason, byte[] content) {
        if (reason != null && reason.getBytes(StandardCharsets.UTF_8).length > REASON_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "The reason for which a database refuses writes is too long.");
        }
        this.exempt = List.copyOf(exempt);
        this.reason = reason;
        this.content = content;
    }

    /** The key of the gate's row. */
    public static byte[] row() {
        return ROW.clone();
    }

    public static boolean isRow(byte[] key) {
        return key.length == ROW.length && key[0] == ROW[0] && key[1] == ROW[1];
    }

    public static WriteGate open(byte[] content) {
        return new WriteGate(List.of(), null, content);
    }

    /** The gate of a stored row; open without content if there is none. */
    public static WriteGate decode(byte @Nullable [] row) {
        if (row == null) {
            return NONE;
        }
        ByteBuffer in = ByteBuffer.wrap(row);
        if (in.get() == 0) {
            return open(rest(in));
        }
        List<byte[]> exempt = new ArrayList<>();
        for (int left = in.get(); left > 0; left--) {
            byte[] prefix = new byte[in.get()];
            in.get(prefix);
            exempt.add(prefix);
        }
        byte[] reason = new byte[in.getShort()];
        in.get(reason);
        return new WriteGate(exempt, new String(reason, StandardCharsets.UTF_8), rest(in));
    }

    private static byte[] rest(ByteBuffer in) {
        byte[] rest = new byte[in.remaining()];
        in.get(rest);
        return rest;
    }

    public byte[] encode() {
        if (reason == null) {
            return ByteBuffer.allocate(1 + content.length).put((byte) 0).put(content).array();
        }
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        int prefixes = exempt.stream().mapToInt(prefix -> 1 + prefix.length).sum();
        ByteBuffer out =
                ByteBuffer.allocate(2 + prefixes + Short.BYTES + text.length + content.length)
                        .put((byte) 1)
                        .put((byte) exempt.size());
        exempt.forEach(prefix -> out.put((byte) prefix.length).put(prefix));
        return out.putShort((short) text.length).put(text).put(content).array();
    }

    public boolean closed() {
        return reason != null;
    }

    /** Null if the gate lets these writes pass. */
    public @Nullable PetrichorException refusal(List<RowWrite> writes) {
        String why = reason;
        if (why == null || writes.isEmpty()) {
            return null;
        }
        boolean allExempt = true;
        for (RowWrite write : writes) {
            if (isRow(write.key())) {
                return null;
            }
            allExempt &= isExempt(write.key());
        }
        return allExempt
                ? null
                : PetrichorException.of(ErrorCode.FAILED_PRECONDITION, "{reason}", "reason", why);
    }

    private boolean isExempt(byte[] key) {
        return exempt.stream()
                .anyMatch(
                        prefix ->
                                key.length >= prefix.length
                                        && Arrays.equals(
                                                key, 0, prefix.length, prefix, 0, prefix.length));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WriteGate gate && Arrays.equals(encode(), gate.encode());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encode());
    }
}

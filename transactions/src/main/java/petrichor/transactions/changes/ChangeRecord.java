package petrichor.transactions.changes;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * What one durable step changed. Encoded as
 *
 * <pre>
 *   record   format(1)=1 previous(8) commit*
 *   commit   version-difference count key*
 *   key      shared length bytes
 * </pre>
 *
 * The numbers of commits and keys are variable-length: seven bits per byte, the lowest first. A
 * version is stored as its difference from the version before it, a key as the number of bytes that
 * it shares with the key before it and the rest: keys of one commit are often similar.
 *
 * @param previous the version of the step before this one; 0 if this is the first step
 * @param commits in commit order; none for steps that write internal rows only
 */
record ChangeRecord(long previous, List<ChangeRecord.Commit> commits) {
    /** A commit, and the keys of the rows that it changed. */
    record Commit(long version, List<byte[]> keys) {}

    private static final byte FORMAT = 1;
    private static final int HEAD_BYTES = 1 + Long.BYTES;

    /** Of a long with seven bits per byte. */
    private static final int NUMBER_BYTES_MAX = 10;

    private static final byte[] NO_KEY = {};

    byte[] encode() {
        long size = HEAD_BYTES;
        for (Commit commit : commits) {
            size += 2L * NUMBER_BYTES_MAX;
            for (byte[] key : commit.keys) {
                size += 2L * Integer.BYTES + 2 + key.length;
            }
        }
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(size));
        bytes.put(FORMAT).putLong(previous);
        long version = previous;
        byte[] former = NO_KEY;
        for (Commit commit : commits) {
            putNumber(bytes, commit.version - version);
            version = commit.version;
            putNumber(bytes, commit.keys.size());
            for (byte[] key : commit.keys) {
                int differs = Arrays.mismatch(former, key);
                int shared = differs < 0 ? key.length : differs;
                putNumber(bytes, shared);
                putNumber(bytes, key.length - shared);
                bytes.put(key, shared, key.length - shared);
                former = key;
            }
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** {@link #previous} of an encoded record, which may be its first part only. */
    static long previousOf(byte[] start) {
        if (start.length < HEAD_BYTES || start[0] != FORMAT) {
            throw damaged();
        }
        return ByteBuffer.wrap(start).getLong(1);
    }

    /** Whether a record has commits; takes its first part. */
    static boolean hasCommits(byte[] start) {
        return start.length > HEAD_BYTES;
    }

    /** INTERNAL if the bytes are damaged. */
    static ChangeRecord decode(byte[] whole) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(whole);
            if (bytes.get() != FORMAT) {
                throw damaged();
            }
            long previous = bytes.getLong();
            List<Commit> commits = new ArrayList<>();
            long version = previous;
            byte[] former = NO_KEY;
            while (bytes.hasRemaining()) {
                version += number(bytes);
                int count = Math.toIntExact(number(bytes));
                List<byte[]> keys = new ArrayList<>(Math.min(count, bytes.remaining()));
                for (int i = 0; i < count; i++) {
                    int shared = Math.toIntExact(number(bytes));
                    int rest = Math.toIntExact(number(bytes));
                    if (shared > former.length || rest > bytes.remaining()) {
                        throw damaged();
                    }
                    byte[] key = Arrays.copyOf(former, shared + rest);
                    bytes.get(key, shared, rest);
                    keys.add(key);
                    former = key;
                }
                commits.add(new Commit(version, keys));
            }
            return new ChangeRecord(previous, commits);
        } catch (BufferUnderflowException | ArithmeticException short_) {
            throw damaged();
        }
    }

    private static void putNumber(ByteBuffer bytes, long number) {
        long rest = number;
        while ((rest & ~0x7FL) != 0) {
            bytes.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        bytes.put((byte) rest);
    }

    private static long number(ByteBuffer bytes) {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = bytes.get();
            number |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw damaged();
    }

    private static PetrichorException damaged() {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "A record of the change feed is damaged. Continue after it from the newest"
                        + " position, and copy the data again.");
    }
}

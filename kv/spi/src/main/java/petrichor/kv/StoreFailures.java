package petrichor.kv;

import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Failures that every store must report in the same way, so that layers above and the test kit do
 * not depend on the store.
 */
public final class StoreFailures {
    /** Table names that all supported databases accept without quoting. */
    private static final Pattern TABLE_NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");

    private StoreFailures() {}

    public static PetrichorException noSuchTable(String table) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "there is no table '{table}' in this store; create it first",
                "table",
                table);
    }

    /** For any call after {@link KeyValueStore#close()} or {@link StoreView#close()}. */
    public static PetrichorException closed() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "the store (or this view of it) is closed; nothing was read or written");
    }

    /**
     * No response, or not in time. The outcome of a write is then unknown, unless the store refused
     * it. A failed TLS handshake is FAILED_PRECONDITION instead, with what to change.
     *
     * @param store its address, without a password
     */
    public static PetrichorException unreachable(String store, Throwable cause) {
        return TlsFailures.of(store, cause).orElseGet(() -> silent(store, cause));
    }

    private static PetrichorException silent(String store, Throwable cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "the store {store} does not answer ({reason}); check that it runs and can be"
                        + " reached, then retry",
                "reason",
                reason(cause),
                "store",
                store);
    }

    /**
     * The store responds but must not be used in its current state; {@code what} says why and what
     * to do.
     */
    public static PetrichorException unfit(String store, String what) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the store {store} cannot be used: {problem}",
                "problem",
                what,
                "store",
                store);
    }

    private static String reason(Throwable cause) {
        String message = cause.getMessage();
        return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
    }

    /** Refuses a name that is not a lower-case letter followed by letters, digits and _. */
    public static void requireTableName(String table) {
        if (!TABLE_NAME.matcher(table).matches()) {
            throw PetrichorException.invalid(
                    "'{table}' cannot name a table: use 1 to 48 of a-z, 0-9 and _, starting with"
                            + " a letter",
                    "table",
                    table);
        }
    }

    /** Refuses keys, values and batches over the store's limits, before anything is written. */
    public static void requireFits(WriteBatch batch, Capabilities capabilities) {
        StoreLimits limits = capabilities.limits();
        if (batch.bytes() > limits.batchBytesMax()) {
            throw PetrichorException.invalid(
                    "a batch of {bytes} bytes is over this store's limit of {bytesMax} bytes; split"
                            + " it",
                    "bytes",
                    batch.bytes(),
                    "bytesMax",
                    limits.batchBytesMax());
        }
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put(String table, byte[] key, byte[] value) -> {
                    requireAtMost("key", table, key.length, limits.keyBytesMax());
                    requireAtMost("value", table, value.length, limits.valueBytesMax());
                }
                case WriteBatch.Delete(String table, byte[] key) ->
                        requireAtMost("key", table, key.length, limits.keyBytesMax());
                case WriteBatch.DeleteRange(String table, KeyRange range) ->
                        requireAtMost("key", table, range.from().length, limits.keyBytesMax());
            }
        }
    }

    private static void requireAtMost(String what, String table, int bytes, int bytesMax) {
        if (bytes > bytesMax) {
            throw PetrichorException.invalid(
                    "a {part} of {bytes} bytes is over this store's limit of {bytesMax} bytes",
                    "part",
                    what,
                    "table",
                    table,
                    "bytes",
                    bytes,
                    "bytesMax",
                    bytesMax);
        }
    }

    /** Refuses a negative limit. */
    public static void requireLimit(int limit) {
        if (limit < 0) {
            throw PetrichorException.invalid(
                    "a scan's limit must not be negative: {limit}", "limit", limit);
        }
    }
}

package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.LogStore;
import petrichor.transactions.rows.TableLayout;

/**
 * Rows through which the servers of one store detect each other. A term is claimed by writing its
 * row, which must not exist, and is never removed; a heartbeat row belongs to the server that
 * writes it.
 *
 * <pre>
 *   meta     't' number(8)          -> format(1) nonce(16) identity holder     see {@link StoreTerm}
 *   meta     'b' term(8) nonce(16)  -> number(8) lease(8) holder process       see {@link StoreHeartbeat}
 * </pre>
 *
 * Thread-safe. Propagates failures of the store.
 */
public final class StoreTerms {
    static final int NONCE_BYTES = 16;

    private static final byte[] TERMS = {'t'};
    private static final byte[] BEATS = {'b'};

    /** No database has this number. */
    private static final TableLayout NO_DATABASE = new TableLayout(0);

    private final KeyValueStore store;
    private final LogStore rows;
    private final SecureRandom random = new SecureRandom();

    StoreTerms(KeyValueStore store) {
        this.store = store;
        store.createTable(TableLayout.META);
        this.rows = LogStore.of(store, NO_DATABASE);
    }

    /** Null if the store was never claimed. */
    @Nullable StoreTerm newest() {
        return newest(store);
    }

    static @Nullable StoreTerm newest(KeyValueStore store) {
        try (Scan scan =
                store.scan(TableLayout.META, KeyRange.ofPrefix(TERMS), Direction.REVERSE, 1)) {
            return scan.next()
                    ? StoreTerm.decode(
                            ByteBuffer.wrap(scan.key()).getLong(TERMS.length), scan.value())
                    : null;
        }
    }

    /** A plain read: it sees every claim that was acknowledged before. */
    boolean exists(long term) {
        return store.get(TableLayout.META, termKey(term)) != null;
    }

    /** False if another server has claimed this number. */
    boolean claim(StoreTerm term) {
        byte[] key = termKey(term.number());
        byte[] row = term.encoded(nonce());
        return switch (rows.putIfAbsent(TableLayout.META, key, row)) {
            case DONE -> true;
            // A store that retried may have found its own first attempt.
            case FENCED -> Arrays.equals(row, rows.read(TableLayout.META, key));
            case UNKNOWN ->
                    throw PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "The outcome of claiming the store is unknown; retry.");
        };
    }

    byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    static byte[] beatKey(long term, byte[] nonce) {
        return ByteBuffer.allocate(BEATS.length + Long.BYTES + NONCE_BYTES)
                .put(BEATS)
                .putLong(term)
                .put(nonce)
                .array();
    }

    private static byte[] termKey(long term) {
        return ByteBuffer.allocate(TERMS.length + Long.BYTES).put(TERMS).putLong(term).array();
    }

    void beat(byte[] key, StoreHeartbeat beat) {
        store.write(new WriteBatch().put(TableLayout.META, key, beat.encoded()));
    }

    void removeBeat(byte[] key) {
        store.write(new WriteBatch().delete(TableLayout.META, key));
    }

    /** The heartbeats of all terms that have not left the store cleanly. */
    Map<Bytes, StoreHeartbeat> heartbeats() {
        Map<Bytes, StoreHeartbeat> heartbeats = new LinkedHashMap<>();
        try (Scan scan =
                store.scan(
                        TableLayout.META,
                        KeyRange.ofPrefix(BEATS),
                        Direction.FORWARD,
                        Integer.MAX_VALUE)) {
            while (scan.next()) {
                heartbeats.put(Bytes.of(scan.key()), StoreHeartbeat.decode(scan.value()));
            }
        }
        return heartbeats;
    }

    /** Whether the store has any database; an earlier version has used the store then. */
    boolean hasDatabases() {
        return !Catalog.names(store).isEmpty();
    }
}

package petrichor.transactions.changes;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.ChangeConsumer;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Futures;

/**
 * The consumers of a database's feed, stored as internal rows and kept in memory by the owner.
 *
 * <pre>
 *   meta     'd' database(4) 'c' name   -> position(8) moved(8)
 * </pre>
 *
 * Thread-safe; changes are serialized. The position in memory, which holds back the removal of
 * history, is never above the stored one.
 */
public final class Consumers {
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z0-9._-]{1," + ChangeConsumer.NAME_LENGTH_MAX + "}");

    private final String database;
    private final byte[] prefix;
    private final Function<WriteBatch, CompletableFuture<Void>> writer;
    private final Map<String, ChangeConsumer> byName = new ConcurrentHashMap<>();
    private final ReentrantLock changing = new ReentrantLock();

    /**
     * @param rows with which the owner took over
     * @param writer of internal rows
     */
    public Consumers(
            String database,
            TableLayout layout,
            Reads rows,
            Function<WriteBatch, CompletableFuture<Void>> writer) {
        this.database = database;
        this.prefix = layout.meta('c');
        this.writer = writer;
        KeyRange range = KeyRange.ofPrefix(prefix);
        try (Scan scan = rows.scan(TableLayout.META, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                byte[] key = scan.key();
                String name =
                        new String(
                                key,
                                prefix.length,
                                key.length - prefix.length,
                                StandardCharsets.UTF_8);
                byName.put(
                        name,
                        new ChangeConsumer(
                                name,
                                TableLayout.longAt(scan.value(), 0),
                                TableLayout.longAt(scan.value(), Long.BYTES)));
            }
        }
    }

    /** By name. */
    public List<ChangeConsumer> all() {
        return byName.values().stream().sorted(Comparator.comparing(ChangeConsumer::name)).toList();
    }

    public @Nullable ChangeConsumer find(String name) {
        return byName.get(name);
    }

    /**
     * The lowest position of a consumer that is not below {@code from}; consumers below it no
     * longer hold anything back.
     */
    public long heldFrom(long from) {
        long held = Long.MAX_VALUE;
        for (ChangeConsumer consumer : byName.values()) {
            if (consumer.position() >= from) {
                held = Math.min(held, consumer.position());
            }
        }
        return held;
    }

    /**
     * Stores a position; creates the consumer if it does not exist.
     *
     * @param requireKept fails if the position is no longer kept; called once the position holds
     *     back the removal of history
     */
    public ChangeConsumer move(String name, long position, long now, LongConsumer requireKept) {
        if (!NAME.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "A consumer's name has 1 to {lengthMax} letters, digits, dots, hyphens and"
                            + " underscores.",
                    "lengthMax",
                    ChangeConsumer.NAME_LENGTH_MAX);
        }
        changing.lock();
        try {
            ChangeConsumer former = byName.get(name);
            if (former == null && byName.size() >= ChangeConsumer.CONSUMERS_MAX) {
                throw PetrichorException.of(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "The database {database} has {consumersMax} consumers of changes, the"
                                + " maximum. Delete one that is not used.",
                        "database",
                        database,
                        "consumersMax",
                        ChangeConsumer.CONSUMERS_MAX);
            }
            ChangeConsumer moved = new ChangeConsumer(name, position, now);
            if (former == null || position < former.position()) {
                hold(moved, former, requireKept);
            }
            byte[] value = new byte[2 * Long.BYTES];
            TableLayout.putLong(value, 0, position);
            TableLayout.putLong(value, Long.BYTES, now);
            Futures.join(writer.apply(new WriteBatch().put(TableLayout.META, key(name), value)));
            byName.put(name, moved);
            return moved;
        } finally {
            changing.unlock();
        }
    }

    private void hold(
            ChangeConsumer moved, @Nullable ChangeConsumer former, LongConsumer requireKept) {
        byName.put(moved.name(), moved);
        try {
            requireKept.accept(moved.position());
        } catch (RuntimeException gone) {
            if (former == null) {
                byName.remove(moved.name());
            } else {
                byName.put(former.name(), former);
            }
            throw gone;
        }
    }

    /** NOT_FOUND if it does not exist. */
    public void delete(String name) {
        changing.lock();
        try {
            if (!byName.containsKey(name)) {
                throw PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "The database {database} has no consumer {consumer}.",
                        "database",
                        database,
                        "consumer",
                        name);
            }
            Futures.join(writer.apply(new WriteBatch().delete(TableLayout.META, key(name))));
            byName.remove(name);
        } finally {
            changing.unlock();
        }
    }

    private byte[] key(String name) {
        return Bytes.concat(prefix, name.getBytes(StandardCharsets.UTF_8));
    }
}

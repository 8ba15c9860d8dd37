package petrichor.kv.dynamodb;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;

/**
 * Stores values that do not fit into one item as chunks. The chunks are items of a separate
 * partition, under a random mark, and are written before the row that names the mark: a row has all
 * of its value or does not exist. Replacing or removing a row removes its chunks; a process that
 * fails in between leaves chunks that no row names.
 */
final class BigValues {
    private final DynamoDbConnection connection;

    BigValues(DynamoDbConnection connection) {
        this.connection = connection;
    }

    static byte[] newMark() {
        byte[] mark = new byte[StoredItem.MARK_BYTES];
        ThreadLocalRandom.current().nextBytes(mark);
        return mark;
    }

    static boolean isBig(byte[] value) {
        return value.length > StoredItem.ITEM_VALUE_BYTES_MAX;
    }

    /** The item of a row; its chunks are written when this returns. */
    Map<String, AttributeValue> item(String table, byte[] key, byte[] value, byte[] mark) {
        Map<String, AttributeValue> item = StoredItem.row(key);
        if (!isBig(value)) {
            item.put(StoredItem.VALUE, StoredItem.bytes(value));
            return item;
        }
        int size = StoredItem.ITEM_VALUE_BYTES_MAX;
        int chunks = Math.ceilDiv(value.length, size);
        List<Runnable> puts = new ArrayList<>();
        for (int i = 0; i < chunks; i++) {
            Map<String, AttributeValue> chunk = chunk(mark, i);
            chunk.put(
                    StoredItem.VALUE,
                    StoredItem.bytes(
                            Arrays.copyOfRange(
                                    value, i * size, Math.min(value.length, (i + 1) * size))));
            puts.add(
                    () ->
                            connection.call(
                                    table,
                                    client ->
                                            client.putItem(
                                                    put ->
                                                            put.tableName(connection.name(table))
                                                                    .item(chunk))));
        }
        connection.all(puts);
        item.put(StoredItem.CHUNKS, StoredItem.number(chunks));
        item.put(StoredItem.MARK, StoredItem.bytes(mark));
        return item;
    }

    private static Map<String, AttributeValue> chunk(byte[] mark, int number) {
        return StoredItem.at(
                StoredItem.CHUNK_PARTITION,
                ByteBuffer.allocate(StoredItem.MARK_BYTES + Integer.BYTES)
                        .put(mark)
                        .putInt(number)
                        .array());
    }

    /** Null if chunks are missing: then the row has been replaced, and must be read again. */
    byte @Nullable [] value(String table, Map<String, AttributeValue> item) {
        if (!item.containsKey(StoredItem.CHUNKS)) {
            return StoredItem.required(item, StoredItem.VALUE);
        }
        byte[] mark = StoredItem.required(item, StoredItem.MARK);
        int chunks = Math.toIntExact(StoredItem.longOf(item, StoredItem.CHUNKS));
        Map<Integer, byte[]> parts = new ConcurrentHashMap<>();
        List<Runnable> gets = new ArrayList<>(chunks);
        for (int i = 0; i < chunks; i++) {
            int number = i;
            gets.add(
                    () -> {
                        byte[] part = chunkValue(table, mark, number);
                        if (part != null) {
                            parts.put(number, part);
                        }
                    });
        }
        connection.all(gets);
        return parts.size() < chunks
                ? null
                : Bytes.concat(new TreeMap<>(parts).values().toArray(byte[][]::new));
    }

    private byte @Nullable [] chunkValue(String table, byte[] mark, int number) {
        GetItemResponse chunk =
                connection.call(
                        table,
                        client ->
                                client.getItem(
                                        get ->
                                                get.tableName(connection.name(table))
                                                        .consistentRead(true)
                                                        .key(chunk(mark, number))));
        return chunk.hasItem() ? StoredItem.required(chunk.item(), StoredItem.VALUE) : null;
    }

    /** Removes the chunks of an item that no longer exists, or was never written. */
    void discard(String table, Map<String, AttributeValue> item) {
        if (!item.containsKey(StoredItem.CHUNKS)) {
            return;
        }
        byte[] mark = StoredItem.required(item, StoredItem.MARK);
        int chunks = Math.toIntExact(StoredItem.longOf(item, StoredItem.CHUNKS));
        List<Runnable> deletes = new ArrayList<>(chunks);
        for (int i = 0; i < chunks; i++) {
            Map<String, AttributeValue> chunk = chunk(mark, i);
            deletes.add(
                    () ->
                            connection.call(
                                    table,
                                    client ->
                                            client.deleteItem(
                                                    delete ->
                                                            delete.tableName(connection.name(table))
                                                                    .key(chunk))));
        }
        connection.all(deletes);
    }
}

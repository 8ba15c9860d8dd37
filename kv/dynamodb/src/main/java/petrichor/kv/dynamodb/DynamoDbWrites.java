package petrichor.kv.dynamodb;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Applies batches of changes. Computes the effect of a batch on each row first; then writes all
 * rows in parallel, in any order.
 *
 * <p>Thread-safe.
 */
final class DynamoDbWrites {
    /** DynamoDB's own limits of a request that writes several items. */
    private static final int ITEMS_PER_REQUEST = 25;

    private static final long BYTES_PER_REQUEST = 8 << 20;

    /**
     * How long a deleted row keeps its version: longer than a write of a former owner can be in
     * flight.
     */
    private static final Duration TOMBSTONE_AGE = Duration.ofDays(1);

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final String UNLESS_NEWER = "attribute_not_exists(w) OR w <= :w";

    private final DynamoDbConnection connection;
    private final DynamoDbTables tables;
    private final BigValues bigValues;
    private final Capabilities limits;
    private final InstantSource clock;

    DynamoDbWrites(
            DynamoDbConnection connection,
            DynamoDbTables tables,
            BigValues bigValues,
            Capabilities limits,
            InstantSource clock) {
        this.connection = connection;
        this.tables = tables;
        this.bigValues = bigValues;
        this.limits = limits;
        this.clock = clock;
    }

    /**
     * The resulting change of each row in one batch, by table and key: its value, or null for none.
     */
    private record Changes(Map<String, NavigableMap<Bytes, Change>> byTable) {
        private record Change(byte @Nullable [] value) {
            // Not the compact form: its class file would lack the nullness of the value.
            private Change(byte @Nullable [] value) {
                this.value = value;
            }
        }

        void put(String table, byte[] key, byte @Nullable [] value) {
            of(table).put(Bytes.of(key), new Change(value));
        }

        /** Also deletes earlier puts of this batch into the range. */
        void deleteRange(String table, KeyRange range) {
            byte[] to = range.to();
            NavigableMap<Bytes, Change> from = of(table).tailMap(Bytes.of(range.from()), true);
            NavigableMap<Bytes, Change> within =
                    to == null ? from : from.headMap(Bytes.of(to), false);
            within.replaceAll((_, _) -> new Change(null));
        }

        private NavigableMap<Bytes, Change> of(String table) {
            return byTable.computeIfAbsent(table, _ -> new TreeMap<>());
        }
    }

    /** Writes unversioned rows. */
    void write(WriteBatch batch) {
        requireFits(batch);
        Changes changes = new Changes(new TreeMap<>());
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put(String table, byte[] key, byte[] value) ->
                        changes.put(table, key, value);
                case WriteBatch.Delete(String table, byte[] key) -> changes.put(table, key, null);
                case WriteBatch.DeleteRange(String table, KeyRange range) -> {
                    changes.deleteRange(table, range);
                    deleteStored(table, range, null);
                }
            }
        }
        List<Runnable> requests = new ArrayList<>();
        changes.byTable.forEach(
                (table, rows) -> {
                    List<WriteRequest> request = new ArrayList<>();
                    long bytes = 0;
                    for (var row : rows.entrySet()) {
                        byte[] key = row.getKey().array();
                        byte[] value = row.getValue().value();
                        if (value == null) {
                            requests.add(() -> delete(table, key, null));
                        } else if (BigValues.isBig(value) || rows.size() == 1) {
                            requests.add(() -> put(table, key, value));
                        } else {
                            request.add(
                                    WriteRequest.builder()
                                            .putRequest(
                                                    put ->
                                                            put.item(
                                                                    bigValues.item(
                                                                            table,
                                                                            key,
                                                                            value,
                                                                            BigValues.newMark())))
                                            .build());
                            bytes += value.length;
                        }
                        if (request.size() == ITEMS_PER_REQUEST || bytes > BYTES_PER_REQUEST) {
                            List<WriteRequest> full = request;
                            requests.add(() -> putAll(table, full));
                            request = new ArrayList<>();
                            bytes = 0;
                        }
                    }
                    if (!request.isEmpty()) {
                        List<WriteRequest> rest = request;
                        requests.add(() -> putAll(table, rest));
                    }
                });
        if (!requests.isEmpty()) {
            connection.all(requests);
        }
    }

    private void put(String table, byte[] key, byte[] value) {
        Map<String, AttributeValue> item = bigValues.item(table, key, value, BigValues.newMark());
        replace(table, PutItemRequest.builder().item(item));
    }

    /** Removes the chunks of the replaced row as well. */
    private void replace(String table, PutItemRequest.Builder put) {
        PutItemRequest request =
                put.tableName(connection.name(table)).returnValues(ReturnValue.ALL_OLD).build();
        bigValues.discard(
                table, connection.call(table, client -> client.putItem(request)).attributes());
    }

    private void putAll(String table, List<WriteRequest> puts) {
        Map<String, List<WriteRequest>> left = Map.of(connection.name(table), puts);
        long began = System.nanoTime();
        while (!left.isEmpty()) {
            Map<String, List<WriteRequest>> sent = left;
            BatchWriteItemResponse answer =
                    connection.call(
                            table,
                            client -> client.batchWriteItem(write -> write.requestItems(sent)));
            left = answer.unprocessedItems();
            if (!left.isEmpty()) {
                if (System.nanoTime() - began > connection.address().timeout().toNanos()) {
                    throw StoreFailures.unreachable(
                            connection.address().name(),
                            new IllegalStateException("its request queue is full"));
                }
                RetryPauses.pause(PAUSE);
            }
        }
    }

    /**
     * @param version keeps the row if it has a newer one; null: deletes any version
     */
    private void delete(String table, byte[] key, @Nullable Long version) {
        try {
            bigValues.discard(
                    table,
                    connection
                            .call(
                                    table,
                                    client ->
                                            client.deleteItem(
                                                    request -> {
                                                        request.tableName(connection.name(table))
                                                                .key(StoredItem.row(key))
                                                                .returnValues(ReturnValue.ALL_OLD);
                                                        if (version != null) {
                                                            request.conditionExpression(
                                                                            UNLESS_NEWER)
                                                                    .expressionAttributeValues(
                                                                            versionValue(version));
                                                        }
                                                    }))
                            .attributes());
        } catch (ConditionalCheckFailedException newer) {
            // Keeps the row.
        }
    }

    private static Map<String, AttributeValue> versionValue(long version) {
        return Map.of(":w", StoredItem.number(version));
    }

    /** Writes rows unless newer ones exist. */
    void writeIfNewer(WriteBatch batch, long version) {
        requireFits(batch);
        Changes changes = new Changes(new TreeMap<>());
        int ranges = 0;
        for (WriteBatch.Op op : batch.ops()) {
            switch (op) {
                case WriteBatch.Put(String table, byte[] key, byte[] value) ->
                        changes.put(table, key, value);
                case WriteBatch.Delete(String table, byte[] key) -> changes.put(table, key, null);
                case WriteBatch.DeleteRange(String table, KeyRange range) -> {
                    if (!range.isEmpty()) {
                        changes.deleteRange(table, range);
                        deleteStored(table, range, version);
                        // Excludes late older rows.
                        tables.notes(table).deleteRange(range, version, ranges++);
                    }
                }
            }
        }
        List<Runnable> requests = new ArrayList<>();
        changes.byTable.forEach(
                (table, rows) ->
                        rows.forEach(
                                (key, change) ->
                                        requests.add(
                                                () ->
                                                        putIfNewer(
                                                                table,
                                                                key.array(),
                                                                change.value(),
                                                                version))));
        if (!requests.isEmpty()) {
            connection.all(requests);
        }
    }

    private void putIfNewer(String table, byte[] key, byte @Nullable [] value, long version) {
        Map<String, AttributeValue> item =
                value == null
                        ? StoredItem.row(key)
                        : bigValues.item(table, key, value, BigValues.newMark());
        item.put(StoredItem.VERSION, StoredItem.number(version));
        if (value == null) {
            item.put(StoredItem.TOMBSTONE, AttributeValue.fromBool(true));
            item.put(
                    StoredItem.EXPIRES,
                    StoredItem.number(clock.instant().plus(TOMBSTONE_AGE).getEpochSecond()));
        }
        try {
            replace(
                    table,
                    PutItemRequest.builder()
                            .item(item)
                            .conditionExpression(UNLESS_NEWER)
                            .expressionAttributeValues(versionValue(version)));
        } catch (ConditionalCheckFailedException newer) {
            bigValues.discard(table, item);
        }
    }

    private void deleteStored(String table, KeyRange range, @Nullable Long version) {
        if (range.isEmpty()) {
            return;
        }
        ItemPages pages =
                new ItemPages(
                        connection,
                        table,
                        ItemPages.Query.rows(range, Direction.FORWARD, Integer.MAX_VALUE, true));
        for (var page = pages.next(); page != null; page = pages.next()) {
            List<Runnable> deletes = new ArrayList<>();
            for (Map<String, AttributeValue> item : page) {
                byte[] key = StoredItem.key(item);
                if (range.contains(key)) {
                    deletes.add(() -> delete(table, key, version));
                }
            }
            if (!deletes.isEmpty()) {
                connection.all(deletes);
            }
        }
    }

    private void requireFits(WriteBatch batch) {
        connection.requireOpen();
        StoreFailures.requireFits(batch, limits);
        for (WriteBatch.Op op : batch.ops()) {
            tables.notes(op.table());
        }
    }
}

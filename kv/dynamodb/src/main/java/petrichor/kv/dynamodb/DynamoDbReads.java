package petrichor.kv.dynamodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.StoreFailures;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;

/** Reads rows by key, with strong consistency. */
final class DynamoDbReads {
    /** DynamoDB's own limit. */
    private static final int KEYS_PER_REQUEST = 100;

    /** For a big row that is replaced each time while it is being read. */
    private static final int ATTEMPTS_MAX = 20;

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final DynamoDbConnection connection;
    private final DynamoDbTables tables;
    private final BigValues bigValues;

    DynamoDbReads(DynamoDbConnection connection, DynamoDbTables tables, BigValues bigValues) {
        this.connection = connection;
        this.tables = tables;
        this.bigValues = bigValues;
    }

    @Nullable Map<String, AttributeValue> item(String table, byte[] key) {
        GetItemResponse answer =
                connection.call(
                        table,
                        client ->
                                client.getItem(
                                        get ->
                                                get.tableName(connection.name(table))
                                                        .consistentRead(true)
                                                        .key(StoredItem.row(key))));
        return answer.hasItem() ? answer.item() : null;
    }

    byte @Nullable [] get(String table, byte[] key) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Map<String, AttributeValue> item = item(table, key);
            if (item == null || !tables.notes(table).counts(item)) {
                return null;
            }
            byte[] value = bigValues.value(table, item);
            if (value != null) {
                return value;
            }
        }
        throw StoreFailures.unreachable(
                connection.address().name(),
                new IllegalStateException("a row of table '" + table + "' keeps being replaced"));
    }

    List<byte @Nullable []> get(String table, List<byte[]> keys) {
        DynamoDbTableMetadata notes = tables.notes(table);
        Set<Bytes> distinct = new LinkedHashSet<>();
        keys.forEach(key -> distinct.add(Bytes.of(key)));
        Map<Bytes, Map<String, AttributeValue>> items = new ConcurrentHashMap<>();
        List<Runnable> requests = new ArrayList<>();
        List<Bytes> all = List.copyOf(distinct);
        for (int from = 0; from < all.size(); from += KEYS_PER_REQUEST) {
            List<Bytes> some = all.subList(from, Math.min(all.size(), from + KEYS_PER_REQUEST));
            requests.add(() -> read(table, some, items));
        }
        if (!requests.isEmpty()) {
            connection.all(requests);
        }
        Map<Bytes, byte[]> values = new HashMap<>();
        items.forEach(
                (key, item) -> {
                    if (notes.counts(item)) {
                        byte[] value = bigValues.value(table, item);
                        byte[] whole = value == null ? get(table, key.array()) : value;
                        if (whole != null) {
                            values.put(key, whole);
                        }
                    }
                });
        List<byte @Nullable []> answers = new ArrayList<>(keys.size());
        Set<Bytes> given = new LinkedHashSet<>();
        for (byte[] key : keys) {
            byte[] value = values.get(Bytes.of(key));
            // The caller owns each array, and may request a key twice.
            answers.add(value == null || given.add(Bytes.of(key)) ? value : value.clone());
        }
        return answers;
    }

    /** Requests keys again that DynamoDB leaves unprocessed because of the response size. */
    private void read(
            String table, List<Bytes> keys, Map<Bytes, Map<String, AttributeValue>> items) {
        String name = connection.name(table);
        Map<String, KeysAndAttributes> left =
                Map.of(
                        name,
                        KeysAndAttributes.builder()
                                .consistentRead(true)
                                .keys(
                                        keys.stream()
                                                .map(key -> StoredItem.row(key.array()))
                                                .toList())
                                .build());
        long began = System.nanoTime();
        while (!left.isEmpty()) {
            Map<String, KeysAndAttributes> asked = left;
            BatchGetItemResponse answer =
                    connection.call(
                            table, client -> client.batchGetItem(get -> get.requestItems(asked)));
            for (Map<String, AttributeValue> item :
                    answer.responses().getOrDefault(name, List.of())) {
                items.put(Bytes.of(StoredItem.key(item)), item);
            }
            left = answer.unprocessedKeys();
            if (!left.isEmpty()) {
                requireTime(began);
                RetryPauses.pause(PAUSE);
            }
        }
    }

    private void requireTime(long began) {
        if (System.nanoTime() - began > connection.address().timeout().toNanos()) {
            throw StoreFailures.unreachable(
                    connection.address().name(),
                    new IllegalStateException("its request queue is full"));
        }
    }
}

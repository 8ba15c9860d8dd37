package petrichor.kv.dynamodb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ListTablesResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

/**
 * The store's tables: DynamoDB tables whose names are the prefix, a dot and a name. Each has an
 * item with its format version; tables without one belong to another program and are never changed.
 */
final class DynamoDbTables {
    private static final byte[] FORMAT_KEY = "format".getBytes(US_ASCII);
    private static final long FORMAT = 1;

    /** DynamoDB takes some ten seconds to create a table. */
    private static final Duration CHANGE_TIME_MAX = Duration.ofMinutes(2);

    private static final Duration CHANGE_POLL = Duration.ofMillis(50);

    private static final List<KeySchemaElement> KEYS =
            List.of(
                    KeySchemaElement.builder()
                            .attributeName(StoredItem.PARTITION)
                            .keyType(KeyType.HASH)
                            .build(),
                    KeySchemaElement.builder()
                            .attributeName(StoredItem.SORT)
                            .keyType(KeyType.RANGE)
                            .build());

    private final DynamoDbConnection connection;

    /** Tables known to this process; another process may have dropped them. */
    private final Map<String, DynamoDbTableMetadata> seen = new ConcurrentHashMap<>();

    private DynamoDbTables(DynamoDbConnection connection) {
        this.connection = connection;
    }

    static DynamoDbTables open(DynamoDbConnection connection) {
        DynamoDbTables tables = new DynamoDbTables(connection);
        for (String table : tables.names()) {
            if (!tables.isGoing(table)) {
                tables.create(table);
            }
        }
        return tables;
    }

    /** The table is being dropped. */
    private boolean isGoing(String table) {
        TableDescription description = description(table);
        return description == null || description.tableStatus() == TableStatus.DELETING;
    }

    Set<String> names() {
        String ours = connection.name("");
        Set<String> names = new TreeSet<>();
        String after = null;
        do {
            String start = after;
            ListTablesResponse page =
                    connection.call(
                            null,
                            client ->
                                    client.listTables(
                                            request -> request.exclusiveStartTableName(start)));
            for (String name : page.tableNames()) {
                if (name.startsWith(ours) && isTableName(name.substring(ours.length()))) {
                    names.add(name.substring(ours.length()));
                }
            }
            after = page.lastEvaluatedTableName();
        } while (after != null);
        return names;
    }

    private static boolean isTableName(String table) {
        try {
            StoreFailures.requireTableName(table);
            return true;
        } catch (PetrichorException noName) {
            return false;
        }
    }

    private void requireFit(String table) {
        String name = connection.name(table);
        TableDescription description = description(table);
        if (description == null) {
            throw StoreFailures.noSuchTable(table);
        }
        Map<String, AttributeValue> format =
                description.keySchema().equals(KEYS)
                        ? connection
                                .call(
                                        table,
                                        client ->
                                                client.getItem(
                                                        get ->
                                                                get.tableName(name)
                                                                        .consistentRead(true)
                                                                        .key(formatKey())))
                                .item()
                        : Map.of();
        if (format.isEmpty()) {
            throw unfit(
                    "the table '"
                            + name
                            + "' is not Petrichor's; name another prefix after the last / of the"
                            + " address");
        }
        if (StoredItem.version(format) != FORMAT) {
            throw unfit(
                    "the table '"
                            + name
                            + "' has format "
                            + StoredItem.version(format)
                            + ", but this version supports "
                            + FORMAT
                            + "; use the version that wrote it");
        }
    }

    private PetrichorException unfit(String what) {
        return StoreFailures.unfit(connection.address().name(), what);
    }

    private static Map<String, AttributeValue> formatKey() {
        return StoredItem.at(StoredItem.NOTES, FORMAT_KEY);
    }

    /** NOT_FOUND if it does not exist; queries the store only for tables not seen before. */
    DynamoDbTableMetadata notes(String table) {
        connection.requireOpen();
        DynamoDbTableMetadata notes = seen.get(table);
        if (notes != null) {
            return notes;
        }
        if (!isTableName(table) || description(table) == null) {
            throw StoreFailures.noSuchTable(table);
        }
        return see(table);
    }

    private DynamoDbTableMetadata see(String table) {
        return seen.computeIfAbsent(table, name -> new DynamoDbTableMetadata(connection, name));
    }

    private @Nullable TableDescription description(String table) {
        try {
            return connection
                    .call(
                            table,
                            client ->
                                    client.describeTable(
                                            request -> request.tableName(connection.name(table))))
                    .table();
        } catch (PetrichorException missing) {
            if (missing.code() == ErrorCode.NOT_FOUND) {
                return null;
            }
            throw missing;
        }
    }

    void create(String table) {
        StoreFailures.requireTableName(table);
        String name = connection.name(table);
        if (description(table) == null) {
            make(table, name);
        }
        awaitChange(
                table,
                () -> {
                    TableDescription now = description(table);
                    return now != null && now.tableStatus() == TableStatus.ACTIVE;
                });
        if (seen.containsKey(table)) {
            return;
        }
        if (isIncomplete(table)) {
            forgetWhatExpires(table, name);
            Map<String, AttributeValue> format = formatKey();
            format.put(StoredItem.VERSION, StoredItem.number(FORMAT));
            connection.call(
                    table, client -> client.putItem(put -> put.tableName(name).item(format)));
        } else {
            requireFit(table);
            forgetWhatExpires(table, name);
        }
        see(table);
    }

    /**
     * An empty table of the right schema, as left by a process that failed before it marked the
     * table.
     */
    private boolean isIncomplete(String table) {
        TableDescription description = description(table);
        return description != null
                && description.tableStatus() == TableStatus.ACTIVE
                && description.keySchema().equals(KEYS)
                && connection
                        .call(
                                table,
                                client ->
                                        client.scan(
                                                scan ->
                                                        scan.tableName(connection.name(table))
                                                                .consistentRead(true)
                                                                .limit(1)))
                        .items()
                        .isEmpty();
    }

    /** Otherwise tombstones would accumulate without bound. */
    private void forgetWhatExpires(String table, String name) {
        if (expires(table, name)) {
            return;
        }
        try {
            connection.call(
                    table,
                    client ->
                            client.updateTimeToLive(
                                    request ->
                                            request.tableName(name)
                                                    .timeToLiveSpecification(
                                                            time ->
                                                                    time.attributeName(
                                                                                    StoredItem
                                                                                            .EXPIRES)
                                                                            .enabled(true))));
        } catch (PetrichorException failed) {
            // Another process may have been faster.
            if (!expires(table, name)) {
                throw failed;
            }
        }
    }

    private boolean expires(String table, String name) {
        TimeToLiveStatus status =
                connection
                        .call(
                                table,
                                client ->
                                        client.describeTimeToLive(
                                                request -> request.tableName(name)))
                        .timeToLiveDescription()
                        .timeToLiveStatus();
        return status == TimeToLiveStatus.ENABLED || status == TimeToLiveStatus.ENABLING;
    }

    private void make(String table, String name) {
        try {
            connection.call(
                    null,
                    client -> {
                        try {
                            return client.createTable(
                                            request ->
                                                    request.tableName(name)
                                                            .keySchema(KEYS)
                                                            .attributeDefinitions(
                                                                    attribute(
                                                                            StoredItem.PARTITION,
                                                                            ScalarAttributeType.S),
                                                                    attribute(
                                                                            StoredItem.SORT,
                                                                            ScalarAttributeType.B))
                                                            .billingMode(
                                                                    BillingMode.PAY_PER_REQUEST))
                                    .tableDescription();
                        } catch (ResourceInUseException madeByAnother) {
                            return TableDescription.builder().build();
                        }
                    });
        } catch (PetrichorException failed) {
            if (failed.code() != ErrorCode.UNAVAILABLE || description(table) == null) {
                throw failed;
            }
        }
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder().attributeName(name).attributeType(type).build();
    }

    void drop(String table) {
        connection.requireOpen();
        seen.remove(table);
        if (!isTableName(table) || description(table) == null) {
            return;
        }
        try {
            connection.call(
                    table,
                    client ->
                            client.deleteTable(
                                    request -> request.tableName(connection.name(table))));
        } catch (PetrichorException failed) {
            if (failed.code() != ErrorCode.NOT_FOUND) {
                throw failed;
            }
        }
        awaitChange(table, () -> description(table) == null);
    }

    private interface Condition {
        boolean holds();
    }

    private void awaitChange(String table, Condition condition) {
        long began = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - began > CHANGE_TIME_MAX.toNanos()) {
                throw StoreFailures.unreachable(
                        connection.address().name(),
                        new IllegalStateException(
                                "the table '" + table + "' was not ready in time"));
            }
            RetryPauses.pause(CHANGE_POLL);
        }
    }
}

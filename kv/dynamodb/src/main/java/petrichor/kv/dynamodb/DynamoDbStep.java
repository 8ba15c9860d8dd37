package petrichor.kv.dynamodb;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.DurableStep;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/**
 * The durable step: a put of an item on the condition that it does not exist.
 *
 * <p>The SDK retries a request whose response was lost, and the retry finds the item already
 * written. So each item carries a random mark of its writer; a writer that is refused reads the
 * item and compares the mark.
 */
final class DynamoDbStep implements DurableStep.ConditionalRow {
    private static final String IF_ABSENT = "attribute_not_exists(p) OR attribute_exists(d)";

    private final DynamoDbConnection connection;
    private final DynamoDbReads reads;
    private final DynamoDbWrites writes;
    private final BigValues bigValues;
    private final Capabilities limits;

    DynamoDbStep(
            DynamoDbConnection connection,
            DynamoDbReads reads,
            DynamoDbWrites writes,
            BigValues bigValues,
            Capabilities limits) {
        this.connection = connection;
        this.reads = reads;
        this.writes = writes;
        this.bigValues = bigValues;
        this.limits = limits;
    }

    @Override
    public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
        StoreFailures.requireFits(new WriteBatch().put(table, key, value), limits);
        connection.requireOpen();
        byte[] mark = BigValues.newMark();
        try {
            Map<String, AttributeValue> item = bigValues.item(table, key, value, mark);
            item.put(StoredItem.MARK, StoredItem.bytes(mark));
            try {
                connection.call(
                        table,
                        client ->
                                client.putItem(
                                        put ->
                                                put.tableName(connection.name(table))
                                                        .item(item)
                                                        .conditionExpression(IF_ABSENT)));
                return Outcome.DONE;
            } catch (ConditionalCheckFailedException present) {
                if (isMarked(reads.item(table, key), mark)) {
                    return Outcome.DONE;
                }
                bigValues.discard(table, item);
                return Outcome.FENCED;
            }
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.UNAVAILABLE) {
                return Outcome.UNKNOWN;
            }
            throw failed;
        }
    }

    private static boolean isMarked(@Nullable Map<String, AttributeValue> item, byte[] mark) {
        return item != null && Arrays.equals(StoredItem.bytesOf(item, StoredItem.MARK), mark);
    }

    @Override
    public byte @Nullable [] read(String table, byte[] key) {
        return reads.get(table, key);
    }

    @Override
    public void putIfNewer(WriteBatch batch, long version) {
        writes.writeIfNewer(batch, version);
    }
}

package petrichor.kv.dynamodb;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;

/** Reads the items of a partition, in order, page by page. Confined to one thread. */
final class ItemPages {
    /** Items per page; a page also ends at DynamoDB's own 1 MB. */
    private static final int PAGE_ITEMS = 1_000;

    /** DynamoDB accepts no longer ones, not even in comparisons. */
    private static final int SORT_KEY_BYTES_MAX = 1_024;

    /**
     * The range and options of a query.
     *
     * @param from sort key, inclusive
     * @param to sort key, inclusive: the caller drops surplus items
     * @param limit maximum number of items needed
     * @param keysOnly without values
     */
    record Query(
            String partition,
            byte[] from,
            byte[] to,
            Direction direction,
            int limit,
            boolean keysOnly) {

        static Query of(String partition, byte[] from, byte[] to) {
            return new Query(partition, from, to, Direction.FORWARD, Integer.MAX_VALUE, false);
        }

        static Query rows(KeyRange range, Direction direction, int limit, boolean keysOnly) {
            byte[] end = range.to();
            return new Query(
                    StoredItem.ROWS,
                    cut(StoredItem.sortKey(range.from())),
                    end == null ? StoredItem.afterRows() : cut(StoredItem.sortKey(end)),
                    direction,
                    limit,
                    keysOnly);
        }

        /** No item exists between a key that is too long and its truncated form. */
        private static byte[] cut(byte[] sort) {
            return sort.length <= SORT_KEY_BYTES_MAX
                    ? sort
                    : java.util.Arrays.copyOf(sort, SORT_KEY_BYTES_MAX);
        }
    }

    private final DynamoDbConnection connection;
    private final String table;
    private final Query query;
    private @Nullable Map<String, AttributeValue> resumeAfter;
    private boolean ended;

    ItemPages(DynamoDbConnection connection, String table, Query query) {
        this.connection = connection;
        this.table = table;
        this.query = query;
    }

    /** Null at the end; a page may be empty. Excludes tombstones. */
    @Nullable List<Map<String, AttributeValue>> next() {
        if (ended) {
            return null;
        }
        QueryResponse page =
                connection.call(
                        table,
                        client ->
                                client.query(
                                        request -> {
                                            request.tableName(connection.name(table))
                                                    .consistentRead(true)
                                                    .scanIndexForward(
                                                            query.direction == Direction.FORWARD)
                                                    .keyConditionExpression(
                                                            "p = :p AND k BETWEEN :from AND :to")
                                                    .filterExpression("attribute_not_exists(d)")
                                                    .expressionAttributeValues(
                                                            Map.of(
                                                                    ":p",
                                                                    AttributeValue.fromS(
                                                                            query.partition),
                                                                    ":from",
                                                                    StoredItem.bytes(query.from),
                                                                    ":to",
                                                                    StoredItem.bytes(query.to)))
                                                    .exclusiveStartKey(resumeAfter)
                                                    // One more, for the end key, which is excluded.
                                                    .limit(
                                                            (int)
                                                                    Math.min(
                                                                            PAGE_ITEMS,
                                                                            query.limit + 1L));
                                            if (query.keysOnly) {
                                                request.projectionExpression("p, k, w, c, m");
                                            }
                                        }));
        resumeAfter = page.hasLastEvaluatedKey() ? page.lastEvaluatedKey() : null;
        ended = resumeAfter == null;
        return page.items();
    }
}

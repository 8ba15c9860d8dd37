package petrichor.kv.dynamodb;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.function.BiConsumer;
import petrichor.kv.DeletedRanges;
import petrichor.kv.KeyRange;
import petrichor.kv.RangeDeletions;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Metadata of a table, in a separate partition: its range deletions. Thread-safe. */
final class DynamoDbTableMetadata {
    private final DynamoDbConnection connection;
    private final String table;
    private final RangeDeletions deletions = new RangeDeletions(new Records());

    DynamoDbTableMetadata(DynamoDbConnection connection, String table) {
        this.connection = connection;
        this.table = table;
    }

    DeletedRanges deletedRanges() {
        return deletions.ranges();
    }

    /** Rows in the range must have at least this version from now on. */
    void deleteRange(KeyRange range, long version, int number) {
        deletions.delete(range, version, number);
    }

    /** Whether the row exists: deleted neither by itself nor with a range. */
    boolean counts(Map<String, AttributeValue> item) {
        if (StoredItem.isTombstone(item)) {
            return false;
        }
        DeletedRanges ranges = deletedRanges();
        return ranges.isEmpty()
                || !StoredItem.hasVersion(item)
                || StoredItem.version(item) >= ranges.at(StoredItem.key(item));
    }

    /** Range deletions as items of the metadata partition. */
    private final class Records implements RangeDeletions.Records {
        @Override
        public void read(BiConsumer<byte[], KeyRange> reader) {
            KeyRange ids = RangeDeletions.ids();
            ItemPages.Query query =
                    ItemPages.Query.of(StoredItem.NOTES, ids.from(), requireNonNull(ids.to()));
            ItemPages pages = new ItemPages(connection, table, query);
            for (var page = pages.next(); page != null; page = pages.next()) {
                for (Map<String, AttributeValue> item : page) {
                    KeyRange range =
                            new KeyRange(
                                    StoredItem.required(item, StoredItem.RANGE_FROM),
                                    StoredItem.bytesOf(item, StoredItem.RANGE_TO));
                    reader.accept(StoredItem.required(item, StoredItem.SORT), range);
                }
            }
        }

        @Override
        public void write(byte[] id, KeyRange range, long version) {
            Map<String, AttributeValue> item = StoredItem.at(StoredItem.NOTES, id);
            item.put(StoredItem.RANGE_FROM, StoredItem.bytes(range.from()));
            byte[] to = range.to();
            if (to != null) {
                item.put(StoredItem.RANGE_TO, StoredItem.bytes(to));
            }
            item.put(StoredItem.VERSION, StoredItem.number(version));
            connection.call(
                    table,
                    client ->
                            client.putItem(
                                    put -> put.tableName(connection.name(table)).item(item)));
        }

        @Override
        public void remove(byte[] id, long version) {
            connection.call(
                    table,
                    client ->
                            client.deleteItem(
                                    delete ->
                                            delete.tableName(connection.name(table))
                                                    .key(StoredItem.at(StoredItem.NOTES, id))));
        }
    }
}

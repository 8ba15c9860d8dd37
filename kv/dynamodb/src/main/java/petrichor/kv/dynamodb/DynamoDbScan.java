package petrichor.kv.dynamodb;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Scans the rows of a table, page by page. */
final class DynamoDbScan implements Scan {
    private final String table;
    private final ItemPages pages;
    private final DynamoDbReads reads;
    private final BigValues bigValues;
    private final DynamoDbTableMetadata notes;
    private final KeyRange range;
    private final Deque<Map<String, AttributeValue>> page = new ArrayDeque<>();
    private int left;
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private boolean closed;

    DynamoDbScan(
            String table,
            ItemPages pages,
            DynamoDbReads reads,
            BigValues bigValues,
            DynamoDbTableMetadata notes,
            KeyRange range,
            int limit) {
        this.table = table;
        this.pages = pages;
        this.reads = reads;
        this.bigValues = bigValues;
        this.notes = notes;
        this.range = range;
        this.left = range.isEmpty() ? 0 : limit;
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        key = null;
        value = null;
        while (left > 0) {
            Map<String, AttributeValue> item = page.poll();
            if (item == null) {
                List<Map<String, AttributeValue>> more = pages.next();
                if (more == null) {
                    left = 0;
                } else {
                    page.addAll(more);
                }
            } else if (take(item)) {
                left--;
                return true;
            }
        }
        return false;
    }

    private boolean take(Map<String, AttributeValue> item) {
        byte[] itsKey = StoredItem.key(item);
        if (!range.contains(itsKey) || !notes.counts(item)) {
            return false;
        }
        byte[] itsValue = bigValues.value(table, item);
        if (itsValue == null) {
            itsValue = reads.get(table, itsKey);
        }
        key = itsKey;
        value = itsValue;
        return itsValue != null;
    }

    @Override
    public byte[] key() {
        return current(key);
    }

    @Override
    public byte[] value() {
        return current(value);
    }

    private static byte[] current(byte @Nullable [] part) {
        if (part == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return part;
    }

    @Override
    public void close() {
        closed = true;
        key = null;
        value = null;
        page.clear();
    }
}

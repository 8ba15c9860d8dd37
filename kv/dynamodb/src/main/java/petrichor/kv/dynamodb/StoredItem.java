package petrichor.kv.dynamodb;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The encoding of a row in DynamoDB: an item whose sort key is the key after one byte, since
 * DynamoDB has no empty keys. An unversioned row has no version attribute; a row deleted with a
 * version stays as a tombstone, until DynamoDB's time-to-live removes it.
 */
final class StoredItem {
    static final String PARTITION = "p";
    static final String SORT = "k";
    static final String VALUE = "v";
    static final String VERSION = "w";
    static final String TOMBSTONE = "d";

    /** In seconds since 1970; DynamoDB deletes expired items. */
    static final String EXPIRES = "x";

    /** A random mark of the writer: identifies the attempt, and the chunks. */
    static final String MARK = "m";

    static final String CHUNKS = "c";
    static final String RANGE_FROM = "f";
    static final String RANGE_TO = "t";

    static final String ROWS = "rows";
    static final String CHUNK_PARTITION = "chunks";
    static final String NOTES = "notes";

    /** DynamoDB's longest sort key has 1,024 bytes; Petrichor uses one. */
    static final int KEY_BYTES_MAX = 1_023;

    /** Divided into as many items as needed. */
    static final int VALUE_BYTES_MAX = 8 << 20;

    /** A DynamoDB item has at most 400 KiB, including names and the key. */
    static final int ITEM_VALUE_BYTES_MAX = 380 << 10;

    static final int MARK_BYTES = 16;

    private static final byte FIRST = 1;

    private StoredItem() {}

    static AttributeValue bytes(byte[] bytes) {
        return AttributeValue.fromB(SdkBytes.fromByteArrayUnsafe(bytes));
    }

    static AttributeValue number(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }

    static byte[] sortKey(byte[] key) {
        byte[] sort = new byte[key.length + 1];
        sort[0] = FIRST;
        System.arraycopy(key, 0, sort, 1, key.length);
        return sort;
    }

    /** The end of all rows. */
    static byte[] afterRows() {
        return new byte[] {FIRST + 1};
    }

    /** The primary key of an item in requests. */
    static Map<String, AttributeValue> row(byte[] key) {
        return at(ROWS, sortKey(key));
    }

    static Map<String, AttributeValue> at(String partition, byte[] sort) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put(PARTITION, AttributeValue.fromS(partition));
        item.put(SORT, bytes(sort));
        return item;
    }

    static byte[] key(Map<String, AttributeValue> item) {
        byte[] sort = required(item, SORT);
        return Arrays.copyOfRange(sort, 1, sort.length);
    }

    static boolean isTombstone(Map<String, AttributeValue> item) {
        return item.containsKey(TOMBSTONE);
    }

    static boolean hasVersion(Map<String, AttributeValue> item) {
        return item.containsKey(VERSION);
    }

    static long version(Map<String, AttributeValue> item) {
        return longOf(item, VERSION);
    }

    static long longOf(Map<String, AttributeValue> item, String attribute) {
        AttributeValue value = item.get(attribute);
        if (value == null) {
            throw new IllegalStateException("an item lacks its attribute '" + attribute + "'");
        }
        return Long.parseLong(value.n());
    }

    static byte @Nullable [] bytesOf(Map<String, AttributeValue> item, String attribute) {
        AttributeValue value = item.get(attribute);
        return value == null ? null : value.b().asByteArray();
    }

    static byte[] required(Map<String, AttributeValue> item, String attribute) {
        byte[] bytes = bytesOf(item, attribute);
        if (bytes == null) {
            throw new IllegalStateException("an item lacks its attribute '" + attribute + "'");
        }
        return bytes;
    }
}

package petrichor.entities;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.util.Comparator;

/**
 * Datastore's order of values and keys as its documentation words it, independent of any encoding.
 * Values of equal rank that differ in type are equal here.
 */
final class DocumentedOrder {
    private DocumentedOrder() {}

    static int compare(Value left, Value right) {
        int ranks = Integer.compare(rank(left), rank(right));
        if (ranks != 0) {
            return ranks;
        }
        return switch (left.getValueTypeCase()) {
            case NULL_VALUE -> 0;
            case INTEGER_VALUE, TIMESTAMP_VALUE -> Long.compare(fixed(left), fixed(right));
            case BOOLEAN_VALUE -> Boolean.compare(left.getBooleanValue(), right.getBooleanValue());
            case STRING_VALUE, BLOB_VALUE -> compare(bytes(left), bytes(right));
            case DOUBLE_VALUE -> compare(left.getDoubleValue(), right.getDoubleValue());
            case GEO_POINT_VALUE -> {
                int latitudes =
                        compare(
                                left.getGeoPointValue().getLatitude(),
                                right.getGeoPointValue().getLatitude());
                yield latitudes != 0
                        ? latitudes
                        : compare(
                                left.getGeoPointValue().getLongitude(),
                                right.getGeoPointValue().getLongitude());
            }
            case KEY_VALUE -> compare(left.getKeyValue(), right.getKeyValue());
            case ARRAY_VALUE, ENTITY_VALUE, VALUETYPE_NOT_SET ->
                    throw new IllegalArgumentException("has no place in the order");
        };
    }

    static int compare(Key left, Key right) {
        int namespaces =
                compare(
                        left.getPartitionId().getNamespaceIdBytes(),
                        right.getPartitionId().getNamespaceIdBytes());
        if (namespaces != 0) {
            return namespaces;
        }
        for (int i = 0; i < Math.min(left.getPathCount(), right.getPathCount()); i++) {
            int elements = compare(left.getPath(i), right.getPath(i));
            if (elements != 0) {
                return elements;
            }
        }
        return Integer.compare(left.getPathCount(), right.getPathCount());
    }

    private static int compare(Key.PathElement left, Key.PathElement right) {
        int kinds = compare(left.getKindBytes(), right.getKindBytes());
        if (kinds != 0) {
            return kinds;
        }
        if (left.hasId() != right.hasId()) {
            return left.hasId() ? -1 : 1;
        }
        return left.hasId()
                ? Long.compare(left.getId(), right.getId())
                : compare(left.getNameBytes(), right.getNameBytes());
    }

    private static int rank(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE -> 0;
            case INTEGER_VALUE, TIMESTAMP_VALUE -> 1;
            case BOOLEAN_VALUE -> 2;
            case STRING_VALUE, BLOB_VALUE -> 3;
            case DOUBLE_VALUE -> 4;
            case GEO_POINT_VALUE -> 5;
            case KEY_VALUE -> 6;
            case ARRAY_VALUE, ENTITY_VALUE, VALUETYPE_NOT_SET ->
                    throw new IllegalArgumentException("has no place in the order");
        };
    }

    private static long fixed(Value value) {
        return value.hasIntegerValue()
                ? value.getIntegerValue()
                : value.getTimestampValue().getSeconds() * 1_000_000
                        + value.getTimestampValue().getNanos() / 1000;
    }

    private static ByteString bytes(Value value) {
        return value.hasBlobValue() ? value.getBlobValue() : value.getStringValueBytes();
    }

    private static int compare(ByteString left, ByteString right) {
        return ByteString.unsignedLexicographicalComparator().compare(left, right);
    }

    private static int compare(double left, double right) {
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Boolean.compare(Double.isNaN(right), Double.isNaN(left));
        }
        return left == right ? 0 : Comparator.<Double>naturalOrder().compare(left, right);
    }
}

package petrichor.jobs.records;

/**
 * The first eight bytes of a key as an unsigned long that orders like the key: a smaller prefix is
 * a smaller key, and only equal prefixes need a look at the records (unless {@link #decides}).
 * Sorting and merging compare these instead of records.
 */
public final class KeyPrefix {
    private final int[] fields;
    private final FieldType[] types;
    private final boolean[] descending;

    /** Number of the key's fields in the prefix. */
    private final int packed;

    private final boolean complete;

    private KeyPrefix(int[] fields, FieldType[] types, boolean[] descending) {
        this.fields = fields;
        this.types = types;
        this.descending = descending;
        int bits = 64;
        int count = 0;
        while (count < types.length && bits >= bits(types[count])) {
            bits -= bits(types[count++]);
        }
        boolean first = count == 0;
        this.packed = first ? 1 : count;
        this.complete = !first && count == types.length;
    }

    public static KeyPrefix of(Key key, RecordType type) {
        key.check(type);
        int[] fields = key.fields();
        FieldType[] types = new FieldType[fields.length];
        boolean[] descending = new boolean[fields.length];
        for (int i = 0; i < fields.length; i++) {
            types[i] = type.type(fields[i]);
            descending[i] = key.parts().get(i).order() == Order.DESCENDING;
        }
        return new KeyPrefix(fields, types, descending);
    }

    /** Number of bits of a field; a text uses all, and only as the first field. */
    private static int bits(FieldType type) {
        return switch (type) {
            case BOOLEAN -> 1;
            case INT32 -> 32;
            case INT64, FLOAT64 -> 64;
            case TEXT, BYTES -> Integer.MAX_VALUE;
        };
    }

    /**
     * True if records with this prefix have equal keys. Null shares the prefix of the smallest
     * value, which is therefore never decisive.
     */
    public boolean decides(long prefix) {
        return complete && mayBeNull(prefix) == 0;
    }

    /** Not 0 if one of the packed fields may be null. */
    private int mayBeNull(long prefix) {
        int left = 64;
        for (int i = 0; i < packed; i++) {
            int bits = bits(types[i]);
            left -= bits;
            long value = bits == 64 ? prefix : prefix >>> left & ((1L << bits) - 1);
            long smallest = descending[i] ? (bits == 64 ? -1L : (1L << bits) - 1) : 0;
            if (value == smallest) {
                return 1;
            }
        }
        return 0;
    }

    /** The prefix, to be compared unsigned. */
    public long of(RecordView record) {
        FieldType type = types[0];
        if (packed == 1 && !descending[0] && !record.isNull(fields[0])) {
            if (type.isVariable()) {
                return text(record, fields[0]);
            }
            if (type == FieldType.INT64) {
                return record.displayName(fields[0]) ^ Long.MIN_VALUE;
            }
        }
        return packedFields(record);
    }

    private long packedFields(RecordView record) {
        long prefix = 0;
        int left = 64;
        for (int i = 0; i < packed; i++) {
            int bits = Math.min(64, bits(types[i]));
            left -= bits;
            boolean absent = record.isNull(fields[i]);
            long value = absent ? 0 : value(record, i);
            if (descending[i]) {
                value = ~value & (-1L >>> (64 - bits));
            }
            prefix |= value << left;
            if (absent) {
                // Later fields must not order a null against the smallest value: the records
                // decide.
                return descending[i] && left > 0 ? prefix | ((1L << left) - 1) : prefix;
            }
        }
        return prefix;
    }

    private long value(RecordView record, int i) {
        long word = record.displayName(fields[i]);
        return switch (types[i]) {
            case BOOLEAN -> word;
            case INT32 -> (word ^ Integer.MIN_VALUE) & 0xFFFFFFFFL;
            case INT64 -> word ^ Long.MIN_VALUE;
            // From sign and magnitude to an unsigned order: negative numbers flip all bits, others
            // the sign.
            case FLOAT64 -> word ^ (word >> 63 | Long.MIN_VALUE);
            case TEXT, BYTES -> text(record, fields[i]);
        };
    }

    private static long text(RecordView record, int field) {
        int bytes = record.variableBytes(field);
        return Long.reverseBytes(
                Words.tail(record.base(), record.variableAt(field), Math.min(8, bytes)));
    }
}

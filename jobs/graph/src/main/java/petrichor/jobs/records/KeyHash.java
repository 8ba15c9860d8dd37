package petrichor.jobs.records;

/**
 * Hashes a record's key. Records of two types whose keys are equal by {@link KeyOrder} hash
 * equally, in every process: partitioning relies on it.
 */
public final class KeyHash {
    private final int[] fields;
    private final boolean[] variable;

    private KeyHash(int[] fields, boolean[] variable) {
        this.fields = fields;
        this.variable = variable;
    }

    public static KeyHash of(Key key, RecordType type) {
        key.check(type);
        int[] fields = key.fields();
        boolean[] variable = new boolean[fields.length];
        for (int i = 0; i < fields.length; i++) {
            variable[i] = type.type(fields[i]).isVariable();
        }
        return new KeyHash(fields, variable);
    }

    public long hash(RecordView record) {
        long hash = part(record, 0);
        for (int i = 1; i < fields.length; i++) {
            hash = Words.mix(hash * 31 + part(record, i));
        }
        return hash;
    }

    /** The partition, of {@code count}, of a hash; uses its upper half. */
    public static int partition(long hash, int count) {
        return (int) (((hash >>> 32) * count) >>> 32);
    }

    private long part(RecordView record, int i) {
        int field = fields[i];
        return variable[i]
                ? Slice.hash(record.base(), record.variableAt(field), record.variableBytes(field))
                : Words.mix(record.displayName(field));
    }
}

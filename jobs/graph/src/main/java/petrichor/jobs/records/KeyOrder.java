package petrichor.jobs.records;

import petrichor.base.PetrichorException;

/**
 * Compares two records by a key, in place. The two may be of different types, each with its own
 * key: then the keys' fields are compared pair by pair, in the order of the left key.
 */
public final class KeyOrder {
    private final int[] left;
    private final int[] right;
    private final FieldType[] types;
    private final boolean[] descending;

    private KeyOrder(int[] left, int[] right, FieldType[] types, boolean[] descending) {
        this.left = left;
        this.right = right;
        this.types = types;
        this.descending = descending;
    }

    public static KeyOrder of(Key key, RecordType type) {
        return of(key, type, key, type);
    }

    /**
     * An order between records of two types; their key fields must hold the same or be integers.
     */
    public static KeyOrder of(Key left, RecordType leftType, Key right, RecordType rightType) {
        left.check(leftType);
        right.check(rightType);
        if (left.size() != right.size()) {
            throw PetrichorException.invalid(
                    "keys of {leftCount} and {rightCount} fields cannot be compared",
                    "leftCount",
                    left.size(),
                    "rightCount",
                    right.size());
        }
        FieldType[] types = new FieldType[left.size()];
        boolean[] descending = new boolean[left.size()];
        for (int i = 0; i < types.length; i++) {
            types[i] = leftType.type(left.parts().get(i).field());
            FieldType other = rightType.type(right.parts().get(i).field());
            if (types[i] != other && !(types[i].isInteger() && other.isInteger())) {
                throw PetrichorException.invalid(
                        "key field {leftField} cannot be compared with {rightField}",
                        "leftField",
                        leftType.fields().get(left.parts().get(i).field()),
                        "rightField",
                        rightType.fields().get(right.parts().get(i).field()));
            }
            descending[i] = left.parts().get(i).order() == Order.DESCENDING;
        }
        return new KeyOrder(left.fields(), right.fields(), types, descending);
    }

    public int compare(RecordView a, RecordView b) {
        for (int i = 0; i < types.length; i++) {
            int order = compare(a, left[i], b, right[i], types[i]);
            if (order != 0) {
                return descending[i] ? -order : order;
            }
        }
        return 0;
    }

    public boolean equal(RecordView a, RecordView b) {
        for (int i = 0; i < types.length; i++) {
            int leftField = left[i];
            int rightField = right[i];
            boolean same =
                    types[i].isVariable()
                            ? Slice.equal(
                                    a.base(),
                                    a.variableAt(leftField),
                                    a.variableBytes(leftField),
                                    b.base(),
                                    b.variableAt(rightField),
                                    b.variableBytes(rightField))
                            : a.displayName(leftField) == b.displayName(rightField);
            if (!same || a.isNull(leftField) != b.isNull(rightField)) {
                return false;
            }
        }
        return true;
    }

    private static int compare(RecordView a, int left, RecordView b, int right, FieldType type) {
        boolean leftNull = a.isNull(left);
        boolean rightNull = b.isNull(right);
        if (leftNull || rightNull) {
            return Boolean.compare(rightNull, leftNull);
        }
        return switch (type) {
            case BOOLEAN, INT32, INT64 -> Long.compare(a.displayName(left), b.displayName(right));
            case FLOAT64 ->
                    Double.compare(
                            Double.longBitsToDouble(a.displayName(left)),
                            Double.longBitsToDouble(b.displayName(right)));
            case TEXT, BYTES ->
                    Slice.compare(
                            a.base(),
                            a.variableAt(left),
                            a.variableBytes(left),
                            b.base(),
                            b.variableAt(right),
                            b.variableBytes(right));
        };
    }
}

package petrichor.jobs.records;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringJoiner;

/**
 * A view of one record in a byte array. The engine moves one view from record to record instead of
 * creating objects: a view passed to user code is valid until the next call; {@link #copy()} keeps
 * its record.
 *
 * <p>A null field reads as zero or as empty; {@link #isNull} distinguishes it. Reading a field as
 * another type fails with INVALID_ARGUMENT. Belongs to one thread; the bytes belong to the caller
 * that moved the view.
 */
public final class RecordView {
    private static final byte[] NOTHING = new byte[RecordType.FIELDS_MAX * RecordType.SLOT_BYTES];

    private final RecordType type;
    private final int slotsAt;
    private byte[] base = NOTHING;
    private int at;

    public RecordView(RecordType type) {
        this.type = type;
        this.slotsAt = type.slotsAt();
    }

    /** Moves this view to the record at this position. */
    public RecordView at(byte[] newBase, int newAt) {
        base = newBase;
        at = newAt;
        return this;
    }

    /** Moves this view to the position of another one of an equal type. */
    public RecordView at(RecordView other) {
        return at(other.base, other.at);
    }

    public RecordType type() {
        return type;
    }

    /** The underlying array; the record starts at {@link #at()}. */
    public byte[] base() {
        return base;
    }

    public int at() {
        return at;
    }

    /** The length of the record's binary form. */
    public int bytes() {
        return Words.int32(base, at);
    }

    public boolean isNull(int field) {
        return (Words.int32(base, at + RecordType.NULLS_AT + 4 * (field >> 5)) >>> field & 1) != 0;
    }

    public boolean bool(int field) {
        check(field, FieldType.BOOLEAN);
        return displayName(field) != 0;
    }

    public int int32(int field) {
        check(field, FieldType.INT32);
        return (int) displayName(field);
    }

    /** An integer of either width. */
    public long int64(int field) {
        if (type.type(field) != FieldType.INT64) {
            if (type.type(field) != FieldType.INT32) {
                throw type.mismatch(field, "a whole number");
            }
        }
        return displayName(field);
    }

    public double float64(int field) {
        check(field, FieldType.FLOAT64);
        return Double.longBitsToDouble(displayName(field));
    }

    /** Moves the slice to the bytes of a text or bytes field. */
    public Slice slice(int field, Slice into) {
        if (!type.type(field).isVariable()) {
            throw type.mismatch(field, "bytes");
        }
        return into.over(base, variableAt(field), variableBytes(field));
    }

    /** A text as a String; allocates: {@link #slice} does not. */
    public String text(int field) {
        check(field, FieldType.TEXT);
        return new String(base, variableAt(field), variableBytes(field), StandardCharsets.UTF_8);
    }

    /** A copy of the bytes of a text or bytes field. */
    public byte[] bytes(int field) {
        int from = variableAt(field);
        if (!type.type(field).isVariable()) {
            throw type.mismatch(field, "bytes");
        }
        return Arrays.copyOfRange(base, from, from + variableBytes(field));
    }

    /** An independent view of a copy of this record. */
    public RecordView copy() {
        return new RecordView(type).at(Arrays.copyOfRange(base, at, at + bytes()), 0);
    }

    /** Copies the binary form; the target must be large enough. */
    public void copyTo(byte[] target, int targetAt) {
        System.arraycopy(base, at, target, targetAt, bytes());
    }

    /** The eight bytes of a field of any type. */
    long displayName(int field) {
        return Words.int64(base, at + slotsAt + (field << 3));
    }

    /** Overwrites a number in place. */
    void displayName(int field, long value) {
        Words.int64(base, at + slotsAt + (field << 3), value);
    }

    /** Overwrites a text or bytes field in place with one that is not longer. */
    void overwrite(int field, Slice value) {
        System.arraycopy(value.base(), value.at(), base, variableAt(field), value.length());
        displayName(field, (long) value.length() << 32 | (int) displayName(field));
    }

    /** Marks a field in place as not null. */
    void present(int field) {
        int nullsAt = at + RecordType.NULLS_AT + 4 * (field >> 5);
        Words.int32(base, nullsAt, Words.int32(base, nullsAt) & ~(1 << field));
    }

    int variableAt(int field) {
        return at + (int) displayName(field);
    }

    int variableBytes(int field) {
        return (int) (displayName(field) >>> 32);
    }

    private void check(int field, FieldType wanted) {
        if (type.type(field) != wanted) {
            throw type.mismatch(field, wanted.toString());
        }
    }

    /** For messages and tests: (7, null, apple). */
    @Override
    public String toString() {
        StringJoiner joiner = new StringJoiner(", ", "(", ")");
        for (int i = 0; i < type.size(); i++) {
            joiner.add(shown(i));
        }
        return joiner.toString();
    }

    /** A value for messages. */
    String shown(int field) {
        if (isNull(field)) {
            return "null";
        }
        return switch (type.type(field)) {
            case BOOLEAN -> Boolean.toString(bool(field));
            case INT32, INT64 -> Long.toString(int64(field));
            case FLOAT64 -> Double.toString(float64(field));
            case TEXT -> text(field);
            case BYTES -> Arrays.toString(bytes(field));
        };
    }
}

package petrichor.jobs.records;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Writes records, one at a time, to a reused buffer. Between {@link #start()} and {@link #finish()}
 * fields are set in any order; a field that is not set is null. Belongs to one thread.
 *
 * <p>A number minus zero is stored as zero, and every NaN in the same form, so that equal values
 * have equal bytes.
 */
public final class RecordBuilder {
    /** Maximum record size: larger data belongs in a file, with its name in the record. */
    public static final int RECORD_BYTES_MAX = 16 << 20;

    private static final int SHORT_BYTES = 16;

    private final RecordType type;
    private final RecordConsumer consumer;
    private final RecordView view;
    private final int slotsAt;
    private final int fixedBytes;
    private byte[] buffer;
    private int end;

    /** Receives records from {@link #emit()}; the view is valid during the call. */
    @FunctionalInterface
    public interface RecordConsumer {
        void accept(RecordView record);
    }

    /** A builder whose records are taken with {@link #finish()}. */
    public RecordBuilder(RecordType type) {
        this(
                type,
                _ -> {
                    throw new IllegalStateException("this builder's records are taken by finish()");
                });
    }

    /** A builder whose records are passed on by {@link #emit()}. */
    public RecordBuilder(RecordType type, RecordConsumer consumer) {
        this.type = type;
        this.consumer = consumer;
        this.view = new RecordView(type);
        this.slotsAt = type.slotsAt();
        this.fixedBytes = type.fixedBytes();
        this.buffer = new byte[fixedBytes + 256];
        start();
    }

    public RecordType type() {
        return type;
    }

    /** Discards the previous record; all fields are null. */
    public RecordBuilder start() {
        for (int at = RecordType.NULLS_AT; at < slotsAt; at += 4) {
            Words.int32(buffer, at, -1);
        }
        for (int at = slotsAt; at < fixedBytes; at += 8) {
            Words.int64(buffer, at, 0);
        }
        end = fixedBytes;
        return this;
    }

    public RecordBuilder bool(int field, boolean value) {
        check(field, FieldType.BOOLEAN);
        return displayName(field, value ? 1 : 0);
    }

    public RecordBuilder int32(int field, int value) {
        check(field, FieldType.INT32);
        return displayName(field, value);
    }

    /** Sets an integer; one that does not fit into a field of 32 bits is refused. */
    public RecordBuilder int64(int field, long value) {
        if (type.type(field) != FieldType.INT64) {
            if (type.type(field) != FieldType.INT32) {
                throw type.mismatch(field, "a whole number");
            }
            if (value != (int) value) {
                throw PetrichorException.invalid(
                        "{value} does not fit into INT32 field {name}",
                        "value",
                        value,
                        "name",
                        type.name(field));
            }
        }
        return displayName(field, value);
    }

    public RecordBuilder float64(int field, double value) {
        check(field, FieldType.FLOAT64);
        return displayName(field, Double.doubleToLongBits(value + 0.0));
    }

    public RecordBuilder text(int field, CharSequence value) {
        check(field, FieldType.TEXT);
        if (value == null) {
            throw PetrichorException.invalid(
                    "the text of field {name} is null; use setNull", "name", type.name(field));
        }
        byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
        return variable(field, bytes, 0, bytes.length);
    }

    /** Copies a text or bytes field from a slice. */
    public RecordBuilder text(int field, Slice value) {
        return bytes(field, value.base(), value.at(), value.length());
    }

    /** Sets a text (UTF-8, not checked) or bytes field. */
    public RecordBuilder bytes(int field, byte[] value) {
        if (value == null) {
            throw PetrichorException.invalid(
                    "the bytes of field {name} are null; use setNull", "name", type.name(field));
        }
        return bytes(field, value, 0, value.length);
    }

    /** Sets a text (UTF-8, not checked) or bytes field from a part of an array. */
    public RecordBuilder bytes(int field, byte[] base, int at, int length) {
        if (!type.type(field).isVariable()) {
            throw type.mismatch(field, "bytes");
        }
        return variable(field, base, at, length);
    }

    public RecordBuilder setNull(int field) {
        int nullsAt = RecordType.NULLS_AT + 4 * (field >> 5);
        Words.int32(buffer, nullsAt, Words.int32(buffer, nullsAt) | 1 << field);
        Words.int64(buffer, slotsAt + (field << 3), 0);
        return this;
    }

    /** Copies a field of another record; both must have the same type. */
    public RecordBuilder copy(int field, RecordView from, int fromField) {
        FieldType wanted = type.type(field);
        if (from.type().type(fromField) != wanted) {
            throw type.mismatch(field, from.type().fields().get(fromField).toString());
        }
        if (from.isNull(fromField)) {
            return setNull(field);
        }
        return wanted.isVariable()
                ? variable(
                        field,
                        from.base(),
                        from.variableAt(fromField),
                        from.variableBytes(fromField))
                : displayName(field, from.displayName(fromField));
    }

    /** Copies all fields of a record of the same type; fields can be overwritten afterwards. */
    public RecordBuilder copy(RecordView from) {
        if (!from.type().equals(type)) {
            throw PetrichorException.invalid(
                    "a record of {type} cannot be copied into one of {targetType}",
                    "type",
                    from.type(),
                    "targetType",
                    type);
        }
        int length = from.bytes();
        ensureCapacity(length);
        from.copyTo(buffer, 0);
        end = length;
        return this;
    }

    /** Ends the record. The view stays valid until {@link #start()}. */
    public RecordView finish() {
        Words.int32(buffer, 0, end);
        return view.at(buffer, 0);
    }

    /** Ends the record and passes it on. */
    public void emit() {
        consumer.accept(finish());
    }

    private RecordBuilder displayName(int field, long value) {
        Words.int64(buffer, slotsAt + (field << 3), value);
        present(field);
        return this;
    }

    private RecordBuilder variable(int field, byte[] base, int at, int length) {
        int begin = end;
        if (length <= SHORT_BYTES
                && at + SHORT_BYTES <= base.length
                && begin + SHORT_BYTES <= buffer.length) {
            // Most texts are single words: two moves are cheaper than a call that handles any
            // length.
            Words.int64(buffer, begin, Words.int64(base, at));
            Words.int64(buffer, begin + 8, Words.int64(base, at + 8));
        } else {
            ensureCapacity(begin + length);
            System.arraycopy(base, at, buffer, begin, length);
        }
        end = begin + length;
        Words.int64(buffer, slotsAt + (field << 3), (long) length << 32 | begin);
        present(field);
        return this;
    }

    private void present(int field) {
        int nullsAt = RecordType.NULLS_AT + 4 * (field >> 5);
        Words.int32(buffer, nullsAt, Words.int32(buffer, nullsAt) & ~(1 << field));
    }

    private void ensureCapacity(int wanted) {
        if (wanted > buffer.length) {
            if (wanted > RECORD_BYTES_MAX) {
                throw PetrichorException.of(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "a record of {bytes} bytes exceeds the limit of "
                                + RECORD_BYTES_MAX
                                + "; split it",
                        "bytes",
                        wanted);
            }
            buffer =
                    Arrays.copyOf(
                            buffer,
                            Math.min(RECORD_BYTES_MAX, Math.max(wanted, buffer.length * 2)));
        }
    }

    private void check(int field, FieldType wanted) {
        if (type.type(field) != wanted) {
            throw type.mismatch(field, wanted.toString());
        }
    }
}

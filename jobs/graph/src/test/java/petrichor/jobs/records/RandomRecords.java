package petrichor.jobs.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Records of random types and values from a seed; small ranges, to produce ties and nulls. */
final class RandomRecords {
    /** Replay with -Dseed=. */
    static final long SEED = Long.getLong("seed", System.nanoTime());

    private static final String[] TEXTS = {
        "",
        "a",
        "a\0",
        "ab",
        "abcdefg",
        "abcdefgh",
        "abcdefgha",
        "abcdefghb",
        "é",
        "zz",
        "\uD83D\uDE00"
    };
    private static final long[] LONGS = {
        0, 1, -1, 42, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE
    };
    private static final double[] DOUBLES = {
        0, -0.0, 1.5, -1.5, Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1e-300
    };

    private static final List<FieldType> TYPES = List.of(FieldType.values());

    private final Random random;

    RandomRecords(long seed) {
        random = new Random(seed);
    }

    RecordType type(int fields) {
        List<Field> list = new ArrayList<>();
        for (int i = 0; i < fields; i++) {
            list.add(new Field("f" + i, TYPES.get(random.nextInt(TYPES.size()))));
        }
        return RecordType.of(list);
    }

    Key key(RecordType type) {
        List<Integer> fields = new ArrayList<>();
        for (int i = 0; i < type.size(); i++) {
            fields.add(i);
        }
        java.util.Collections.shuffle(fields, random);
        int size = 1 + random.nextInt(type.size());
        return new Key(
                fields.subList(0, size).stream()
                        .map(
                                f ->
                                        new Key.Part(
                                                f,
                                                random.nextBoolean()
                                                        ? Order.ASCENDING
                                                        : Order.DESCENDING))
                        .toList());
    }

    List<Object> values(RecordType type) {
        List<Object> values = new ArrayList<>();
        for (Field field : type.fields()) {
            values.add(random.nextInt(5) == 0 ? Null.NULL : value(field.type()));
        }
        return values;
    }

    private Object value(FieldType type) {
        return switch (type) {
            case BOOLEAN -> random.nextBoolean();
            case INT32 -> (int) LONGS[random.nextInt(LONGS.length)];
            case INT64 -> LONGS[random.nextInt(LONGS.length)];
            case FLOAT64 -> DOUBLES[random.nextInt(DOUBLES.length)];
            case TEXT -> TEXTS[random.nextInt(TEXTS.length)];
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(12)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) (random.nextInt(3) - 1);
                }
                yield bytes;
            }
        };
    }

    static RecordView record(RecordType type, List<Object> values) {
        RecordBuilder builder = new RecordBuilder(type);
        for (int i = 0; i < values.size(); i++) {
            switch (values.get(i)) {
                case Null _ -> builder.setNull(i);
                case Boolean v -> builder.bool(i, v);
                case Integer v -> builder.int32(i, v);
                case Long v -> builder.int64(i, v);
                case Double v -> builder.float64(i, v);
                case String v -> builder.text(i, v);
                case byte[] v -> builder.bytes(i, v);
                case Object v -> throw new IllegalStateException(v.toString());
            }
        }
        return builder.finish().copy();
    }

    /** Represents null in lists, which cannot contain it. */
    enum Null {
        NULL
    }
}

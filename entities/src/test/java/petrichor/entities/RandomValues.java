package petrichor.entities;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.type.LatLng;
import java.util.List;
import java.util.Random;

/**
 * Random values and keys, biased towards edge cases: extremes, zeros, empty and zero-filled
 * strings.
 */
final class RandomValues {
    private static final List<String> STRINGS =
            List.of(
                    "",
                    "\0",
                    "\0\0",
                    "\0\u0001",
                    "a",
                    "a\0",
                    "a\0b",
                    "ab",
                    "\uFFFF",
                    "\uD83D\uDE00",
                    "z");
    private static final double[] DOUBLES = {
        Double.NaN,
        Double.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        -1.5,
        -Double.MIN_VALUE,
        -0.0,
        0.0,
        Double.MIN_VALUE,
        1.5,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY
    };
    private static final long[] LONGS = {
        Long.MIN_VALUE, -256, -255, -1, 0, 1, 255, 256, Long.MAX_VALUE
    };

    private final Random random;

    RandomValues(Random random) {
        this.random = random;
    }

    Value value() {
        Value.Builder value = Value.newBuilder();
        return switch (random.nextInt(9)) {
            case 0 -> value.setNullValue(NullValue.NULL_VALUE).build();
            case 1 -> value.setIntegerValue(number()).build();
            case 2 ->
                    value.setTimestampValue(
                                    Timestamp.newBuilder()
                                            .setSeconds(random.nextInt(-3, 4))
                                            .setNanos(random.nextInt(1_000_000) * 1000))
                            .build();
            case 3 -> value.setBooleanValue(random.nextBoolean()).build();
            case 4 -> value.setStringValue(string()).build();
            case 5 -> value.setBlobValue(ByteString.copyFrom(blob())).build();
            case 6 -> value.setDoubleValue(real()).build();
            case 7 ->
                    value.setGeoPointValue(
                                    LatLng.newBuilder().setLatitude(real()).setLongitude(real()))
                            .build();
            default -> value.setKeyValue(key()).build();
        };
    }

    long number() {
        return random.nextBoolean() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
    }

    double real() {
        return random.nextBoolean()
                ? DOUBLES[random.nextInt(DOUBLES.length)]
                : random.nextGaussian() * 100;
    }

    String string() {
        return STRINGS.get(random.nextInt(STRINGS.size()));
    }

    private byte[] blob() {
        byte[] bytes = new byte[random.nextInt(4)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(4) - 1);
        }
        return bytes;
    }

    Key key() {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder()
                .setProjectId("p")
                .setNamespaceId(random.nextBoolean() ? "" : "n" + string());
        int depth = 1 + random.nextInt(3);
        for (int i = 0; i < depth; i++) {
            Key.PathElement.Builder element = key.addPathBuilder();
            element.setKind("K" + string());
            if (random.nextBoolean()) {
                element.setId(1 + (random.nextLong() >>> random.nextInt(1, 63)));
            } else {
                element.setName("n" + string());
            }
        }
        return key.build();
    }
}

package petrichor.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

/** Key comparison against a plain comparison of the values, on random types, values and keys. */
class KeyOrderTest {
    @Test
    void ordersHashesAndPrefixesAgreeWithThePlainValues() {
        RandomRecords random = new RandomRecords(RandomRecords.SEED);
        for (int round = 0; round < 300; round++) {
            RecordType type = random.type(1 + round % 5);
            Key key = random.key(type);
            KeyOrder order = KeyOrder.of(key, type);
            KeyHash hash = KeyHash.of(key, type);
            KeyPrefix prefix = KeyPrefix.of(key, type);
            for (int pair = 0; pair < 60; pair++) {
                List<Object> leftValues = random.values(type);
                List<Object> rightValues = random.values(type);
                RecordView left = RandomRecords.record(type, leftValues);
                RecordView right = RandomRecords.record(type, rightValues);
                int expected = plain(key, leftValues, rightValues);
                String what = "seed " + RandomRecords.SEED + ": " + key + " " + left + " " + right;
                assertThat(Integer.signum(order.compare(left, right))).as(what).isEqualTo(expected);
                assertThat(order.equal(left, right)).as(what).isEqualTo(expected == 0);
                int prefixes = Long.compareUnsigned(prefix.of(left), prefix.of(right));
                if (prefixes != 0) {
                    assertThat(Integer.signum(prefixes)).as(what).isEqualTo(expected);
                } else if (prefix.decides(prefix.of(left))) {
                    assertThat(expected).as(what).isZero();
                }
                if (expected == 0) {
                    assertThat(hash.hash(left)).as(what).isEqualTo(hash.hash(right));
                }
            }
        }
    }

    @Test
    void integersOfBothWidthsJoin() {
        RecordType narrow = RecordType.of(Field.int32("a"));
        RecordType wide = RecordType.of(Field.text("x"), Field.int64("b"));
        RecordView left = new RecordBuilder(narrow).int32(0, -7).finish();
        RecordView right = new RecordBuilder(wide).text(0, "z").int64(1, -7).finish();
        assertThat(KeyOrder.of(Key.of(0), narrow, Key.of(1), wide).equal(left, right)).isTrue();
        assertThat(KeyHash.of(Key.of(0), narrow).hash(left))
                .isEqualTo(KeyHash.of(Key.of(1), wide).hash(right));
        assertThatThrownBy(() -> KeyOrder.of(Key.of(0), narrow, Key.of(0), wide))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("cannot be compared");
    }

    @Test
    void aPrefixOfASingleNumberIsDecisive() {
        RecordType type = RecordType.of(Field.int64("n"));
        KeyPrefix prefix = KeyPrefix.of(Key.of(0), type);
        assertThat(prefix.decides(prefix.of(new RecordBuilder(type).int64(0, 5).finish())))
                .isTrue();
        assertThat(prefix.decides(prefix.of(new RecordBuilder(type).finish()))).isFalse();
    }

    @Test
    void hashesSpreadOverPartitionsAndSlots() {
        RecordType type = RecordType.of(Field.int64("n"));
        KeyHash hash = KeyHash.of(Key.of(0), type);
        RecordBuilder builder = new RecordBuilder(type);
        int[] partitions = new int[7];
        int[] slots = new int[64];
        for (int i = 0; i < 70_000; i++) {
            long h = hash.hash(builder.start().int64(0, i).finish());
            partitions[KeyHash.partition(h, 7)]++;
            slots[(int) (h & 63)]++;
        }
        assertThat(Arrays.stream(partitions).max().orElseThrow()).isLessThan(10_500);
        assertThat(Arrays.stream(slots).max().orElseThrow()).isLessThan(1_400);
    }

    private static int plain(Key key, List<Object> left, List<Object> right) {
        for (Key.Part part : key.parts()) {
            int order = plain(left.get(part.field()), right.get(part.field()));
            if (order != 0) {
                return part.order() == Order.DESCENDING ? -order : order;
            }
        }
        return 0;
    }

    private static int plain(Object left, Object right) {
        if (left == RandomRecords.Null.NULL || right == RandomRecords.Null.NULL) {
            return Boolean.compare(
                    right == RandomRecords.Null.NULL, left == RandomRecords.Null.NULL);
        }
        return switch (left) {
            case Boolean v -> v.compareTo((Boolean) right);
            case Integer v -> v.compareTo((Integer) right);
            case Long v -> v.compareTo((Long) right);
            case Double v -> Double.valueOf(v + 0.0).compareTo((Double) right + 0.0);
            case String v ->
                    Integer.signum(
                            Arrays.compareUnsigned(
                                    v.getBytes(StandardCharsets.UTF_8),
                                    ((String) right).getBytes(StandardCharsets.UTF_8)));
            case byte[] v -> Integer.signum(Arrays.compareUnsigned(v, (byte[]) right));
            case Object v -> throw new IllegalStateException(v.toString());
        };
    }
}

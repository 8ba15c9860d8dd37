package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Value;
import com.google.protobuf.Timestamp;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

class ValueCodecTest {
    private final long seed = Seeds.seed();
    private final RandomValues values = new RandomValues(new Random(seed));

    @Test
    void byteOrderIsTheDocumentedOrderAndDescendingItsReverse() {
        for (int i = 0; i < 50_000; i++) {
            Value left = values.value();
            Value right = values.value();
            int documented = Integer.signum(DocumentedOrder.compare(left, right));
            int ascending = compare(left, right, SortOrder.ASCENDING);
            int descending = compare(left, right, SortOrder.DESCENDING);
            if (documented != 0) {
                assertThat(ascending)
                        .as("seed %d: %s against %s", seed, left, right)
                        .isEqualTo(documented);
            } else {
                assertThat(ascending == 0)
                        .as("seed %d: %s against %s", seed, left, right)
                        .isEqualTo(left.getValueTypeCase() == right.getValueTypeCase());
            }
            assertThat(descending)
                    .as("seed %d: %s against %s", seed, left, right)
                    .isEqualTo(-ascending);
        }
    }

    @Test
    void decodingRestoresTheValueWithItsType() {
        for (int i = 0; i < 20_000; i++) {
            Value value = values.value();
            for (SortOrder order : SortOrder.values()) {
                byte[] encoded =
                        Bytes.concat(
                                new byte[] {7}, ValueCodec.encode(value, order), new byte[] {9});
                assertThat(ValueCodec.decode(encoded, 1, order))
                        .as("seed %d, %s", seed, order)
                        .isEqualTo(indexed(value));
                assertThat(ValueCodec.skip(encoded, 1, order))
                        .as("seed %d, %s: %s", seed, order, value)
                        .isEqualTo(encoded.length - 1);
            }
        }
    }

    @Test
    void timestampsAreRoundedDownToMicroseconds() {
        Value value =
                Value.newBuilder()
                        .setTimestampValue(Timestamp.newBuilder().setSeconds(-2).setNanos(1_999))
                        .build();
        assertThat(
                        ValueCodec.decode(
                                ValueCodec.encode(value, SortOrder.ASCENDING),
                                0,
                                SortOrder.ASCENDING))
                .isEqualTo(
                        Value.newBuilder()
                                .setTimestampValue(
                                        Timestamp.newBuilder().setSeconds(-2).setNanos(1_000))
                                .build());
    }

    @Test
    void arraysAreNotOrdered() {
        Value array = Value.newBuilder().setArrayValue(ArrayValue.getDefaultInstance()).build();
        assertThatThrownBy(() -> ValueCodec.encode(array, SortOrder.ASCENDING))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("array");
    }

    private static int compare(Value left, Value right, SortOrder order) {
        return Integer.signum(
                Bytes.compare(ValueCodec.encode(left, order), ValueCodec.encode(right, order)));
    }

    /** Zeros lose their sign, and all NaNs are the same. */
    private static Value indexed(Value value) {
        Value.Builder indexed = value.toBuilder();
        if (value.hasDoubleValue()) {
            indexed.setDoubleValue(value.getDoubleValue() + 0.0);
        }
        if (value.hasGeoPointValue()) {
            indexed.getGeoPointValueBuilder()
                    .setLatitude(value.getGeoPointValue().getLatitude() + 0.0)
                    .setLongitude(value.getGeoPointValue().getLongitude() + 0.0);
        }
        return indexed.build();
    }
}

package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class ProtoScanTest {
    private static final RequestShape COMMIT = RequestShape.of(CommitRequest.getDescriptor());

    @Test
    void emptyValuesOfTwoBytesCountAsTheObjectsTheyBecome() {
        ArrayValue.Builder array = ArrayValue.newBuilder();
        for (int i = 0; i < 100_000; i++) {
            array.addValues(Value.getDefaultInstance());
        }
        RequestMeasure measured = measure(put(Value.newBuilder().setArrayValue(array).build()));
        assertThat(measured.bytes()).isLessThan(201_000);
        assertThat(measured.elements()).isGreaterThanOrEqualTo(100_000);
        assertThat(measured.protoMemory()).isGreaterThan(100_000 * 56);
    }

    @Test
    void aLargeBlobTakesLittleMoreThanItsBytes() {
        Value blob =
                Value.newBuilder().setBlobValue(ByteString.copyFrom(new byte[1 << 20])).build();
        RequestMeasure measured = measure(put(blob));
        assertThat(measured.protoMemory()).isBetween(2L << 20, (2L << 20) + 4_096);
    }

    @Test
    void aListOfTooManyMutationsIsRefused() {
        CommitRequest.Builder commit = CommitRequest.newBuilder();
        for (int i = 0; i <= RequestMeasure.LIST_ELEMENTS_MAX; i++) {
            commit.addMutations(Mutation.getDefaultInstance());
        }
        assertThatThrownBy(() -> measure(commit.build()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("list");
        commit.removeMutations(0);
        assertThatCode(() -> measure(commit.build())).doesNotThrowAnyException();
    }

    @Test
    void deepNestingIsRefused() {
        Value value = Value.newBuilder().setBlobValue(ByteString.copyFrom(new byte[2_000])).build();
        for (int i = 0; i < 60; i++) {
            value =
                    Value.newBuilder()
                            .setArrayValue(ArrayValue.newBuilder().addValues(value))
                            .build();
        }
        Value deep = value;
        assertThatThrownBy(() -> measure(put(deep))).hasMessageContaining("deep");
    }

    @Test
    void nonsenseIsMeasuredWithoutFailing() {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            byte[] body = new byte[2_000 + random.nextInt(2_000)];
            random.nextBytes(body);
            assertThat(ProtoScan.measure(COMMIT, body).bytes()).isEqualTo(body.length);
        }
    }

    private static CommitRequest put(Value value) {
        return CommitRequest.newBuilder()
                .addMutations(
                        Mutation.newBuilder()
                                .setUpsert(Entity.newBuilder().putProperties("a", value)))
                .build();
    }

    private static RequestMeasure measure(CommitRequest request) {
        return ProtoScan.measure(COMMIT, request.toByteArray());
    }
}

package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** Short ways to say what the tests here say often. */
final class Rows {
    static final String TABLE = "rows";

    private Rows() {}

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static WriteBatch put(String key, String value) {
        return new WriteBatch().put(TABLE, bytes(key), bytes(value));
    }

    static @Nullable String value(KeyValueStore store, String key) {
        byte[] value = store.get(TABLE, bytes(key));
        return value == null ? null : new String(value, UTF_8);
    }

    static DurableStep.ConditionalRow step(KeyValueStore store) {
        return (DurableStep.ConditionalRow) store.durableStep();
    }

    /** The text of the failure, which has this code and one line. */
    static String failure(ErrorCode code, ThrowingCallable call) {
        PetrichorException failure = catchThrowableOfType(PetrichorException.class, call);
        assertThat(failure).as("a failure").isNotNull();
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
        assertThat(failure.getMessage()).doesNotContain("\n");
        return String.valueOf(failure.getMessage());
    }
}

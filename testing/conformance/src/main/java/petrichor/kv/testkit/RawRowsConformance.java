package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import petrichor.kv.RawRows;

/** Conformance of {@link RawRows}. */
public interface RawRowsConformance {
    int RAW_VALUE_BYTES = 100_000;

    /** The same place each time. */
    RawRows openRaw();

    @Test
    default void rawRowsHaveTheirLastValue() {
        byte[] large = new byte[RAW_VALUE_BYTES];
        Arrays.fill(large, (byte) 0xFF);
        byte[][] keys = {{0}, {0, 0}, {(byte) 0xFF, 0x27, 0x5C}, {0x72, 0x6F, 0x77}};
        try (RawRows rows = openRaw()) {
            for (byte[] key : keys) {
                assertThat(rows.get(key)).isNull();
                rows.put(key, new byte[] {1});
                rows.put(key, large);
            }
            for (byte[] key : keys) {
                assertThat(rows.get(key)).isEqualTo(large);
            }
        }
    }

    @Test
    default void rawRowsAreRemovedWhenClosed() {
        try (RawRows rows = openRaw()) {
            rows.put(new byte[] {7}, new byte[] {8});
        }
        try (RawRows again = openRaw()) {
            assertThat(again.get(new byte[] {7})).isNull();
        }
    }
}

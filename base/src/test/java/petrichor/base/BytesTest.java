package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BytesTest {
    @Test
    void keysThatDifferInAFewBytesHaveManyHashes() {
        int keys = 20_000;
        for (int length = 8; length < 48; length++) {
            Set<Integer> hashes = new HashSet<>();
            for (int i = 0; i < keys; i++) {
                hashes.add(Bytes.of(numbered(length, i)).hashCode());
            }
            assertThat(hashes).as("%d bytes", length).hasSizeGreaterThan(keys * 99 / 100);
        }
    }

    @Test
    void equalBytesHaveEqualHashes() {
        for (int length = 0; length < 40; length++) {
            byte[] bytes = new byte[length];
            assertThat(Bytes.of(bytes)).isEqualTo(Bytes.of(bytes.clone()));
            assertThat(Bytes.of(bytes).hashCode()).isEqualTo(Bytes.of(bytes.clone()).hashCode());
        }
    }

    private static byte[] numbered(int length, int number) {
        byte[] key = new byte[length];
        ByteBuffer.wrap(key, length - Integer.BYTES, Integer.BYTES).putInt(number);
        return key;
    }
}

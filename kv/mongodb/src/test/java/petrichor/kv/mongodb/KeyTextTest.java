package petrichor.kv.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import petrichor.kv.testkit.Seeds;

/** Encoding of keys as text that sorts like the keys. */
class KeyTextTest {
    private static final int SEEDS = 20_000;

    @Test
    void textSortsAsItsKeyAndIsReadBack() {
        Seeds.each(
                SEEDS,
                random -> {
                    byte[] one = random.nextBoolean() ? Seeds.key(random) : Seeds.bytes(random, 9);
                    byte[] other =
                            random.nextBoolean()
                                    ? Seeds.key(random)
                                    : Arrays.copyOf(one, random.nextInt(one.length + 4));
                    byte[] oneText = KeyText.of(one).getBytes(UTF_8);
                    byte[] otherText = KeyText.of(other).getBytes(UTF_8);
                    assertThat(Integer.signum(Arrays.compareUnsigned(oneText, otherText)))
                            .isEqualTo(Integer.signum(Arrays.compareUnsigned(one, other)));
                    assertThat(KeyText.key(KeyText.of(one))).isEqualTo(one);
                });
    }

    @Test
    void textIsOneThirdLongerThanTheKey() {
        assertThat(KeyText.of(new byte[300])).hasSize(400);
        assertThat(KeyText.of(new byte[0])).isEmpty();
    }

    @Test
    void invalidTextIsRefused() {
        assertThatThrownBy(() -> KeyText.key("a b")).hasMessageContaining("_id");
        assertThatThrownBy(() -> KeyText.key("é")).hasMessageContaining("_id");
    }
}

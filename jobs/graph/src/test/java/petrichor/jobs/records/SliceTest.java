package petrichor.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class SliceTest {
    @Test
    void numbersReadAsTheJdkReadsThem() {
        Random random = new Random(RandomRecords.SEED);
        for (int i = 0; i < 20_000; i++) {
            long whole = random.nextLong() >> random.nextInt(64);
            assertThat(Slice.of(Long.toString(whole)).parseInt64()).isEqualTo(whole);
            int scale = random.nextInt(5);
            String decimal = BigDecimal.valueOf(whole, scale).toPlainString();
            assertThat(Slice.of(decimal).parseFloat64())
                    .as(decimal)
                    .isEqualTo(Double.valueOf(decimal));
            if (scale > 0) {
                assertThat(Slice.of(decimal).parseDecimal(scale)).isEqualTo(whole);
            }
            double floating = Double.longBitsToDouble(random.nextLong());
            assertThat(Slice.of(Double.toString(floating)).parseFloat64())
                    .isEqualTo(Double.valueOf(floating));
        }
        assertThat(Slice.of("+5").parseInt64()).isEqualTo(5);
        assertThat(Slice.of("-0.5").parseDecimal(2)).isEqualTo(-50);
    }

    @Test
    void invalidNumbersAreRefusedWithTheirText() {
        for (String text :
                new String[] {
                    "",
                    "-",
                    "1x",
                    "9223372036854775808",
                    "-9223372036854775809",
                    "1.5",
                    "12:",
                    "1234567/",
                    "\u00b2"
                }) {
            assertThatThrownBy(() -> Slice.of(text).parseInt64())
                    .as(text)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("'" + text + "'");
        }
        assertThatThrownBy(() -> Slice.of("1.234").parseDecimal(2)).hasMessageContaining("1.234");
        for (String text : new String[] {"", ".", "abc", "1.2.3", "12:4", "1-2"}) {
            assertThatThrownBy(() -> Slice.of(text).parseFloat64())
                    .as(text)
                    .hasMessageContaining("'" + text + "'");
        }
        assertThat(Slice.of("5.").parseFloat64()).isEqualTo(5);
        assertThat(Slice.of(".25").parseFloat64()).isEqualTo(0.25);
    }

    @Test
    void slicesCompareByContentRegardlessOfPosition() {
        Random random = new Random(RandomRecords.SEED);
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = new byte[random.nextInt(30)];
            random.nextBytes(bytes);
            byte[] moved = new byte[bytes.length + random.nextInt(20)];
            random.nextBytes(moved);
            int at = moved.length - bytes.length;
            System.arraycopy(bytes, 0, moved, at, bytes.length);
            Slice left = new Slice().over(bytes, 0, bytes.length);
            Slice right = new Slice().over(moved, at, bytes.length);
            assertThat(left.equalsBytes(right)).isTrue();
            assertThat(left.compareBytes(right)).isZero();
            assertThat(left.hash()).isEqualTo(right.hash());
            if (bytes.length > 0) {
                moved[at + random.nextInt(bytes.length)]++;
                assertThat(left.equalsBytes(right)).as("seed " + RandomRecords.SEED).isFalse();
                assertThat(Integer.signum(left.compareBytes(right)))
                        .as("seed " + RandomRecords.SEED)
                        .isEqualTo(Integer.signum(Arrays.compareUnsigned(bytes, right.toBytes())));
            }
        }
    }

    @Test
    void aByteIsFoundAtItsPosition() {
        byte[] text =
                "one,two;three\u00ff,four|five six seven".getBytes(StandardCharsets.ISO_8859_1);
        for (int c = 0; c < 256; c++) {
            for (int from = 0; from <= text.length; from++) {
                int to = from + (7 * from + c) % (text.length + 1 - from);
                int expected = from;
                while (expected < to && (text[expected] & 0xFF) != c) {
                    expected++;
                }
                assertThat(Words.find(text, from, to, Words.pattern(c))).isEqualTo(expected);
            }
        }
    }
}

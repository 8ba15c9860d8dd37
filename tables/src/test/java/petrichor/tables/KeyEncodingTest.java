package petrichor.tables;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.OrderedWriter;

final class KeyEncodingTest {
    private static byte[] key(@Nullable Object value, DataType type, boolean descending) {
        OrderedWriter key = new OrderedWriter();
        KeyEncoding.put(key, value, type, descending);
        return key.toBytes();
    }

    /** Each value is before the next, also in descending order, and NULL is the highest. */
    private static void ascending(DataType type, List<?> values) {
        for (int i = 0; i < values.size(); i++) {
            for (int j = 0; j < values.size(); j++) {
                int expected = Integer.signum(Integer.compare(i, j));
                assertThat(Integer.signum(compare(values.get(i), values.get(j), type, false)))
                        .as("%s and %s", values.get(i), values.get(j))
                        .isEqualTo(expected);
                assertThat(Integer.signum(compare(values.get(i), values.get(j), type, true)))
                        .as("%s and %s, descending", values.get(i), values.get(j))
                        .isEqualTo(-expected);
            }
            assertThat(compare(values.get(i), null, type, false)).isNegative();
            assertThat(compare(values.get(i), null, type, true)).isPositive();
        }
    }

    private static int compare(
            @Nullable Object left, @Nullable Object right, DataType type, boolean descending) {
        return Bytes.compare(key(left, type, descending), key(right, type, descending));
    }

    @Test
    void numbersAreInOrder() {
        ascending(DataType.INTEGER, List.of(Integer.MIN_VALUE, -1, 0, 1, 256, Integer.MAX_VALUE));
        ascending(DataType.BIGINT, List.of(Long.MIN_VALUE, -1L, 0L, 1L, 1L << 40, Long.MAX_VALUE));
        ascending(
                DataType.DOUBLE,
                List.of(
                        Double.NEGATIVE_INFINITY,
                        -1e300,
                        -0.5,
                        0.0,
                        Double.MIN_VALUE,
                        3.25,
                        Double.POSITIVE_INFINITY,
                        Double.NaN));
        ascending(
                DataType.NUMERIC,
                List.of(
                        new BigDecimal("-1e40"),
                        new BigDecimal("-123.46"),
                        new BigDecimal("-123.45"),
                        new BigDecimal("-0.001"),
                        BigDecimal.ZERO,
                        new BigDecimal("0.001"),
                        new BigDecimal("0.01"),
                        new BigDecimal("9"),
                        new BigDecimal("10"),
                        new BigDecimal("10.5"),
                        new BigDecimal("1e40")));
    }

    @Test
    void equalNumbersHaveOneKey() {
        assertThat(key(new BigDecimal("1.50"), DataType.NUMERIC, false))
                .isEqualTo(key(new BigDecimal("1.5"), DataType.NUMERIC, false));
        assertThat(key(new BigDecimal("100"), DataType.NUMERIC, false))
                .isEqualTo(key(new BigDecimal("1e2"), DataType.NUMERIC, false));
        assertThat(key(-0.0, DataType.DOUBLE, false)).isEqualTo(key(0.0, DataType.DOUBLE, false));
    }

    @Test
    void stringsAreInTheOrderOfCodeUnits() {
        ascending(
                DataType.TEXT,
                List.of("", "\0", "a", "a\0", "aa", "b", "é", "\uD83D\uDE00", "\uFFFD"));
    }

    @Test
    void pointsInTimeAreInOrder() {
        ascending(
                DataType.DATE,
                List.of(LocalDate.of(-5, 1, 1), LocalDate.of(1969, 12, 31), LocalDate.EPOCH));
        ascending(
                DataType.TIMESTAMP,
                List.of(
                        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1),
                        LocalDateTime.of(1970, 1, 1, 0, 0),
                        LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1)));
        OffsetDateTime noon = OffsetDateTime.of(2026, 1, 1, 12, 0, 0, 0, ZoneOffset.UTC);
        assertThat(key(noon, DataType.TIMESTAMPTZ, false))
                .isEqualTo(
                        key(
                                noon.withOffsetSameInstant(ZoneOffset.ofHours(5)),
                                DataType.TIMESTAMPTZ,
                                false));
    }
}

package petrichor.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import org.junit.jupiter.api.Test;

final class ValueTextTest {
    @Test
    void bindingTypesAreInferred() {
        assertThat(ValueText.parse("17").getIntegerValue()).isEqualTo(17);
        assertThat(ValueText.parse("-1.5e3").getDoubleValue()).isEqualTo(-1500);
        assertThat(ValueText.parse("true").getBooleanValue()).isTrue();
        assertThat(ValueText.parse("null").hasNullValue()).isTrue();
        assertThat(ValueText.parse("2026-01-31T12:00:00Z").getTimestampValue().getSeconds())
                .isEqualTo(1_769_860_800L);
        assertThat(ValueText.parse("PT").getStringValue()).isEqualTo("PT");
    }

    @Test
    void quotesMakeATextOfAnything() {
        assertThat(ValueText.parse("\"0815\"").getStringValue()).isEqualTo("0815");
        assertThat(ValueText.parse("\"true\"").getStringValue()).isEqualTo("true");
        assertThat(ValueText.parse("\"").getStringValue()).isEqualTo("\"");
    }

    @Test
    void aNumberTooLongForAnIntegerIsADouble() {
        assertThat(ValueText.parse("12345678901234567890").getDoubleValue())
                .isEqualTo(1.2345678901234567E19);
    }

    @Test
    void keysReadAsPaths() {
        Key key =
                Key.newBuilder()
                        .addPath(Key.PathElement.newBuilder().setKind("Country").setName("PT"))
                        .addPath(Key.PathElement.newBuilder().setKind("City").setId(17))
                        .build();
        assertThat(ValueText.of(key)).isEqualTo("Country:\"PT\"/City:17");
        Value list =
                Value.newBuilder()
                        .setArrayValue(
                                ArrayValue.newBuilder()
                                        .addValues(Value.newBuilder().setKeyValue(key))
                                        .addValues(Value.newBuilder().setIntegerValue(2)))
                        .build();
        assertThat(ValueText.of(list)).isEqualTo("[Country:\"PT\"/City:17, 2]");
    }
}

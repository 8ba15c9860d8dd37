package petrichor.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing of store addresses. */
class StoreUrlTest {
    @Test
    void partsAreParsed() {
        StoreUrl url = StoreUrl.parse("cassandra://me:p%40ss+word@a:9042,b/shop?timeout=5s&dc=x");
        assertThat(url.scheme()).isEqualTo("cassandra");
        assertThat(url.user()).contains("me");
        assertThat(url.password()).contains("p@ss+word");
        assertThat(url.nodes()).hasSize(2);
        assertThat(url.nodes().get(0).portOr(1)).isEqualTo(9042);
        assertThat(url.nodes().get(1).portOr(1)).isEqualTo(1);
        assertThat(url.name()).isEqualTo("shop");
        assertThat(url.option("timeout", "1s")).isEqualTo("5s");
        assertThat(url.option("other", "1s")).isEqualTo("1s");
    }

    @Test
    void passwordIsNotPrinted() {
        StoreUrl url = StoreUrl.parse("postgresql://me:secret@localhost:5432/shop");
        assertThat(url).hasToString("postgresql://me@localhost:5432/shop");
    }

    @Test
    void hostAloneSuffices() {
        StoreUrl url = StoreUrl.parse("redis://[::1]:6379");
        assertThat(url.nodes().getFirst().host()).isEqualTo("[::1]");
        assertThat(url.name()).isEmpty();
        assertThat(url.user()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cassandra",
                "cassandra:/x",
                "cassandra://",
                "redis://a:0/x",
                "redis://a:65536",
                "redis://a:b",
                "redis://a,,b",
                "redis://a/x?y",
                "redis://a/x?=y",
                "redis://a/%zz"
            })
    void nonsenseIsRefused(String text) {
        assertThatThrownBy(() -> StoreUrl.parse(text)).hasMessageContaining("address");
    }

    @Test
    void unknownOptionIsRefusedByName() {
        StoreUrl url = StoreUrl.parse("redis://a/x?timout=5s");
        assertThatThrownBy(() -> url.requireOptions(Set.of("timeout")))
                .hasMessageContaining("'timout'")
                .hasMessageContaining("timeout");
    }

    @Test
    void timesHaveAUnit() {
        Duration standard = Duration.ofSeconds(7);
        StoreUrl url = StoreUrl.parse("redis://a/x?short=500ms&long=2m&zero=0s&bare=5");
        assertThat(url.duration("short", standard)).isEqualTo(Duration.ofMillis(500));
        assertThat(url.duration("long", standard)).isEqualTo(Duration.ofMinutes(2));
        assertThat(url.duration("absent", standard)).isEqualTo(standard);
        for (String nonsense : List.of("zero", "bare")) {
            assertThatThrownBy(() -> url.duration(nonsense, standard))
                    .hasMessageContaining("'" + nonsense + "'");
        }
    }
}

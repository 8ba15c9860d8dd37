package petrichor.frontends.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.frontends.http.ByteRange;

class RangesTest {
    @Test
    void wantedBytes() {
        assertThat(ByteRange.of("bytes=0-0", 10)).isEqualTo(new ByteRange.Some(0, 1));
        assertThat(ByteRange.of("bytes=2-99", 10)).isEqualTo(new ByteRange.Some(2, 10));
        assertThat(ByteRange.of("bytes=9-", 10)).isEqualTo(new ByteRange.Some(9, 10));
        assertThat(ByteRange.of("bytes=-3", 10)).isEqualTo(new ByteRange.Some(7, 10));
        assertThat(ByteRange.of("bytes=-30", 10)).isEqualTo(new ByteRange.Some(0, 10));
        assertThat(ByteRange.of("bytes=10-", 10)).isEqualTo(new ByteRange.Nothing());
        assertThat(ByteRange.of("bytes=-0", 10)).isEqualTo(new ByteRange.Nothing());
        assertThat(ByteRange.of("bytes=0-", 0)).isEqualTo(new ByteRange.Nothing());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bytes=",
                "bytes=-",
                "bytes=5-2",
                "bytes=0-1,3-4",
                "lines=1-2",
                "bytes=x"
            })
    void otherRangesAreIgnored(String header) {
        assertThat(ByteRange.of(header, 10)).isEqualTo(new ByteRange.All());
    }

    @Test
    void sentBytes() {
        assertThat(ContentRange.of("")).isEqualTo(ContentRange.WHOLE);
        assertThat(ContentRange.of("bytes 0-4/10")).isEqualTo(new ContentRange(0, 5L, 10L));
        assertThat(ContentRange.of("bytes 5-9/*")).isEqualTo(new ContentRange(5, 5L, null));
        assertThat(ContentRange.of("bytes 5-*/*")).isEqualTo(new ContentRange(5, null, null));
        assertThat(ContentRange.of("bytes 5-*/10")).isEqualTo(new ContentRange(5, null, 10L));
        assertThat(ContentRange.of("bytes */10")).isEqualTo(new ContentRange(0, 0L, 10L));
        assertThat(ContentRange.of("bytes */*")).isEqualTo(new ContentRange(0, 0L, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes 5-4/10", "bytes 0-10/10", "bytes 0-1", "0-1/2", "bytes -1/2"})
    void contradictionsAreRefused(String header) {
        assertThatThrownBy(() -> ContentRange.of(header)).hasMessageContaining("Content-Range");
    }
}

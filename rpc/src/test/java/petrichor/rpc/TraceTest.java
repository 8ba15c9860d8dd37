package petrichor.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceTest {
    private static final String ID = "0af7651916cd43dd8448eb211c80319c";

    @Test
    void aTraceIsContinuedWithANewSpan() {
        Trace trace = Trace.of("00-" + ID + "-b7ad6b7169203331-01");
        assertThat(trace.received()).isTrue();
        assertThat(trace.traceId()).isEqualTo(ID);
        assertThat(trace.traceparent())
                .matches("00-" + ID + "-[0-9a-f]{16}-01")
                .doesNotContain("b7ad6b7169203331");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"
            })
    void aMalformedHeaderBeginsANewTrace(String header) {
        Trace trace = Trace.of(header);
        assertThat(trace.received()).isFalse();
        assertThat(trace.traceId()).matches("[0-9a-f]{32}").isNotEqualTo(ID);
    }
}

package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the formats of {@code /metrics}, selected by the Accept header of Prometheus. */
final class MetricsPageTest {
    private static final String OPEN_METRICS =
            "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static HttpResponse<String> metrics(String accept) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://localhost:" + server.port() + "/metrics"))
                            .header("Accept", accept)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static String type(HttpResponse<String> response) {
        return response.headers().firstValue("content-type").orElse("");
    }

    @Test
    void textIsTheFormatOfClientsThatDoNotAskForAnother() throws Exception {
        HttpResponse<String> text = metrics("*/*");
        assertThat(type(text)).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        assertThat(text.body())
                .contains("# TYPE petrichor_requests_total counter\n")
                .contains("# TYPE petrichor_build_info gauge\n")
                .doesNotContain("# EOF");
    }

    @Test
    void openMetricsIsSentToScrapersThatAcceptIt() throws Exception {
        HttpResponse<String> open = metrics(OPEN_METRICS);
        assertThat(type(open)).startsWith("application/openmetrics-text; version=1.0.0");
        assertThat(open.body())
                .contains("# TYPE petrichor_requests counter\n")
                .contains("# TYPE petrichor_build info\n")
                .endsWith("# EOF\n");
    }

    /**
     * A scraper that prefers Protocol Buffers, which are not supported, receives its next choice.
     */
    @Test
    void unknownFormatsAreAnsweredInText() throws Exception {
        assertThat(
                        type(
                                metrics(
                                        "application/vnd.google.protobuf;"
                                                + "proto=io.prometheus.client.MetricFamily;"
                                                + "encoding=delimited,text/plain;q=0.5")))
                .startsWith("text/plain; version=0.0.4");
    }

    /** Otherwise the first success of a method would not count as an increase in Prometheus. */
    @Test
    void everyMethodHasASeriesBeforeItsFirstRequest() throws Exception {
        Pattern untouched =
                Pattern.compile(
                        "(?m)^petrichor_requests_total\\{code=\"OK\",method=\"ReserveIds\",wire=\"grpc\"}"
                            + " 0.0$");
        assertThat(metrics("*/*").body()).containsPattern(untouched);
    }
}

package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.log.RequestLog;

/** What the router writes to its log. */
final class LoggingTest {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final RequestLog log =
            RequestLog.to(
                    new RequestLog.Target() {
                        @Override
                        public void write(byte[] written) {
                            lines.addAll(new String(written, UTF_8).lines().toList());
                        }

                        @Override
                        public void close() {
                            // nothing is open
                        }
                    });

    @Test
    void eachRequestIsOneRecord() throws Exception {
        try (TestRouter router = TestRouter.logging(log)) {
            TestInstance instance = router.add(TestInstance.named("i1"));
            router.get("/a?b", "User-Agent: test", "X-Cloud-Trace-Context: " + "ab".repeat(16));
            // A record is added after its response, on the event loop of its connection.
            TestRouter.waitFor(() -> lines.size() == 1);
            router.get("/_ah/start");
            TestRouter.waitFor(() -> lines.size() == 2);
            try (RawClient client = router.client()) {
                client.exchange(
                        "POST / HTTP/1.1\r\nHost: demo.localhost\r\nContent-Length: 3\r\n\r\nabc");
            }
            TestRouter.waitFor(() -> lines.size() == 3);
            router.backends().remove(TestRouter.V1, instance);
            try (RawClient client = router.client()) {
                client.send(ProxyTest.get("/gone"));
                TestRouter.waitFor(() -> router.backends().waiting() == 1);
            }
            TestRouter.waitFor(() -> lines.size() == 4);
        }
        log.close();
        assertThat(lines.get(0))
                .contains("\"trace\":\"" + "ab".repeat(16) + "\"")
                .contains("\"app\":\"demo\",\"service\":\"default\",\"version\":\"v1\"")
                .contains("\"instance\":\"i1\",\"method\":\"GET\",\"host\":\"demo.localhost\"")
                .contains("\"path\":\"/a?b\",\"protocol\":\"HTTP/1.1\",\"status\":200")
                .contains("\"response_bytes\":2")
                .contains("\"user_agent\":\"test\"}");
        assertThat(lines.get(1)).contains("\"status\":404").contains("\"failure\":\"The path is");
        assertThat(lines.get(2)).contains("\"request_bytes\":3");
        assertThat(lines.get(3))
                .contains("\"status\":0")
                .contains("\"failure\":\"The client disconnected.\"");
        assertThat(log.dropped()).isZero();
    }
}

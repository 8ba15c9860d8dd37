package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Many requests on one connection, sent without waiting for their responses. */
class PipelinedRequestsTest {
    private static final String REQUEST = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";

    @Test
    void requestsThatOneReadContainsAreAnsweredInOrder() throws Exception {
        assertThat(answers(40)).hasSize(41).allMatch(answer -> answer.startsWith("1.1 200 "));
    }

    /** Far more than arrive in the first reads, which are small. */
    @Test
    void tooManyAreRefusedForTheirNumber() throws Exception {
        List<String> answers = answers(5_000);
        assertThat(answers.subList(0, answers.size() - 1))
                .hasSizeGreaterThanOrEqualTo(128)
                .allMatch(answer -> answer.startsWith("1.1 200 "));
        assertThat(answers.getLast())
                .startsWith("1.1 429 ")
                .contains("this connection has 128 unanswered requests; wait for responses")
                .doesNotContain("decompressed");
    }

    /** Until the server closes the connection, or all requests are answered. */
    private static List<String> answers(int requests) throws Exception {
        try (TestServer server = TestServer.start();
                Socket socket = server.connect()) {
            byte[] all =
                    (REQUEST.repeat(requests)
                                    + REQUEST.replace("Host", "Connection: close\r\nHost"))
                            .getBytes(StandardCharsets.US_ASCII);
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> send(socket, all), Thread::startVirtualThread);
            String received =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            sent.join();
            return Stream.of(received.split("HTTP/", -1)).skip(1).toList();
        }
    }

    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException refused) {
            // the server closes the connection before it has read everything
        }
    }
}

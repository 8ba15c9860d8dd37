package petrichor.frontends.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;

/** {@code ObjectRequestsTest} in {@code server} tests batches on a real server. */
class BatchCallsTest {
    private final List<String> executed = new ArrayList<>();

    private BatchCalls answering(MemoryBudget memory, int bytes) {
        return new BatchCalls(
                memory,
                (method, part) -> {
                    executed.add(method + " " + part.path());
                    return Page.Answer.bytes(200, "text/plain", new byte[bytes]);
                });
    }

    private static Page.Request batch(int parts) {
        String part = "--cut\nContent-Type: application/http\n\nGET /b HTTP/1.1\n\n\n";
        return new Page.Request(
                "/batch/storage/v1",
                Map.of(),
                Map.of(),
                (part.repeat(parts) + "--cut--\n").getBytes(UTF_8),
                "multipart/mixed; boundary=cut",
                "",
                null,
                Map.of(),
                new AccessAttempt(AuditLog.off(), "http", "batch", null),
                Cancellation.never(),
                new Page.Raw("POST", "/batch/storage/v1", RequestBody.EMPTY));
    }

    private static List<String> statuses(Page.Answer answer) {
        return new String(answer.body(), UTF_8)
                .lines()
                .filter(line -> line.startsWith("HTTP/1.1 "))
                .toList();
    }

    @Test
    void aBatchHoldsMemoryUntilItsResponseIsSent() {
        MemoryBudget memory = MemoryBudget.of("batches", 1 << 20);
        Page.Answer answer = answering(memory, 1_000).run(batch(2));
        assertThat(statuses(answer)).containsExactly("HTTP/1.1 200 OK", "HTTP/1.1 200 OK");
        assertThat(memory.bytesUsed()).isGreaterThan(4_000);
        Objects.requireNonNull(answer.held()).close();
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void aBatchWithoutMemoryIsNotExecuted() {
        MemoryBudget memory = MemoryBudget.of("batches", 100);
        assertThatThrownBy(() -> answering(memory, 1).run(batch(1)))
                .hasMessageContaining("too little memory");
        assertThat(executed).isEmpty();
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void aMalformedBatchHoldsNoMemory() {
        MemoryBudget memory = MemoryBudget.of("batches", 1 << 20);
        assertThatThrownBy(() -> answering(memory, 1).run(batch(101)))
                .hasMessageContaining("100 requests");
        assertThat(executed).isEmpty();
        assertThat(memory.bytesUsed()).isZero();
    }

    /** Those that follow are not executed. */
    @Test
    void theResponsesTogetherAreBounded() {
        Page.Answer answer = answering(MemoryBudget.unlimited(), 5 << 20).run(batch(4));
        assertThat(statuses(answer))
                .containsExactly(
                        "HTTP/1.1 200 OK",
                        "HTTP/1.1 200 OK",
                        "HTTP/1.1 400 Error",
                        "HTTP/1.1 400 Error");
        assertThat(executed).hasSize(2);
    }

    @Test
    void responsesNeedMemoryToo() {
        Page.Answer answer = answering(MemoryBudget.of("batches", 20_000), 10_000).run(batch(3));
        assertThat(statuses(answer))
                .containsExactly("HTTP/1.1 200 OK", "HTTP/1.1 400 Error", "HTTP/1.1 400 Error");
        assertThat(executed).hasSize(1);
    }
}

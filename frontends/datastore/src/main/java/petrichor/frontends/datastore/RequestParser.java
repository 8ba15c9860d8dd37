package petrichor.frontends.datastore;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import petrichor.base.MemoryBudget;

/**
 * Parses requests within the memory budget: a request is measured before it is parsed, and its
 * memory is charged until it is executed. Thread-safe.
 */
final class RequestParser {
    private final RequestBudget budget;

    RequestParser(RequestBudget budget) {
        this.budget = budget;
    }

    /** The head of an encoded request; avoids parsing the whole request if possible. */
    RequestHead head(DatastoreMethod method, byte[] body) {
        RequestHead scanned = RequestHead.scan(method, body);
        if (scanned != null) {
            return scanned;
        }
        long memory = ProtoScan.measure(method.shape(), body).protoMemory();
        try (MemoryBudget.Reservation _ = budget.parsed(memory)) {
            return RequestHead.of(method, method.parse(body));
        }
    }

    /** Parses a protobuf message and passes it to its executor. Throws if it is refused before. */
    CompletableFuture<byte[]> parsed(
            DatastoreMethod method,
            byte[] body,
            Function<Message, CompletableFuture<byte[]>> carryOut) {
        long memory = ProtoScan.measure(method.shape(), body).protoMemory();
        return within(memory, () -> method.parse(body), carryOut);
    }

    /** Like the other method, for REST, whose bodies may be JSON. */
    CompletableFuture<byte[]> parsed(
            RestRequest rest, byte[] body, Function<Message, CompletableFuture<byte[]>> carryOut) {
        return within(rest.memory(body), () -> rest.message(body), carryOut);
    }

    private CompletableFuture<byte[]> within(
            long memory,
            Supplier<Message> parse,
            Function<Message, CompletableFuture<byte[]>> carryOut) {
        MemoryBudget.Reservation held = budget.parsed(memory);
        CompletableFuture<byte[]> answer;
        try {
            answer = carryOut.apply(parse.get());
        } catch (RuntimeException | Error refused) {
            held.close();
            throw refused;
        }
        return answer.whenComplete((_, _) -> held.close());
    }
}

package petrichor.frontends.storage;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.function.BiFunction;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.http.MultipartReader;
import petrichor.frontends.http.Page;

/**
 * Several requests of the JSON API in one multipart body. They are executed one after the other;
 * each is authorized, is audited and fails on its own. Thread-safe.
 *
 * @see <a href="https://cloud.google.com/storage/docs/batch">Google's documentation</a>
 */
final class BatchCalls {
    /** Google's limit. */
    private static final int CALLS_MAX = 100;

    /** Google's limit, of the complete body; each part also has {@link StorageJson#BYTES_MAX}. */
    private static final int BYTES_MAX = 10 << 20;

    /** Of all responses together; only lists are large. The last response may exceed it. */
    private static final int RESPONSE_BYTES_MAX = 8 << 20;

    /** The body with its line ends, the reader's window, and the texts and contents of parts. */
    private static final int BODY_COPIES = 4;

    /** The collected responses are copied once. */
    private static final int RESPONSE_COPIES = 2;

    private static final int BAD_REQUEST = 400;

    /** Of requests that are not executed. */
    private static final Page.Answer TOO_LARGE =
            refused("the responses of the batch are too large; send fewer requests for lists");

    private final MemoryBudget memory;
    private final BiFunction<String, Page.Request, Page.Answer> execute;

    /**
     * @param memory of running batches, until their responses are sent
     * @param execute executes a request, whose method is the first argument
     */
    BatchCalls(MemoryBudget memory, BiFunction<String, Page.Request, Page.Answer> execute) {
        this.memory = memory;
        this.execute = execute;
    }

    /** UNAVAILABLE if there is too little memory; no request of the batch was executed then. */
    Page.Answer run(Page.Request batch) {
        if (batch.body().length > BYTES_MAX) {
            throw PetrichorException.invalid(
                    "a batch must not have more than {bytesMax} bytes", "bytesMax", BYTES_MAX);
        }
        MemoryBudget.Reservation held = memory.reservation();
        try {
            if (!held.add((long) BODY_COPIES * batch.body().length)) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "the running batches leave too little memory for this one"
                                + " (server.memory-percent); retry later, or send fewer requests");
            }
            return run(batch, held).holding(held);
        } catch (RuntimeException | Error failed) {
            held.close();
            throw failed;
        }
    }

    private Page.Answer run(Page.Request batch, MemoryBudget.Reservation held) {
        List<BatchPart> parts = parts(batch);
        String boundary = "batch_" + UUID.randomUUID();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        boolean room = true;
        for (BatchPart part : parts) {
            Page.Answer answer = room ? answer(batch, part) : TOO_LARGE;
            byte[] head = head(boundary, part, answer).getBytes(StandardCharsets.UTF_8);
            all.writeBytes(head);
            all.writeBytes(answer.body());
            room =
                    room
                            && all.size() < RESPONSE_BYTES_MAX
                            && held.add(
                                    (long) RESPONSE_COPIES * (head.length + answer.body().length));
        }
        all.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
        return Page.Answer.bytes(200, "multipart/mixed; boundary=" + boundary, all.toByteArray());
    }

    /** All parts, before the first one is executed. */
    private static List<BatchPart> parts(Page.Request batch) {
        Queue<byte[]> body = new ArrayDeque<>(List.of(withLineEnds(batch.body())));
        MultipartReader reader = new MultipartReader(batch.contentType(), body::poll);
        List<BatchPart> parts = new ArrayList<>();
        for (MultipartReader.Part part = reader.nextPart();
                part != null;
                part = reader.nextPart()) {
            if (parts.size() == CALLS_MAX) {
                throw PetrichorException.invalid(
                        "a batch must not have more than {callsMax} requests",
                        "callsMax",
                        CALLS_MAX);
            }
            parts.add(BatchPart.of(part, reader.text(StorageJson.BYTES_MAX)));
        }
        return parts;
    }

    /** Python's client ends lines with a line feed alone; in JSON, both are white space. */
    private static byte[] withLineEnds(byte[] body) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream(body.length);
        byte before = 0;
        for (byte each : body) {
            if (each == '\n' && before != '\r') {
                lines.write('\r');
            }
            lines.write(each);
            before = each;
        }
        return lines.toByteArray();
    }

    private Page.Answer answer(Page.Request batch, BatchPart part) {
        if (!part.hasCallerOf(batch)) {
            return refused("a request in a batch cannot have an Authorization of its own");
        }
        AccessAttempt attempt = batch.attempt().another(part.method() + " " + part.path());
        Page.Answer answer = execute.apply(part.method(), part.in(batch, attempt));
        // No effect if the method has failed with an exception.
        attempt.end(answer.status() < BAD_REQUEST ? "OK" : "HTTP_" + answer.status());
        Page.Rest content = answer.rest();
        if (content != null) {
            content.close();
            return refused("a batch cannot contain downloads");
        }
        return answer;
    }

    private static Page.Answer refused(String why) {
        return new StorageFailure(BAD_REQUEST, "invalid", "InvalidArgument", why).json();
    }

    private static String head(String boundary, BatchPart part, Page.Answer answer) {
        StringBuilder head = new StringBuilder("\r\n--" + boundary + "\r\n");
        head.append("Content-Type: application/http\r\n");
        if (!part.contentId().isEmpty()) {
            // Google's form: <response-ID>.
            head.append("Content-ID: ")
                    .append(part.contentId().replaceFirst("^<?", "$0response-"))
                    .append("\r\n");
        }
        head.append("\r\nHTTP/1.1 ").append(answer.status());
        head.append(answer.status() < BAD_REQUEST ? " OK" : " Error").append("\r\n");
        head.append("Content-Type: ").append(answer.type()).append("\r\n");
        return head.append("Content-Length: ")
                .append(answer.body().length)
                .append("\r\n\r\n")
                .toString();
    }
}

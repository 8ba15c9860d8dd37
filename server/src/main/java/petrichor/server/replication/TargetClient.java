package petrichor.server.replication;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/** The page of a target. The address and the token are read again for each request. Thread-safe. */
final class TargetClient implements ReplicationOwner, AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    /** A batch may have to wait for an index to be built. */
    private static final Duration CALL_MAX = Duration.ofMinutes(2);

    private final TargetsFile targets;
    private final String name;
    private final Duration callMax;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_MAX)
                    .build();

    TargetClient(TargetsFile targets, String name) {
        this(targets, name, CALL_MAX);
    }

    TargetClient(TargetsFile targets, String name, Duration callMax) {
        this.targets = targets;
        this.name = name;
        this.callMax = callMax;
    }

    @Override
    public ReplicationResponse ask(ReplicationRequest request) {
        TargetsFile.Target target = targets.target(name);
        HttpRequest.Builder http =
                HttpRequest.newBuilder(target.url().resolve(ReplicaPage.PATH))
                        .timeout(callMax)
                        .header("Content-Type", "application/x-protobuf")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(request.toByteArray()));
        if (!target.token().isEmpty()) {
            http.header("Authorization", "Bearer " + target.token());
        }
        try {
            HttpResponse<byte[]> answer =
                    client.send(http.build(), HttpResponse.BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw refusal(target, answer);
            }
            return ReplicationResponse.parseFrom(answer.body());
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    malformed,
                    "The target {target} sent a malformed answer; do both servers run the same"
                            + " version?",
                    "target",
                    target);
        } catch (IOException failed) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    failed,
                    "The target {target} does not answer: {reason}",
                    "target",
                    target,
                    "reason",
                    String.valueOf(failed.getMessage()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
    }

    private static PetrichorException refusal(
            TargetsFile.Target target, HttpResponse<byte[]> answer) {
        String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
        return answer.headers()
                .firstValue(ReplicaPage.ERROR_HEADER)
                .map(code -> new PetrichorException(ErrorCode.valueOf(code), text))
                .orElseGet(
                        () ->
                                PetrichorException.of(
                                        answer.statusCode() == 503
                                                ? ErrorCode.UNAVAILABLE
                                                : ErrorCode.FAILED_PRECONDITION,
                                        "The target {target} refuses the replication (HTTP"
                                                + " {statusCode}): {answer}",
                                        "target",
                                        target,
                                        "statusCode",
                                        answer.statusCode(),
                                        "answer",
                                        text));
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}

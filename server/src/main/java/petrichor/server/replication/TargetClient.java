package petrichor.server.replication;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreTls;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/**
 * A target: the page of a deployment, or files that a process of this server writes. Its section is
 * read again for each request. Thread-safe.
 */
final class TargetClient implements ReplicationOwner, AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    /** A batch may have to wait for an index to be built. */
    private static final Duration CALL_MAX = Duration.ofMinutes(2);

    private final TargetsFile targets;
    private final String name;
    private final Duration callMax;
    private final FileReplicas files;
    private HttpClient client = client(Optional.empty());
    private Optional<Path> trusted = Optional.empty();

    private static HttpClient client(Optional<Path> caFile) {
        HttpClient.Builder client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_MAX);
        caFile.ifPresent(
                file ->
                        client.sslContext(
                                new StoreTls(
                                                Optional.of(file),
                                                Optional.empty(),
                                                Optional.empty(),
                                                true)
                                        .context()));
        return client.build();
    }

    private synchronized HttpClient client(TargetsFile.Deployment target) {
        if (!target.caFile().equals(trusted)) {
            HttpClient former = client;
            client = client(target.caFile());
            trusted = target.caFile();
            former.shutdown();
        }
        return client;
    }

    TargetClient(TargetsFile targets, FileReplicas files, String name) {
        this(targets, files, name, CALL_MAX);
    }

    TargetClient(TargetsFile targets, FileReplicas files, String name, Duration callMax) {
        this.targets = targets;
        this.files = files;
        this.name = name;
        this.callMax = callMax;
    }

    @Override
    public ReplicationResponse ask(ReplicationRequest request) {
        return switch (targets.target(name)) {
            case TargetsFile.Deployment deployment -> ask(deployment, request);
            case TargetsFile.Files(FilePlace place) -> files.of(place).ask(request, callMax);
        };
    }

    private ReplicationResponse ask(TargetsFile.Deployment target, ReplicationRequest request) {
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
                    client(target).send(http.build(), HttpResponse.BodyHandlers.ofByteArray());
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
            TargetsFile.Deployment target, HttpResponse<byte[]> answer) {
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
    public synchronized void close() {
        client.shutdownNow();
    }
}

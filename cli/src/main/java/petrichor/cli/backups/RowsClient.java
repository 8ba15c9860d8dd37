package petrichor.cli.backups;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.movement.backups.RowsOwner;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;

/**
 * A server's page of stored entities. Repeats a request while the server does not answer, for up to
 * a minute, so that a backup survives its restart. Thread-safe.
 */
final class RowsClient implements RowsOwner, AutoCloseable {
    private static final String PATH = "/petrichor/v1/rows";
    private static final String ERROR_HEADER = "petrichor-error";
    private static final Duration CALL_MAX = Duration.ofMinutes(10);
    private static final long RETRY_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long PAUSE_MS_MIN = 50;
    private static final long PAUSE_MS_MAX = 2_000;

    private final String server;
    private final String token;
    private final @Nullable SSLContext tls;
    private final HttpClient client;

    private RowsClient(String server, String token, @Nullable SSLContext tls) {
        this.server = server;
        this.token = token;
        this.tls = tls;
        this.client = ServerPage.client(tls);
    }

    static RowsClient of(ServerAddress.Connection connection, ServerAddress address) {
        return new RowsClient(connection.client().address(), address.token(), address.tls());
    }

    @Override
    public RowsResponse ask(RowsRequest request) {
        long end = System.nanoTime() + RETRY_NANOS;
        long pause = PAUSE_MS_MIN;
        while (true) {
            try {
                return send(request);
            } catch (PetrichorException failed) {
                if (failed.code() != ErrorCode.UNAVAILABLE || System.nanoTime() > end) {
                    throw failed;
                }
            }
            pause(pause);
            pause = Math.min(PAUSE_MS_MAX, pause * 2);
        }
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            throw interrupted();
        }
    }

    private static PetrichorException interrupted() {
        Thread.currentThread().interrupt();
        return PetrichorException.of(ErrorCode.DEADLINE_EXCEEDED, "The command was interrupted.");
    }

    private RowsResponse send(RowsRequest request) {
        HttpRequest http =
                ServerPage.request(server, PATH, token, tls)
                        .timeout(CALL_MAX)
                        .header("Content-Type", "application/x-protobuf")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(request.toByteArray()))
                        .build();
        try {
            HttpResponse<byte[]> answer =
                    client.send(http, HttpResponse.BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw refusal(answer);
            }
            return RowsResponse.parseFrom(answer.body());
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    malformed,
                    "{server} sent a malformed answer; do client and server run the same version?",
                    "server",
                    server);
        } catch (IOException failed) {
            throw ServerPage.noAnswer(server, failed);
        } catch (InterruptedException interrupted) {
            throw interrupted();
        }
    }

    private PetrichorException refusal(HttpResponse<byte[]> answer) {
        String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
        return answer.headers()
                .firstValue(ERROR_HEADER)
                .map(code -> new PetrichorException(ErrorCode.valueOf(code), text))
                .orElseGet(
                        () ->
                                PetrichorException.of(
                                        answer.statusCode() == 404
                                                ? ErrorCode.UNIMPLEMENTED
                                                : answer.statusCode() == 503
                                                        ? ErrorCode.UNAVAILABLE
                                                        : ErrorCode.FAILED_PRECONDITION,
                                        "{server} does not give access to stored entities (HTTP"
                                                + " {statusCode}): {answer}",
                                        "server",
                                        server,
                                        "statusCode",
                                        answer.statusCode(),
                                        "answer",
                                        text));
    }

    @Override
    public void close() {
        client.close();
    }
}

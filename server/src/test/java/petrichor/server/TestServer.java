package petrichor.server;

import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import petrichor.server.config.ServerConfig;

/** A real in-memory server on a free port, with a client for each protocol. */
final class TestServer implements AutoCloseable {
    private static final Duration METRICS_MAX = Duration.ofSeconds(60);

    static final MethodDescriptor<LookupRequest, LookupResponse> LOOKUP =
            method(
                    "Lookup",
                    LookupRequest.getDefaultInstance(),
                    LookupResponse.getDefaultInstance());

    private static final int ANSWER_WITHIN_MS = 60_000;

    private final Server server;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ManagedChannel channel;

    private TestServer(Server server) {
        this.server = server;
        this.channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                        .usePlaintext()
                        .maxInboundMessageSize(64 << 20)
                        .build();
    }

    static TestServer of(Server server) {
        return new TestServer(server);
    }

    static TestServer start() {
        return start(config -> config);
    }

    static TestServer start(UnaryOperator<ServerConfig> change) {
        ServerConfig config = ServerConfig.defaults().withMemory().withPort(0);
        return new TestServer(Server.start(change.apply(config)));
    }

    static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, Q request, A response) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("google.datastore.v1.Datastore/" + name)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(response))
                .build();
    }

    Server server() {
        return server;
    }

    int port() {
        return server.port();
    }

    ManagedChannel channel() {
        return channel;
    }

    LookupResponse lookup(LookupRequest request) {
        return ClientCalls.blockingUnaryCall(channel, LOOKUP, CallOptions.DEFAULT, request);
    }

    /** Puts an entity with one number outside of a transaction. */
    void put(String project, String name, long number) {
        var _ =
                ClientCalls.blockingUnaryCall(
                        channel,
                        TestCluster.COMMIT,
                        CallOptions.DEFAULT,
                        TestCluster.put(project, name, number));
    }

    OptionalLong get(String project, String name) {
        return TestCluster.number(lookup(TestCluster.lookup(project, name)));
    }

    HttpResponse<String> get(String path) {
        return send(request(path));
    }

    /** Waits for these lines, because a response is sent before its memory is released. */
    void awaitMetrics(String... lines) {
        long end = System.nanoTime() + METRICS_MAX.toNanos();
        while (true) {
            String metrics = get("/metrics").body();
            if (Arrays.stream(lines).allMatch(line -> metrics.contains("\n" + line + "\n"))) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "not " + Arrays.toString(lines) + " after " + METRICS_MAX + ": " + metrics);
            }
        }
    }

    HttpResponse<String> post(String path, String body) {
        return send(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .version(HttpClient.Version.HTTP_1_1);
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return send(request, HttpResponse.BodyHandlers.ofString());
    }

    <T> HttpResponse<T> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> body) {
        try {
            return http.send(request.build(), body);
        } catch (IOException failed) {
            throw new AssertionError("no answer", failed);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    <T> CompletableFuture<HttpResponse<T>> sendLater(
            HttpRequest.Builder request, HttpResponse.BodyHandler<T> body) {
        return http.sendAsync(request.build(), body);
    }

    /** Whether a server accepts connections on this port. */
    static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    /** A raw connection; reads have a timeout, so that no test hangs. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(ANSWER_WITHIN_MS);
        return socket;
    }

    /** Sends raw bytes and reads until the server closes the connection. */
    String exchange(String raw) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(raw.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
        http.shutdownNow();
        server.close();
    }
}

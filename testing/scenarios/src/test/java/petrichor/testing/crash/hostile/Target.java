package petrichor.testing.crash.hostile;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/** The server under attack, and requests used by the attacks. Thread-safe. */
record Target(int port, String token) {
    static final String PROJECT = "hostile";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    /** A channel whose calls send the token. */
    ManagedChannel channel() {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + token);
        return NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                .build();
    }

    static <Q extends Message, A extends Message> A call(
            ManagedChannel channel, String method, Q request, A answer, Duration timeout) {
        MethodDescriptor<Q, A> descriptor = descriptor(method, request, answer);
        return ClientCalls.blockingUnaryCall(
                channel,
                descriptor,
                CallOptions.DEFAULT.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS),
                request);
    }

    @SuppressWarnings("unchecked") // a default instance has its message's type
    static <Q extends Message, A extends Message> MethodDescriptor<Q, A> descriptor(
            String method, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("google.datastore.v1.Datastore/" + method)
                .setRequestMarshaller(
                        ProtoUtils.marshaller((Q) request.getDefaultInstanceForType()))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    /** Posts compressed JSON with the token; returns the status. */
    int postPacked(HttpClient http, String verb, byte[] packed)
            throws IOException, InterruptedException {
        return http.send(
                        api(verb)
                                .header("Authorization", "Bearer " + token)
                                .header("Content-Type", "application/json")
                                .header("Content-Encoding", "gzip")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(packed))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    HttpRequest.Builder api(String verb) {
        return page("/v1/projects/" + PROJECT + ":" + verb);
    }

    HttpRequest.Builder page(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(TIMEOUT);
    }

    static byte[] packed(String head, String repeated, int times, String tail) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(head.getBytes(StandardCharsets.US_ASCII));
            byte[] block = repeated.repeat(1_000).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < times / 1_000; i++) {
                zip.write(block);
            }
            zip.write(tail.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
        return bytes.toByteArray();
    }
}

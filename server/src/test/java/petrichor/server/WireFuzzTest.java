package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;

/**
 * Damaged requests on both wires. Whatever arrives, the server answers with an error that the API
 * documents, shows nothing of its inside, keeps nothing of the request, and serves the next one.
 */
class WireFuzzTest {
    private static final Set<Status.Code> NEVER =
            EnumSet.of(Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.DATA_LOSS);

    /** The preface, empty settings, and a request whose headers are all in HPACK's table. */
    private static final byte[] HTTP2 =
            Bytes.concat(
                    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                    HexFormat.of().parseHex("000000040000000000"),
                    HexFormat.of().parseHex("000003010500000001828684"));

    private static final byte[] HTTP1 =
            """
            POST /v1/projects/fuzz:lookup?alt=json HTTP/1.1\r
            Content-Type: application/json\r
            Content-Length: 12\r
            Connection: close\r
            \r
            {"keys": []}\
            """
                    .getBytes(StandardCharsets.ISO_8859_1);
    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new ByteArrayInputStream(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try {
                        return stream.readAllBytes();
                    } catch (IOException broken) {
                        throw new UncheckedIOException(broken);
                    }
                }
            };

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final List<RequestSeeds.Seed> seeds = RequestSeeds.all();

    @Test
    void damagedRequestsAreAnsweredAndLeaveNothingBehind() throws IOException {
        fuzz(300);
    }

    @Test
    @Tag("slow")
    void manyDamagedRequestsAreAnsweredAndLeaveNothingBehind() throws IOException {
        fuzz(20_000);
    }

    private void fuzz(int rounds) throws IOException {
        try (TestServer server = TestServer.start()) {
            for (int round = 0; round < rounds; round++) {
                String replay = "-Dseed=" + seed + " round " + round;
                RequestSeeds.Seed of = seeds.get(random.nextInt(seeds.size()));
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> grpc(server, of, replay);
                    case 3, 4 -> restWithProtobuf(server, of, replay);
                    case 5, 6 -> restWithJson(server, of, replay);
                    default -> rawBytes(server);
                }
            }
            assertThat(server.get("/readyz").statusCode()).as("-Dseed=%d", seed).isEqualTo(200);
            assertThat(server.get("/metrics").body())
                    .as("-Dseed=%d", seed)
                    .contains("petrichor_request_bytes 0")
                    .contains("petrichor_requests_running 0");
        }
    }

    private void grpc(TestServer server, RequestSeeds.Seed of, String replay) {
        byte[] request = damaged(of.request().toByteArray());
        MethodDescriptor<byte[], byte[]> method =
                MethodDescriptor.newBuilder(BYTES, BYTES)
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName("google.datastore.v1.Datastore/" + of.method())
                        .build();
        Channel channel = server.channel();
        try {
            ClientCalls.blockingUnaryCall(
                    channel,
                    method,
                    CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
                    request);
        } catch (StatusRuntimeException refused) {
            String what = replay + " " + of.method() + " " + Arrays.toString(request);
            assertThat(refused.getStatus().getCode()).as(what).isNotIn(NEVER);
            assertNothingInside(String.valueOf(refused.getStatus().getDescription()), what);
        }
    }

    private void restWithProtobuf(TestServer server, RequestSeeds.Seed of, String replay) {
        rest(server, of, "application/x-protobuf", damaged(of.request().toByteArray()), replay);
    }

    private void restWithJson(TestServer server, RequestSeeds.Seed of, String replay)
            throws IOException {
        byte[] json = JsonFormat.printer().print(of.request()).getBytes(StandardCharsets.UTF_8);
        rest(server, of, "application/json", damaged(json), replay);
    }

    private void rest(
            TestServer server, RequestSeeds.Seed of, String type, byte[] body, String replay) {
        String path = "/v1/projects/" + RequestSeeds.PROJECT + ":" + of.verb() + "?alt=json";
        HttpResponse<String> response =
                server.send(
                        server.request(path)
                                .header("Content-Type", type)
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
        String what = replay + " " + of.verb() + " " + Arrays.toString(body);
        assertThat(response.statusCode()).as(what + response.body()).isNotEqualTo(500);
        if (response.statusCode() != 200) {
            assertThat(response.body()).as(what).startsWith("{\"error\":{\"code\":");
            assertNothingInside(response.body(), what);
        }
    }

    /** Here the server may also just close; it must only survive. */
    private void rawBytes(TestServer server) throws IOException {
        byte[] bytes = damaged(random.nextBoolean() ? HTTP1 : HTTP2);
        try (Socket socket = server.connect()) {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        }
    }

    private static void assertNothingInside(String text, String what) {
        assertThat(text)
                .as(what)
                .doesNotContain("\tat ")
                .doesNotContain("Exception")
                .doesNotContain("petrichor.entities")
                .doesNotContain("java.");
    }

    /** One to four small injuries, as bad networks, old clients and bad people inflict them. */
    private byte[] damaged(byte[] whole) {
        byte[] bytes = whole.clone();
        for (int injuries = 1 + random.nextInt(4); injuries > 0 && bytes.length > 1; injuries--) {
            int at = random.nextInt(bytes.length);
            int length = 1 + random.nextInt(Math.min(16, bytes.length - at));
            bytes =
                    switch (random.nextInt(6)) {
                        case 0 -> flipped(bytes, at, 1 << random.nextInt(8));
                        case 1 -> flipped(bytes, at, random.nextInt(256));
                        case 2 -> Arrays.copyOf(bytes, at);
                        case 3 -> spliced(bytes, at, at + length, new byte[0]);
                        case 4 ->
                                spliced(bytes, at, at, Arrays.copyOfRange(bytes, at, at + length));
                        default -> spliced(bytes, at, at, noise(length));
                    };
        }
        return bytes;
    }

    private static byte[] flipped(byte[] bytes, int at, int bits) {
        byte[] other = bytes.clone();
        other[at] ^= (byte) bits;
        return other;
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] with) {
        byte[] other = Arrays.copyOf(bytes, from + with.length + bytes.length - to);
        System.arraycopy(with, 0, other, from, with.length);
        System.arraycopy(bytes, to, other, from + with.length, bytes.length - to);
        return other;
    }

    private byte[] noise(int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }
}

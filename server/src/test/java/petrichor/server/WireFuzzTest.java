package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
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
import petrichor.rpc.ByteMessages;

/**
 * Tests damaged requests on both protocols. The server responds with a documented error, reveals no
 * internals, retains nothing of the request, and serves the next one.
 */
class WireFuzzTest {
    private static final String PROJECT = "bystander";

    private static final Set<Status.Code> NEVER =
            EnumSet.of(Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.DATA_LOSS);

    /** The preface, empty settings, and a request with headers from HPACK's static table. */
    private static final byte[] HTTP2 =
            Bytes.concat(
                    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                    HexFormat.of().parseHex("000000040000000000"),
                    HexFormat.of().parseHex("000003010500000001828684"));

    private static final byte[] HTTP1 =
            """
            POST /v1/projects/fuzz:lookup?alt=json HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: 12\r
            Connection: close\r
            \r
            {"keys": []}\
            """
                    .getBytes(StandardCharsets.ISO_8859_1);
    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final Damage damage = new Damage(random);
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
            Bystander bystander = Bystander.of(server);
            for (int round = 0; round < rounds; round++) {
                String replay = "-Dseed=" + seed + " round " + round;
                RequestSeeds.Seed of = seeds.get(random.nextInt(seeds.size()));
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> grpc(server, of, replay);
                    case 3, 4 -> restWithProtobuf(server, of, replay);
                    case 5, 6 -> restWithJson(server, of, replay);
                    default -> rawBytes(server, replay);
                }
                bystander.assertUntouched(replay);
            }
            assertThat(server.get("/readyz").statusCode()).as("-Dseed=%d", seed).isEqualTo(200);
            server.awaitMetrics(
                    "petrichor_request_buffered_bytes 0.0", "petrichor_requests_running 0.0");
        }
    }

    /** Another client's data, read again after every damaged request. */
    private record Bystander(TestServer server, LookupRequest request, LookupResponse expected) {
        static Bystander of(TestServer server) {
            CommitRequest.Builder commit =
                    CommitRequest.newBuilder()
                            .setProjectId(PROJECT)
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
            LookupRequest.Builder lookup = LookupRequest.newBuilder().setProjectId(PROJECT);
            for (int id = 1; id <= 4; id++) {
                Key key =
                        Key.newBuilder()
                                .addPath(Key.PathElement.newBuilder().setKind("Kind").setId(id))
                                .build();
                lookup.addKeys(key);
                if (id % 2 == 0) {
                    commit.addMutations(
                            Mutation.newBuilder()
                                    .setInsert(
                                            Entity.newBuilder()
                                                    .setKey(key)
                                                    .putProperties(
                                                            "number",
                                                            Value.newBuilder()
                                                                    .setIntegerValue(id)
                                                                    .build())));
                }
            }
            var _ = server.server().datastore().commit(commit.build()).join();
            LookupResponse before = read(server, lookup.build());
            assertThat(before.getFoundCount()).isEqualTo(2);
            assertThat(before.getMissingCount()).isEqualTo(2);
            return new Bystander(server, lookup.build(), before);
        }

        void assertUntouched(String replay) {
            assertThat(read(server, request)).as(replay).isEqualTo(expected);
        }

        private static LookupResponse read(TestServer server, LookupRequest request) {
            LookupResponse.Builder found = server.lookup(request).toBuilder().clearReadTime();
            // the version of a missing entity is that of the read
            found.getMissingBuilderList().forEach(EntityResult.Builder::clearVersion);
            return found.build();
        }
    }

    private void grpc(TestServer server, RequestSeeds.Seed of, String replay) {
        byte[] request = damage.to(of.request().toByteArray());
        MethodDescriptor<byte[], byte[]> method =
                ByteMessages.method("google.datastore.v1.Datastore/" + of.method());
        Channel channel = server.channel();
        String what = replay + " " + of.method() + " " + Arrays.toString(request);
        try {
            byte[] answer =
                    ClientCalls.blockingUnaryCall(
                            channel,
                            method,
                            CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
                            request);
            assertThatCode(() -> of.response().getParserForType().parseFrom(answer))
                    .as(what)
                    .doesNotThrowAnyException();
        } catch (StatusRuntimeException refused) {
            assertThat(refused.getStatus().getCode()).as(what).isNotIn(NEVER);
            RawAnswers.assertNothingInside(
                    String.valueOf(refused.getStatus().getDescription()), what);
        }
    }

    private void restWithProtobuf(TestServer server, RequestSeeds.Seed of, String replay) {
        rest(server, of, "application/x-protobuf", damage.to(of.request().toByteArray()), replay);
    }

    private void restWithJson(TestServer server, RequestSeeds.Seed of, String replay)
            throws IOException {
        byte[] json = JsonFormat.printer().print(of.request()).getBytes(StandardCharsets.UTF_8);
        rest(server, of, "application/json", damage.to(json), replay);
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
        if (response.statusCode() == 200) {
            assertThatCode(
                            () ->
                                    JsonFormat.parser()
                                            .merge(
                                                    response.body(),
                                                    of.response().newBuilderForType()))
                    .as(what + response.body())
                    .doesNotThrowAnyException();
        } else {
            assertThat(response.body()).as(what).startsWith("{\"error\":{\"code\":");
            RawAnswers.assertNothingInside(response.body(), what);
        }
    }

    /** The server may also close the connection, but any response must be well-formed. */
    private void rawBytes(TestServer server, String replay) throws IOException {
        byte[] bytes = damage.to(random.nextBoolean() ? HTTP1 : HTTP2);
        String what = replay + " raw " + HexFormat.of().formatHex(bytes);
        byte[] answer;
        try (Socket socket = server.connect()) {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            answer = socket.getInputStream().readAllBytes();
        } catch (IOException reset) {
            throw new AssertionError(what, reset);
        }
        RawAnswers.assertProper(answer, what);
    }
}

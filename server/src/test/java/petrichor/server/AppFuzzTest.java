package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;

/**
 * Damaged calls of apps, and damaged requests to the services' pages: the server responds with a
 * documented error, reveals no internals, keeps another app's data, and serves the next request.
 */
class AppFuzzTest {
    private static final String PROJECT = "fuzz";
    private static final String BYSTANDER = "bystander";
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) .*", Pattern.DOTALL);

    private static final List<String> PAGES =
            List.of(
                    "POST /storage/v1/b?project=fuzz application/json {\"name\":\"fuzz-bucket\"}",
                    "GET /storage/v1/b?project=fuzz&maxResults=2&prefix=f - ",
                    "PATCH /storage/v1/b/fuzz-bucket application/json"
                            + " {\"versioning\":{\"enabled\":true}}",
                    "POST /upload/storage/v1/b/fuzz-bucket/o?uploadType=media&name=a text/plain"
                            + " content",
                    "POST /upload/storage/v1/b/fuzz-bucket/o?uploadType=resumable&name=a"
                            + " application/json {\"contentType\":\"text/plain\"}",
                    "POST /upload/storage/v1/b/fuzz-bucket/o?uploadType=multipart"
                            + " multipart/related;boundary=x --x\r\nContent-Type:"
                            + " application/json\r\n\r\n{\"name\":\"a\"}\r\n--x\r\nContent-Type:"
                            + " text/plain\r\n\r\ncontent\r\n--x--\r\n",
                    "GET /storage/v1/b/fuzz-bucket/o?prefix=a&delimiter=/&maxResults=2 - ",
                    "GET /storage/v1/b/fuzz-bucket/o/a?alt=media - ",
                    "PATCH /storage/v1/b/fuzz-bucket/o/a application/json"
                            + " {\"metadata\":{\"k\":\"v\"}}",
                    "POST /storage/v1/b/fuzz-bucket/o/b/compose application/json"
                            + " {\"sourceObjects\":[{\"name\":\"a\"},{\"name\":\"a\"}]}",
                    "POST /storage/v1/b/fuzz-bucket/o/a/rewriteTo/b/fuzz-bucket/o/c"
                            + " application/json {}",
                    "DELETE /storage/v1/b/fuzz-bucket/o/a?generation=1 - ",
                    "POST /v2/projects/fuzz/locations/x/queues application/json"
                        + " {\"name\":\"projects/fuzz/locations/x/queues/q\",\"rateLimits\":{\"maxDispatchesPerSecond\":5}}",
                    "POST /v2/projects/fuzz/locations/x/queues/q/tasks application/json"
                        + " {\"task\":{\"scheduleTime\":\"2100-01-01T00:00:00Z\",\"httpRequest\":{\"url\":\"http://example.com/\",\"body\":\"YQ==\"}}}",
                    "GET /v2/projects/fuzz/locations/x/queues/q/tasks?pageSize=2&responseView=FULL"
                            + " - ",
                    "PATCH /v2/projects/fuzz/locations/x/queues/q?updateMask=rateLimits"
                            + " application/json {\"retryConfig\":{\"maxAttempts\":3}}",
                    "POST /petrichor/v1/queues/fuzz text/yaml queue:\n- name: y\n  rate: 5/s\n",
                    "POST /petrichor/v1/cron/fuzz text/yaml cron:\n- url: /c\n  schedule: every 5"
                            + " hours\n",
                    "GET /_ah/login?continue=/a - ",
                    "POST /_ah/login application/x-www-form-urlencoded"
                            + " email=a@b.c&password=x&token=y",
                    "GET /_ah/img/fuzz/key=s32-c - ",
                    "GET /_ah/channel/jsapi - ",
                    "POST /_ah/upload/fuzz/1234 multipart/form-data;boundary=x --x--\r\n");

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final Damage damage = new Damage(random);
    private final List<AppCall> calls = AppCall.all();

    @Test
    void damagedRequestsAreAnsweredAndLeaveNothingBehind() throws Exception {
        fuzz(600);
    }

    @Test
    @Tag("slow")
    void manyDamagedRequestsAreAnsweredAndLeaveNothingBehind() throws Exception {
        fuzz(30_000);
    }

    private void fuzz(int rounds) throws Exception {
        try (TestServer server = TestServer.start()) {
            Map<String, String> references = stored(server, PROJECT);
            stored(server, BYSTANDER);
            for (int round = 0; round < rounds; round++) {
                String replay = "-Dseed=" + seed + " round " + round;
                switch (random.nextInt(4)) {
                    case 0 -> damagedMessage(server, references, replay);
                    case 1 -> damagedEnvelope(server, references, replay);
                    case 2 -> strangeTicket(server, references, replay);
                    default -> damagedPage(server, replay);
                }
            }
            requireReadable(server);
            assertThat(server.get("/readyz").statusCode()).as("-Dseed=%d", seed).isEqualTo(200);
            server.awaitMetrics(
                    "petrichor_request_buffered_bytes 0.0", "petrichor_requests_running 0.0");
        }
    }

    private static Map<String, String> stored(TestServer server, String project) throws Exception {
        BundledCalls app = new BundledCalls(server.port(), project);
        Map<String, String> references =
                new HashMap<>(new AppData(server, app, project, "").store());
        references.put("URL", "http://127.0.0.1:" + server.port() + "/");
        return references;
    }

    /** What the bystander stored is still there. */
    private void requireReadable(TestServer server) throws Exception {
        BundledCalls app = new BundledCalls(server.port(), BYSTANDER);
        Map<String, String> references =
                Map.of("URL", "", "TRANSACTION", "0", "CURSOR", "", "ETA", "0", "BLOB", "");
        for (AppCall call : calls) {
            if (call.kind() == '+'
                    && !call.text().contains("${TRANSACTION}")
                    && !call.text().contains("${CURSOR}")
                    && !call.text().contains("${BLOB}")) {
                assertThat(
                                app.response(
                                                call.api(),
                                                call.method(),
                                                call.message(references, BYSTANDER))
                                        .toByteString()
                                        .toString(StandardCharsets.ISO_8859_1))
                        .as("-Dseed=%d %s", seed, call)
                        .contains(AppData.SECRET);
            }
        }
    }

    private AppCall any() {
        return calls.get(random.nextInt(calls.size()));
    }

    private static RemoteApiPb.Request envelope(AppCall call, String ticket, byte[] message) {
        return RemoteApiPb.Request.newBuilder()
                .setServiceName(call.api())
                .setMethod(call.method())
                .setRequest(ByteString.copyFrom(message))
                .setRequestId(ticket)
                .build();
    }

    private void damagedMessage(TestServer server, Map<String, String> references, String replay)
            throws Exception {
        AppCall call = any();
        byte[] message = damage.to(call.message(references, PROJECT).toByteArray());
        send(server, envelope(call, PROJECT, message).toByteArray(), replay + " " + call);
    }

    private void damagedEnvelope(TestServer server, Map<String, String> references, String replay)
            throws Exception {
        AppCall call = any();
        byte[] message = call.message(references, PROJECT).toByteArray();
        byte[] body = damage.to(envelope(call, PROJECT, message).toByteArray());
        send(server, body, replay + " " + call);
    }

    /** A text that is no name of an app means the default app. */
    private void strangeTicket(TestServer server, Map<String, String> references, String replay)
            throws Exception {
        AppCall call = any();
        byte[] noise = new byte[random.nextInt(200)];
        random.nextBytes(noise);
        String ticket =
                (random.nextBoolean() ? "ticket." : "")
                        + new String(noise, StandardCharsets.ISO_8859_1);
        byte[] message = call.message(references, PROJECT).toByteArray();
        send(server, envelope(call, ticket, message).toByteArray(), replay + " " + call);
    }

    private void send(TestServer server, byte[] body, String call) {
        HttpResponse<byte[]> response =
                server.send(
                        server.request("/rpc_http")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body)),
                        HttpResponse.BodyHandlers.ofByteArray());
        String what = call + " " + Arrays.toString(body);
        String text = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(what).isIn(200, 400);
        assertThat(text).as(what).doesNotContain("internal error");
        RawAnswers.assertNothingInside(text, what);
        if (response.statusCode() == 200) {
            assertThatCode(() -> RemoteApiPb.Response.parseFrom(response.body()))
                    .as(what)
                    .doesNotThrowAnyException();
        }
    }

    /** Damages the target, the body or both; the rest of the request is right. */
    private void damagedPage(TestServer server, String replay) throws IOException {
        String[] words = PAGES.get(random.nextInt(PAGES.size())).split(" ", 4);
        byte[] target = words[1].getBytes(StandardCharsets.ISO_8859_1);
        byte[] body = words[3].getBytes(StandardCharsets.ISO_8859_1);
        int parts = 1 + random.nextInt(3);
        byte[] request =
                Bytes.concat(
                        (words[0] + " ").getBytes(StandardCharsets.ISO_8859_1),
                        (parts & 1) == 0 ? target : damage.to(target),
                        " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1),
                        fields(words[2]));
        byte[] sent = (parts & 2) == 0 ? body : damage.to(body);
        request =
                Bytes.concat(
                        request,
                        ("Content-Length: " + sent.length + "\r\n\r\n")
                                .getBytes(StandardCharsets.ISO_8859_1),
                        sent);
        String what = replay + " " + new String(request, StandardCharsets.ISO_8859_1);
        byte[] answer;
        try (Socket socket = server.connect()) {
            socket.getOutputStream().write(request);
            answer = socket.getInputStream().readAllBytes();
        } catch (IOException reset) {
            throw new AssertionError(what, reset);
        }
        requireProper(new String(answer, StandardCharsets.ISO_8859_1), what);
    }

    private static byte[] fields(String type) {
        String field = type.equals("-") ? "" : "Content-Type: " + type + "\r\n";
        return field.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void requireProper(String answer, String what) {
        Matcher status = STATUS.matcher(answer);
        assertThat(status.matches()).as(what + "\n" + answer).isTrue();
        assertThat(status.group(1)).as(what + "\n" + answer).isNotIn("500", "502");
        RawAnswers.assertNothingInside(answer, what);
    }
}

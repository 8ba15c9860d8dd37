package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.server.config.ServerConfig;
import petrichor.server.jobs.JobsPage;

/** Tests jobs over HTTP, as used by the command line. */
@Timeout(60)
final class JobsPageTest {
    private static final String SOURCE =
            """
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.Plan;
            import petrichor.jobs.records.*;

            public final class Copy implements JobProgram {
                static final RecordType LINE = RecordType.of(Field.text("line"));

                @Override
                public Plan plan(Arguments arguments) {
                    boolean slow = arguments.flag("slow");
                    Plan plan = Plan.named("copy");
                    plan.read(new TextSource(arguments.text("in")))
                        .map("line", LINE, (in, out) -> {
                            while (slow && !Thread.currentThread().isInterrupted()) {
                                Thread.onSpinWait();
                            }
                            out.emit(in);
                        })
                        .write(new TextSink(Target.file(arguments.text("out"))));
                    return plan;
                }
            }
            """;

    @TempDir private static Path shared;

    private static byte[] jar;
    private static Server server;
    private static HttpClient http;

    @TempDir private Path folder;

    @BeforeAll
    static void start() throws Exception {
        jar = Files.readAllBytes(ProgramJar.compile(shared, "Copy", SOURCE));
        server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
        http = HttpClient.newHttpClient();
    }

    @AfterAll
    static void stop() {
        http.close();
        server.close();
    }

    private static HttpRequest.Builder at(String below) {
        return HttpRequest.newBuilder(
                URI.create("http://localhost:" + server.port() + JobsPage.PATH + below));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonObject json(HttpResponse<String> answer) {
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private HttpRequest.Builder submission(String... more) throws Exception {
        Path in = folder.resolve("in.txt");
        Files.writeString(in, "a line\n");
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.addAll(List.of("--in", in.toString(), "--out", folder.resolve("out") + ""));
        String list =
                "["
                        + String.join(
                                ",", arguments.stream().map(one -> "\"" + one + "\"").toList())
                        + "]";
        return at("?class=Copy&arguments=" + URLEncoder.encode(list, StandardCharsets.UTF_8))
                .header("Content-Type", "application/java-archive")
                .POST(HttpRequest.BodyPublishers.ofByteArray(jar));
    }

    private static HttpRequest.Builder described(String line) {
        byte[] first = (line + "\n").getBytes(StandardCharsets.UTF_8);
        return at("").header("Content-Type", "application/vnd.petrichor.job")
                .POST(
                        HttpRequest.BodyPublishers.concat(
                                HttpRequest.BodyPublishers.ofByteArray(first),
                                HttpRequest.BodyPublishers.ofByteArray(jar)));
    }

    @Test
    void metricsCountJobsByTheirOutcome() throws Exception {
        long finished = metric("petrichor_jobs_ended_total{outcome=\"finished\"}");
        long records = metric("petrichor_jobs_records_total");
        long stages = metric("petrichor_jobs_stage_seconds_count");
        String id = json(send(submission())).get("id").getAsString();
        while (!json(send(at("/" + id).GET())).get("state").getAsString().equals("FINISHED")) {
            Thread.onSpinWait();
        }
        assertThat(metric("petrichor_jobs_ended_total{outcome=\"finished\"}"))
                .isGreaterThan(finished);
        assertThat(metric("petrichor_jobs_records_total")).isGreaterThan(records);
        assertThat(metric("petrichor_jobs_stage_seconds_count")).isGreaterThan(stages);
        assertThat(metric("petrichor_jobs_queued")).isZero();
    }

    private static long metric(String series) throws Exception {
        return send(HttpRequest.newBuilder(
                        URI.create("http://localhost:" + server.port() + "/metrics")))
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aLongDescriptionIsSentBeforeTheJar() throws Exception {
        Path in = Files.writeString(folder.resolve("in.txt"), "a line\n");
        String rest = ",\"--in\",\"" + in + "\",\"--out\",\"" + folder.resolve("out") + "\"]}";
        String much = "x".repeat(8_000);
        HttpResponse<String> submitted =
                send(
                        described(
                                "{\"class\":\"Copy\",\"workers\":2,\"arguments\":[\"--a\",\""
                                        + much
                                        + "\",\"--b\",\""
                                        + much
                                        + "\""
                                        + rest));
        assertThat(submitted.statusCode()).as(submitted.body()).isEqualTo(201);
        List<String> events = events(json(submitted).get("id").getAsString());
        assertThat(events.getLast()).contains("\"state\":\"FINISHED\"");
        assertThat(Files.readString(folder.resolve("out"))).isEqualTo("a line\n");

        HttpResponse<String> wrong = send(described("[1]"));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("a job is described by");
        HttpResponse<String> tooLong = send(submission("--a", "x".repeat(9_000)));
        assertThat(tooLong.statusCode()).isEqualTo(414);
        assertThat(tooLong.body()).contains("longer than 8192 bytes").contains("in the body");
        HttpResponse<String> many = send(described("{\"workers\":65}"));
        assertThat(many.statusCode()).isEqualTo(400);
        assertThat(many.body()).contains("at most 64 workers");
    }

    /** Names and data of a job's events, to its end. */
    private static List<String> events(String id) throws Exception {
        HttpResponse<Stream<String>> answer =
                http.send(at("/" + id + "/events").build(), HttpResponse.BodyHandlers.ofLines());
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("text/event-stream");
        try (Stream<String> lines = answer.body()) {
            return lines.filter(line -> !line.isEmpty()).toList();
        }
    }

    @Test
    void aJobIsSubmittedFollowedShownAndRemembered() throws Exception {
        HttpResponse<String> submitted = send(submission());
        assertThat(submitted.statusCode()).as(submitted.body()).isEqualTo(201);
        String id = json(submitted).get("id").getAsString();

        List<String> events = events(id);
        assertThat(events).first().isEqualTo("event: snapshot");
        assertThat(events).contains("event: ended");
        assertThat(events.getLast()).contains("\"state\":\"FINISHED\"");
        assertThat(Files.readString(folder.resolve("out"))).isEqualTo("a line\n");

        JsonObject shown = json(send(at("/" + id)));
        assertThat(shown.get("name").getAsString()).isEqualTo("copy");
        assertThat(shown.getAsJsonArray("tasks")).isNotEmpty();
        assertThat(
                        shown.getAsJsonArray("plan")
                                .get(0)
                                .getAsJsonObject()
                                .get("drawing")
                                .getAsString())
                .startsWith("<svg");
        assertThat(send(at("")).body()).contains(id);
        assertThat(send(at("/history?limit=1")).body()).contains("signature");
    }

    @Test
    void aRunningJobIsCancelled() throws Exception {
        String id = json(send(submission("--slow"))).get("id").getAsString();
        assertThat(send(at("/" + id).DELETE()).statusCode()).isEqualTo(200);
        assertThat(events(id).getLast()).contains("CANCELED");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void errorsAreJson() throws Exception {
        HttpResponse<String> missing = send(at("/nothing"));
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(json(missing).get("error").getAsString()).contains("there is no job nothing");
        HttpResponse<String> noJar =
                send(
                        at("").header("Content-Type", "application/java-archive")
                                .POST(HttpRequest.BodyPublishers.ofString("text")));
        assertThat(noJar.statusCode()).isEqualTo(400);
        assertThat(json(noJar).get("error").getAsString()).contains("neither a jar");
    }

    @Test
    void aPageOfAnotherSiteMayNotSubmit() throws Exception {
        HttpResponse<String> form = send(at("").POST(HttpRequest.BodyPublishers.ofByteArray(jar)));
        assertThat(form.statusCode()).isEqualTo(400);
        HttpResponse<String> stranger = send(submission().header("Origin", "http://evil.example"));
        assertThat(stranger.statusCode()).isEqualTo(403);
        HttpResponse<String> friend = send(submission().header("Origin", "http://localhost:8081"));
        assertThat(friend.statusCode()).isEqualTo(201);
        events(json(friend).get("id").getAsString());
    }

    @Test
    void jobsNeedATokenAndAreRefusedWithoutAuthentication() throws Exception {
        ServerConfig open =
                ServerConfig.defaults()
                        .withMemory()
                        .withPort(0)
                        .withServer(
                                new ServerConfig.Listen(
                                        "0.0.0.0",
                                        0,
                                        true,
                                        ServerConfig.defaults().server().drain()));
        try (Server anybodys = Server.start(open)) {
            assertThat(status(anybodys)).isEqualTo(403);
        }
        try (Server guarded =
                Server.start(ServerConfig.defaults().withMemory().withPort(0).withToken("t"))) {
            assertThat(status(guarded)).isEqualTo(401);
        }
    }

    private static int status(Server asked) throws Exception {
        return send(HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + asked.port() + JobsPage.PATH)))
                .statusCode();
    }

    @Test
    void onlyKeptJobsCanBeResumed() throws Exception {
        HttpRequest.BodyPublisher nothing = HttpRequest.BodyPublishers.noBody();
        HttpResponse<String> none = send(at("/20261122-101500-3fa2/resume").POST(nothing));
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(json(none).get("code").getAsString()).isEqualTo("NOT_FOUND");
        for (HttpRequest.Builder unknown :
                List.of(at("/x/resumed").POST(nothing), at("/x/y").DELETE(), at("/x/event"))) {
            HttpResponse<String> answer = send(unknown);
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(json(answer).get("error").getAsString())
                    .startsWith("there is no endpoint ")
                    .endsWith(", POST /petrichor/v1/jobs/ID/resume");
        }
        assertThat(send(at("/kept/20261122-101500-3fa2").DELETE()).statusCode()).isEqualTo(404);
        for (HttpRequest.Builder request :
                List.of(at("/x/resume").POST(nothing), at("/kept/x").DELETE())) {
            assertThat(send(request.header("Origin", "https://example.org")).statusCode())
                    .isEqualTo(403);
        }
        assertThat(json(send(at("/kept"))).getAsJsonArray("jobs")).isEmpty();
        HttpResponse<String> pretended = send(described("{\"resumes\": \"x\"}"));
        assertThat(pretended.statusCode()).isEqualTo(400);
    }
}

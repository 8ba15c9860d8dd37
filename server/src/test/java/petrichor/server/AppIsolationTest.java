package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.blobstore.BlobstoreServicePb.CreateUploadURLResponse;
import com.google.apphosting.base.protos.api.RemoteApiPb;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An app that handles a request, and therefore has a ticket, calls every service for the data of
 * another app: by its id, and by ids and handles of its data. The calls are in isolation.txt.
 */
class AppIsolationTest {
    private static final String TOKEN = "t0ken";
    private static final String OWNER = "victim";
    private static final String THIEF = "thief";
    private static final List<String> IDS =
            List.of(OWNER, "s~" + OWNER, "dev~" + OWNER, THIEF, "s~" + THIEF, "", "s~");

    /** Every call of these APIs concerns data of an app. */
    private static final Set<String> APIS_WITH_DATA =
            Set.of(
                    "datastore_v3",
                    "memcache",
                    "taskqueue",
                    "blobstore",
                    "images",
                    "search",
                    "mail",
                    "urlfetch");

    private final CountDownLatch end = new CountDownLatch(1);
    private final TestApp owned = new TestApp();
    private final TestApp thieving = new TestApp();
    private final TestServer server =
            TestServer.start(
                    config ->
                            config.withToken(TOKEN)
                                    .withApps(
                                            config.apps()
                                                    .withTargets(
                                                            Map.of(
                                                                    OWNER,
                                                                    owned.url(),
                                                                    THIEF,
                                                                    thieving.url()))));
    private final List<AppCall> attacks = AppCall.all();

    @AfterEach
    void close() {
        end.countDown();
        server.close();
        owned.close();
        thieving.close();
    }

    @Test
    void anAppUsesNoDataOfAnother() throws Exception {
        BundledCalls owner = running(OWNER, owned);
        BundledCalls thief = running(THIEF, thieving);
        Map<String, String> references =
                new HashMap<>(new AppData(server, owner, OWNER, TOKEN).store());
        references.put("URL", owned.url() + "/job");
        Map<String, String> before = readable(owner, references);
        for (AppCall attack : attacks) {
            for (String id : IDS) {
                RemoteApiPb.Response response =
                        thief.response(
                                attack.api(), attack.method(), attack.message(references, id));
                String shown = response.toByteString().toString(StandardCharsets.ISO_8859_1);
                assertThat(shown).as("%s as %s", attack, id).doesNotContain(AppData.SECRET);
                if (id.contains(OWNER) && attack.text().contains("${APP}")) {
                    assertThat(response.hasResponse()).as("%s as %s", attack, id).isFalse();
                }
                if (attack.kind() == '!') {
                    assertThat(response.hasApplicationError()).as("%s", attack).isTrue();
                }
            }
        }
        assertThat(readable(owner, references)).isEqualTo(before);
        for (AppCall attack : attacks) {
            if (attack.kind() == '!') {
                assertThat(send(owner, attack, references).hasResponse())
                        .as("%s as the owner", attack)
                        .isTrue();
            }
        }
        assertThat(owned.arrived()).containsOnly("/job");
    }

    @Test
    void anUploadDoesNotEnterABucketOfAnotherApp() throws Exception {
        BundledCalls owner = running(OWNER, owned);
        BundledCalls thief = running(THIEF, thieving);
        Map<String, String> references = new AppData(server, owner, OWNER, TOKEN).store();
        AppCall upload =
                attacks.stream()
                        .filter(attack -> attack.method().equals("CreateUploadURL"))
                        .findFirst()
                        .orElseThrow();
        String url =
                CreateUploadURLResponse.parseFrom(
                                BundledCalls.successful(send(thief, upload, references)))
                        .getUrl();
        String form =
                String.join(
                        "\r\n",
                        "--x",
                        "Content-Disposition: form-data; name=\"f\"; filename=\"secret\"",
                        "",
                        "stolen",
                        "--x--",
                        "");
        int status =
                server.send(
                                server.request(url.substring(url.indexOf("/_ah/")))
                                        .header("Content-Type", "multipart/form-data; boundary=x")
                                        .POST(HttpRequest.BodyPublishers.ofString(form)))
                        .statusCode();
        assertThat(status).isEqualTo(403);
    }

    /** A new call needs a line in the file. */
    @Test
    void theFileHasEveryCallOfTheSdksThatConcernsData() throws IOException {
        Set<String> tried = new HashSet<>();
        attacks.forEach(attack -> tried.add(attack.api() + "." + attack.method()));
        Set<String> calls = new HashSet<>();
        for (String sdk : List.of("appengine-python", "appengine-go")) {
            Files.readAllLines(Path.of("..", "clients", sdk, "calls.txt")).stream()
                    .filter(call -> APIS_WITH_DATA.contains(call.split("\\.", 2)[0]))
                    .forEach(calls::add);
        }
        assertThat(calls).hasSizeGreaterThan(40).isSubsetOf(tried);
    }

    private static RemoteApiPb.Response send(
            BundledCalls app, AppCall attack, Map<String, String> references) throws Exception {
        return app.response(
                attack.api(), attack.method(), attack.message(references, "s~" + OWNER));
    }

    /** What the owner reads, which contains the secret. */
    private Map<String, String> readable(BundledCalls owner, Map<String, String> references)
            throws Exception {
        Map<String, String> all = new HashMap<>();
        for (AppCall attack : attacks) {
            boolean lists =
                    attack.method().startsWith("FetchQueue")
                            || attack.method().equals("GetIndices");
            if (attack.kind() != '+' && !lists) {
                continue;
            }
            RemoteApiPb.Response response = send(owner, attack, references);
            String shown = response.toByteString().toString(StandardCharsets.ISO_8859_1);
            if (attack.kind() == '+') {
                assertThat(shown).as("%s as the owner", attack).contains(AppData.SECRET);
            }
            all.put(attack.toString(), shown);
        }
        return all;
    }

    /** An app whose request has a ticket until the end of the test. */
    private BundledCalls running(String project, TestApp app) throws Exception {
        CompletableFuture<String> ticket = new CompletableFuture<>();
        app.handle(
                arrival -> {
                    ticket.complete(arrival.header("x-appengine-api-ticket"));
                    try {
                        end.await();
                    } catch (InterruptedException stopping) {
                        Thread.currentThread().interrupt();
                    }
                    return 200;
                });
        String task = "{\"task\": {\"appEngineHttpRequest\": {\"relativeUri\": \"/job\"}}}";
        assertThat(
                        server.send(
                                        server.request(
                                                        "/v2/projects/"
                                                                + project
                                                                + "/locations/here/queues/default/tasks")
                                                .header("Authorization", "Bearer " + TOKEN)
                                                .header("Content-Type", "application/json")
                                                .POST(HttpRequest.BodyPublishers.ofString(task)))
                                .statusCode())
                .isEqualTo(200);
        return new BundledCalls(server.port(), ticket.get(60, TimeUnit.SECONDS));
    }
}

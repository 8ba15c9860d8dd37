package petrichor.apps.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.catalog.Traffic;
import petrichor.apps.instances.InstanceState;
import petrichor.apps.router.table.VersionName;
import petrichor.kv.memory.MemoryStore;

/** Deploys apps in Python: real builds, processes and requests. */
class HostingTest {
    private static final String SERVER =
            """
            import http.server, os

            GREETING = "hello "

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    if self.path == "/die":
                        os._exit(3)
                    text = (GREETING + self.path + " " + os.environ["GAE_VERSION"]).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

                def log_message(self, *_):
                    print("asked for " + self.path, flush=True)

            http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
            """;

    @TempDir private Path folder;
    private final MemoryStore store = MemoryStore.open();
    private Platform platform;

    @BeforeEach
    void open() throws Exception {
        platform = new Platform(folder.resolve("platform"), store);
    }

    @AfterEach
    void close() {
        platform.close();
        store.close();
    }

    private static Map<String, String> app(String greeting) {
        Map<String, String> files = new HashMap<>();
        files.put("app.yaml", "runtime: python\nentrypoint: python main.py\n");
        files.put("main.py", SERVER.replace("hello", greeting));
        return files;
    }

    /** Its binary is not in the folder of its sources. */
    @Test
    void aCompiledAppAnswers() throws Exception {
        Map<String, String> files =
                Map.of(
                        "app.yaml",
                        "runtime: go122\n",
                        "go.mod",
                        "module demo\n\ngo 1.22\n",
                        "main.go",
                        """
                        package main

                        import (
                            "net"
                            "os"
                        )

                        func main() {
                            listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
                            if err != nil {
                                panic(err)
                            }
                            for {
                                connection, err := listener.Accept()
                                if err != nil {
                                    panic(err)
                                }
                                connection.Read(make([]byte, 4096))
                                connection.Write([]byte("HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello"))
                                connection.Close()
                            }
                        }
                        """);
        deployed(platform.deploy("demo", "v1", files));
        assertThat(platform.get("demo.localhost", "/").body()).isEqualTo("hello");
    }

    private static DeployResult.Deployed deployed(DeployResult result) {
        assertThat(result).isInstanceOf(DeployResult.Deployed.class);
        return (DeployResult.Deployed) result;
    }

    @Test
    void aDeployedAppAnswers() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        assertThat(platform.get("demo.localhost", "/a?b=c").body()).isEqualTo("hello /a?b=c v1");
        assertThat(platform.get("localhost", "/").body()).isEqualTo("hello / v1");
        assertThat(platform.get("v1-dot-demo.localhost", "/").statusCode()).isEqualTo(200);
        assertThat(platform.get("demo.localhost", "/_ah/warmup").statusCode()).isEqualTo(404);
    }

    @Test
    void aVersionReplacesAnotherWithinAQuotaOfOneInstance() throws Exception {
        platform.hosting.changeQuotas("demo", quotas -> quotas.with("instances", "1"));
        deployed(platform.deploy("demo", "v1", app("hello")));
        deployed(platform.deploy("demo", "v2", app("hello")));
        Instant end = Instant.now().plus(Duration.ofSeconds(60));
        while (platform.hosting.instanceUse("demo").instances() > 1
                && Instant.now().isBefore(end)) {
            assertThat(platform.get("demo.localhost", "/").body()).isEqualTo("hello / v2");
        }
        assertThat(platform.hosting.instanceUse("demo").instances()).isEqualTo(1);
        assertThat(platform.get("demo.localhost", "/").body()).isEqualTo("hello / v2");
        assertThat(platform.get("v1-dot-demo.localhost", "/").body())
                .contains("the app is at its quota instances=1");
    }

    @Test
    void aFailedDeploymentChangesNothing() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        Map<String, String> crashing = app("x");
        crashing.put("main.py", "raise SystemExit('no database')\n");
        Map<String, String> silent = app("x");
        silent.put("main.py", "import nothing_of_this_name\n");
        Map<String, String> invalid = app("x");
        invalid.put("app.yaml", "runtim: python\n");
        Map<String, String> unbuildable = app("x");
        unbuildable.put("requirements.txt", "petrichor-does-not-exist==0\n");
        Map<String, Map<String, String>> broken =
                Map.of(
                        "no database", crashing,
                        "nothing_of_this_name", silent,
                        "runtime", invalid,
                        "petrichor-does-not-exist", unbuildable);
        for (Map.Entry<String, Map<String, String>> each : broken.entrySet()) {
            DeployResult result = platform.deploy("demo", "v2", each.getValue());
            assertThat(result).isInstanceOf(DeployResult.Failed.class);
            DeployResult.Failed failed = (DeployResult.Failed) result;
            assertThat(failed.reason() + failed.details().orElse("")).contains(each.getKey());
            assertThat(failed.reason()).doesNotContain("\n");
            assertThat(platform.get("demo.localhost", "/").body()).isEqualTo("hello / v1");
        }
        assertThat(platform.hosting.status("demo")).hasSize(1);
    }

    @Test
    void requestsDoNotFailDuringSwitches() throws Exception {
        deployed(platform.deploy("demo", "v0", app("hello")));
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        Thread load =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (!done.get()) {
                                        try {
                                            int status =
                                                    platform.get("demo.localhost", "/")
                                                            .statusCode();
                                            (status == 200 ? answered : failed).incrementAndGet();
                                        } catch (Exception e) {
                                            failed.incrementAndGet();
                                        }
                                    }
                                });
        for (int i = 1; i <= 4; i++) {
            deployed(platform.deploy("demo", "v" + i, app("hello " + i)));
        }
        platform.hosting.rollback("demo", "default");
        assertThat(platform.get("demo.localhost", "/").body()).isEqualTo("hello 3 / v3");
        done.set(true);
        load.join();
        assertThat(failed).hasValue(0);
        assertThat(answered.get()).isPositive();
    }

    @Test
    void trafficIsSplit() throws Exception {
        deployed(platform.deploy("demo", "v1", app("one")));
        deployed(platform.deploy("demo", "v2", app("two")));
        platform.hosting.split(
                "demo", "default", new Traffic(Traffic.By.RANDOM, Map.of("v1", 500, "v2", 500)));
        int first = 0;
        for (int i = 0; i < 100; i++) {
            String body = platform.get("demo.localhost", "/").body();
            first += body.startsWith("one") ? 1 : 0;
        }
        assertThat(first).isBetween(20, 80);
    }

    @Test
    void anInstanceThatDiesIsReplaced() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        assertThat(platform.get("demo.localhost", "/die").statusCode()).isBetween(500, 504);
        Instant end = Instant.now().plus(Duration.ofMinutes(1));
        while (platform.get("demo.localhost", "/").statusCode() != 200) {
            assertThat(Instant.now()).isBefore(end);
        }
        assertThat(platform.hosting.status("demo").getFirst().explanation()).isNotEmpty();
    }

    @Test
    void everyInstanceHasTheReasonOfItsStart() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        platform.backlog = 250;
        List<String> reasons = List.of();
        Instant end = Instant.now().plus(Duration.ofMinutes(1));
        while (reasons.size() < 3) {
            assertThat(Instant.now()).isBefore(end);
            reasons =
                    platform.hosting.status("demo").getFirst().members().stream()
                            .map(FleetStatus.Member::reason)
                            .toList();
        }
        assertThat(reasons)
                .containsExactly(
                        "its version was deployed", "tasks of queues wait", "tasks of queues wait");
    }

    @Test
    void staticFilesAreThoseOfTheirHandlers() throws Exception {
        Map<String, String> files = app("hello");
        files.put(
                "app.yaml",
                """
                runtime: python
                entrypoint: python main.py
                handlers:
                - url: /static
                  static_dir: public
                - url: /(.*\\.txt)
                  static_files: texts/\\1
                  upload: texts/[a-m].*\\.txt
                - url: /.*
                  script: auto
                """);
        files.put("public/a.css", "a {}");
        files.put("texts/hello.txt", "a text");
        files.put("texts/secret.txt", "not uploaded");
        deployed(platform.deploy("demo", "v1", files));
        var css = platform.get("demo.localhost", "/static/a.css");
        assertThat(css.body()).isEqualTo("a {}");
        assertThat(css.headers().firstValue("content-type").orElse("")).startsWith("text/css");
        assertThat(platform.get("demo.localhost", "/hello.txt").body()).isEqualTo("a text");
        for (String path :
                new String[] {
                    "/secret.txt",
                    "/static/../main.py",
                    "/static/%2e%2e/main.py",
                    "/static/missing.css"
                }) {
            assertThat(platform.get("demo.localhost", path).body())
                    .as(path)
                    .doesNotContain("not uploaded")
                    .doesNotContain("import http");
        }
        assertThat(platform.get("demo.localhost", "/other").body()).isEqualTo("hello /other v1");
    }

    @Test
    void appsReturnAfterARestart() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        platform.close();
        platform = new Platform(folder.resolve("platform"), store);
        assertThat(platform.get("demo.localhost", "/").body()).isEqualTo("hello / v1");
    }

    @Test
    void versionsStopStartAndAreDeleted() throws Exception {
        VersionName version = new VersionName("demo", "default", "v1");
        deployed(platform.deploy("demo", "v1", app("hello")));
        platform.hosting.setServing(version, false);
        assertThat(platform.get("demo.localhost", "/").statusCode()).isEqualTo(503);
        platform.hosting.setServing(version, true);
        assertThat(platform.get("demo.localhost", "/").statusCode()).isEqualTo(200);
        platform.hosting.delete("demo");
        assertThat(platform.get("demo.localhost", "/").statusCode()).isEqualTo(404);
        assertThat(platform.hosting.status("demo")).isEmpty();
    }

    @Test
    void outputIsInTheLog() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        assertThat(platform.get("demo.localhost", "/for-the-log").statusCode()).isEqualTo(200);
        var tail = platform.hosting.logs(new VersionName("demo", "default", "v1"), 100);
        boolean found = false;
        while (!found) {
            var lines = tail.read(Duration.ofMinutes(1));
            assertThat(lines).isNotEmpty();
            found = lines.stream().anyMatch(line -> line.text().equals("asked for /for-the-log"));
        }
        assertThat(
                        platform.hosting.status("demo").stream()
                                .flatMap(status -> status.members().stream())
                                .map(FleetStatus.Member::state))
                .contains(new InstanceState.Ready());
    }

    private static Map<String, String> service(String name, String greeting) {
        Map<String, String> files = app(greeting);
        files.put("app.yaml", files.get("app.yaml") + "service: " + name + "\n");
        return files;
    }

    @Test
    void dispatchRulesChooseServices() throws Exception {
        deployed(platform.deploy("demo", "v1", app("web")));
        Map<String, String> worker = service("worker", "worker");
        worker.put("dispatch.yaml", "dispatch:\n- url: '*/work/*'\n  service: worker\n");
        deployed(platform.deploy("demo", "w1", worker));
        assertThat(platform.events)
                .contains(
                        new DeployEvent.Applied(
                                new AppliedFile("dispatch.yaml", List.of("*/work/*"), List.of())));
        assertThat(platform.get("demo.localhost", "/work/1").body()).startsWith("worker /work/1");
        assertThat(platform.get("demo.localhost", "/other").body()).startsWith("web /other");

        assertThat(platform.deployFiles("demo", Map.of("dispatch.yaml", "dispatch:\n")))
                .isInstanceOf(DeployResult.Configured.class);
        assertThat(platform.get("demo.localhost", "/work/1").body()).startsWith("web /work/1");
    }

    @Test
    void anInvalidDispatchFileFailsTheDeploymentBeforeItsBuild() throws Exception {
        deployed(platform.deploy("demo", "v1", app("hello")));
        Map<String, String> broken =
                Map.of(
                        "dispatch.yaml:3",
                        "dispatch:\n- url: '*/a'\n  servise: default\n",
                        "or write default",
                        "dispatch:\n- url: '*/a'\n  service: defualt\n");
        for (Map.Entry<String, String> each : broken.entrySet()) {
            Map<String, String> files = app("broken");
            files.put("dispatch.yaml", each.getValue());
            platform.events.clear();
            for (DeployResult result :
                    List.of(
                            platform.deploy("demo", "v2", files),
                            platform.deployFiles("demo", files))) {
                assertThat(result)
                        .isInstanceOfSatisfying(
                                DeployResult.Failed.class,
                                failed -> {
                                    assertThat(failed.step()).isEqualTo("configuration");
                                    assertThat(failed.reason()).contains(each.getKey());
                                });
            }
            assertThat(platform.events).isEmpty();
            assertThat(platform.get("demo.localhost", "/a").body()).isEqualTo("hello /a v1");
        }
    }
}

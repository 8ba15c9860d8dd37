package petrichor.bench.apps;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.bench.ServerProcess;
import petrichor.bench.SystemCommand;
import petrichor.testing.process.Program;

/** A server with its router, and what its users do: they run commands and send requests. */
final class HostedApps implements AutoCloseable {
    private static final Duration TIME_MAX = Duration.ofMinutes(3);
    static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Pattern READY = Pattern.compile("platform ready on port (\\d+)");
    private static final Duration REQUEST_TIME_MAX = Duration.ofSeconds(60);

    private final Path folder;
    private final int routerPort;
    private final ServerProcess server;
    private final HttpClient client;

    private HostedApps(Path folder, int routerPort, ServerProcess server, HttpClient client) {
        this.folder = folder;
        this.routerPort = routerPort;
        this.server = server;
        this.client = client;
    }

    /**
     * @param folder whose apps are served, if there are any
     */
    static HostedApps on(Path folder) {
        return on(folder, Optional.empty());
    }

    /**
     * @param store address of a datastore; without one, the data is in the folder
     */
    static HostedApps on(Path folder, Optional<String> store) {
        int routerPort = ServerProcess.freePort();
        Map<String, String> settings = new HashMap<>();
        settings.put("PETRICHOR_APPS__PORT", Integer.toString(routerPort));
        settings.put("PETRICHOR_APPS__FOLDER", folder.resolve("data-apps").toString());
        store.ifPresent(address -> settings.put("PETRICHOR_STORE__URL", address));
        ServerProcess server =
                ServerProcess.petrichor(
                        store.isPresent()
                                ? List.of()
                                : List.of("--data", folder.resolve("data").toString()),
                        settings);
        HttpClient client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(REQUEST_TIME_MAX)
                        .build();
        HostedApps apps = new HostedApps(folder, routerPort, server, client);
        URI ready = URI.create("http://127.0.0.1:" + server.port() + "/readyz");
        // A datastore on other servers is opened after the port.
        await("the server is not ready", () -> apps.succeeds(ready), POLL_INTERVAL);
        return apps;
    }

    ServerProcess server() {
        return server;
    }

    /** Where the router answers for the only app. */
    URI router() {
        return URI.create("http://127.0.0.1:" + routerPort);
    }

    int routerPort() {
        return routerPort;
    }

    /** The built sources of the app's only build, and its only layer. */
    Path builds(String project) {
        return folder.resolve("data-apps/builds/apps").resolve(project);
    }

    /** Runs a command as users do, with its own process; returns how long it took. */
    Duration command(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--port", Integer.toString(server.port())));
        long from = System.nanoTime();
        String _ =
                SystemCommand.run(
                        Program.petrichor(Program.SHORT_COMMAND_FLAGS, all).toArray(String[]::new));
        return Duration.ofNanos(System.nanoTime() - from);
    }

    Duration deploy(String project, String version, Path source) throws IOException {
        return command("deploy", source.toString(), "--project", project, "--version-id", version);
    }

    /** A change by the API: that of the command, without the start of a process. */
    Duration change(String project, String action, Optional<String> version)
            throws IOException, InterruptedException {
        JsonObject change = new JsonObject();
        change.addProperty("action", action);
        version.ifPresent(name -> change.addProperty("version", name));
        long from = System.nanoTime();
        HttpResponse<String> answer =
                client.send(
                        page(project)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(change.toString()))
                                .build(),
                        BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(action + ": " + answer.statusCode() + " " + answer.body());
        }
        return Duration.ofNanos(System.nanoTime() - from);
    }

    /** An account with which people sign in to apps. */
    void addUser(String email, String password) throws IOException, InterruptedException {
        JsonObject account = new JsonObject();
        account.addProperty("action", "add");
        account.addProperty("email", email);
        account.addProperty("password", password);
        HttpResponse<String> answer =
                client.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:"
                                                        + server.port()
                                                        + "/petrichor/v1/users"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(account.toString()))
                                .build(),
                        BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2) {
            throw new IOException("no account: " + answer.statusCode() + " " + answer.body());
        }
    }

    private HttpRequest.Builder page(String project) {
        return HttpRequest.newBuilder(
                        URI.create(
                                "http://127.0.0.1:"
                                        + server.port()
                                        + "/petrichor/v1/apps/"
                                        + project))
                .timeout(REQUEST_TIME_MAX);
    }

    /** Of all versions, in any state before their end. */
    int instances(String project) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(page(project).build(), BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
        int all = 0;
        for (JsonElement fleet :
                JsonParser.parseString(answer.body()).getAsJsonObject().getAsJsonArray("fleets")) {
            all += fleet.getAsJsonObject().getAsJsonArray("instances").size();
        }
        return all;
    }

    /** Of the only instance of the only version. */
    int instancePort(String project) throws IOException, InterruptedException {
        for (String line : get(logOf(project)).body().lines().toList()) {
            Matcher ready = READY.matcher(line);
            if (ready.find()) {
                return Integer.parseInt(ready.group(1));
            }
        }
        throw new IOException("the log of " + project + " names no port");
    }

    private URI logOf(String project) {
        return URI.create(
                "http://127.0.0.1:" + server.port() + "/petrichor/v1/apps/" + project + "/log");
    }

    void awaitNoInstance(String project) throws IOException, InterruptedException {
        long from = System.nanoTime();
        while (instances(project) > 0) {
            if (System.nanoTime() - from > TIME_MAX.toNanos()) {
                throw new IOException(project + " has instances after " + TIME_MAX.toSeconds());
            }
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
        }
    }

    /** The status and text of a page of the only app. */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return get(router().resolve(path));
    }

    HttpResponse<String> get(URI page) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(page).timeout(REQUEST_TIME_MAX).build(),
                BodyHandlers.ofString());
    }

    private boolean succeeds(URI page) {
        try {
            return get(page).statusCode() == 200;
        } catch (IOException refused) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the benchmark was interrupted", e);
        }
    }

    /** Whether a server answers with any status. */
    boolean answers(URI page) {
        try {
            return get(page).statusCode() > 0;
        } catch (IOException refused) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the benchmark was interrupted", e);
        }
    }

    static void await(String what, BooleanSupplier condition, Duration interval) {
        long from = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - from > TIME_MAX.toNanos()) {
                throw new IllegalStateException(what + " after " + TIME_MAX);
            }
            LockSupport.parkNanos(interval.toNanos());
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}

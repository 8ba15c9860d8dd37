package petrichor.cli.apps;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "deploy",
        mixinStandardHelpOptions = true,
        description = "Deploy an app, or its configuration files, to a running server.")
public final class DeployCommand implements Callable<Integer> {
    /** Longer than the longest build. */
    private static final Duration TIME_MAX = Duration.ofMinutes(30);

    private static final double MILLIS_PER_SECOND = 1000;

    @Mixin private ServerAddress address = new ServerAddress();

    @Parameters(
            arity = "1..*",
            paramLabel = "SOURCE",
            description =
                    "Folder of the app, a .zip, .tar.gz, .jar or .war file, or a Git URL. Or only"
                        + " files of the app: queue.yaml, cron.yaml, index.yaml, dispatch.yaml.")
    private List<String> sources = new ArrayList<>();

    @Option(
            names = "--version-id",
            paramLabel = "NAME",
            description = "Name of the version. Default: that of app.yaml, or the time")
    private @Nullable String version;

    @Option(names = "--no-promote", description = "Do not send requests to the version yet.")
    private boolean noPromote;

    @Option(names = "--json", description = "Print one JSON object per event.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException, IOException {
        try (ServerAddress.Connection connection = address.connect(false);
                SourceArchiveFile archive = SourceArchiveFile.of(sources)) {
            String server = connection.client().address();
            SSLContext tls = address.tls();
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(
                                    URI.create(
                                            (tls == null ? "http://" : "https://")
                                                    + server
                                                    + "/petrichor/v1/deployments?"
                                                    + query(archive)))
                            .timeout(TIME_MAX)
                            .header("Content-Type", archive.mediaType())
                            .POST(HttpRequest.BodyPublishers.ofFile(archive.file()));
            if (!address.token().isEmpty()) {
                request.header("Authorization", "Bearer " + address.token());
            }
            try (HttpClient client = ServerPage.client(tls)) {
                HttpResponse<Stream<String>> answer =
                        client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
                JsonObject result = new DeploymentProgress(server, "deployed", json).follow(answer);
                if (result.has("deployed")) {
                    deployed(result.getAsJsonObject("deployed"));
                }
                return ExitCode.OK.number();
            } catch (IOException failed) {
                throw ServerPage.noAnswer(server, failed);
            }
        }
    }

    private String query(SourceArchiveFile archive) {
        StringBuilder query = new StringBuilder("promote=" + !noPromote);
        if (archive.isOfFiles()) {
            add(query, "only", "files");
        }
        address.givenProject().ifPresent(project -> add(query, "project", project));
        if (version != null) {
            add(query, "version", version);
        }
        add(query, "by", System.getProperty("user.name", ""));
        return query.toString();
    }

    private static void add(StringBuilder query, String name, String value) {
        query.append('&')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    private void deployed(JsonObject version) {
        if (!json) {
            System.out.printf(
                    Locale.ROOT,
                    "deployed %s/%s/%s in %.1f s: %s%n",
                    version.get("project").getAsString(),
                    version.get("service").getAsString(),
                    version.get("version").getAsString(),
                    version.get("milliseconds").getAsLong() / MILLIS_PER_SECOND,
                    version.get("url").getAsString());
        }
    }
}

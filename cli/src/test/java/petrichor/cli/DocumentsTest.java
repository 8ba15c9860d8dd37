package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.entities.Limits;
import petrichor.server.Server;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;

/**
 * Checks the documents against the program: links lead somewhere, and lists are complete and
 * correct.
 */
final class DocumentsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> NOT_OURS =
            Set.of("target", "node_modules", ".git", ".cache", ".venv", "petrichor-data");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][A-Za-z]+)`");
    private static final Pattern DECLARATION =
            Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");
    private static final Pattern METRIC = Pattern.compile("`((?:petrichor|jvm|process)_[a-z_]+)`");

    /** In Prometheus expressions; labels and names of alerts look different. */
    private static final Pattern METRIC_IN_EXPRESSION =
            Pattern.compile("\\b((?:petrichor|jvm|process)_[a-z_]+)\\b");

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("");
            for (String target : all(LINK, text)) {
                if (target.matches("[a-z]+:.*")) {
                    continue;
                }
                links++;
                String[] parts = target.split("#", 2);
                Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
                boolean found =
                        file.startsWith(ROOT)
                                && Files.exists(file)
                                && (parts.length == 1 || headings(file).contains(parts[1]));
                if (!found) {
                    broken.add(ROOT.relativize(page) + " -> " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).as("links that were followed").isGreaterThan(20);
    }

    @Test
    void theConfigurationReferenceHasEveryKeyAsItIs() throws IOException {
        List<String> rows = new ArrayList<>();
        for (ConfigKey key : ConfigKey.values()) {
            rows.add(
                    String.format(
                            "| `%s` | `%s` | %s | %s |",
                            key.key(),
                            key.environmentVariable(),
                            key.standard().isEmpty() ? "" : "`" + key.standard() + "`",
                            key.doc()));
        }
        assertThat(Files.readAllLines(ROOT.resolve("docs/operate/configuration.md")))
                .as("rows of the table of keys, in their order")
                .filteredOn(line -> line.matches("\\| `[a-z]+\\.[a-z].*"))
                .isEqualTo(rows);
    }

    @Test
    void theListOfMetricsMatchesTheServer(@TempDir Path folder) throws Exception {
        Set<String> report = new TreeSet<>();
        try (Server server = Server.start(ServerConfig.defaults().withData(folder).withPort(0));
                HttpClient client = HttpClient.newHttpClient()) {
            // A histogram of requests has no series, and so no line, before the first request.
            URI request =
                    URI.create("http://localhost:" + server.port() + "/v1/projects/p:allocateIds");
            client.send(
                    HttpRequest.newBuilder(request)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            // Nor have the counters of requests for objects, and of the calls of apps.
            client.send(
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://localhost:"
                                                    + server.port()
                                                    + "/storage/v1/b?project=p"))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://localhost:" + server.port() + "/rpc_http"))
                            .header("Content-Type", "application/octet-stream")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(callOfAnApp()))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            URI page = URI.create("http://localhost:" + server.port() + "/metrics");
            client.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith("# TYPE "))
                    .forEach(line -> report.add(line.split(" ", -1)[2]));
        }
        assertThat(report).hasSizeGreaterThan(20);
        // QuotasOfAppsTest of the server sees these: they have no series without a deployed app.
        // The same is true of backups without a schedule: see ScheduledBackupsTest; and of
        // databases without a replica or a migration: see ReplicationPageTest and
        // MigrationReadingsTest.
        report.addAll(
                List.of(
                        "petrichor_migration_phase",
                        "petrichor_migration_copied_ratio",
                        "petrichor_migration_rows_per_second",
                        "petrichor_migration_lag_seconds",
                        "petrichor_migration_mismatches",
                        "petrichor_migration_blocked",
                        "petrichor_replication_lag_seconds",
                        "petrichor_replication_commits_total",
                        "petrichor_replication_sent_bytes_total",
                        "petrichor_replication_retries_total",
                        "petrichor_backup_age_seconds",
                        "petrichor_backup_failing",
                        "petrichor_backup_last_seconds",
                        "petrichor_app_quota_limit",
                        "petrichor_app_quota_refused_total",
                        "petrichor_app_quota_usage",
                        "petrichor_ring_ranges",
                        "petrichor_ring_reads_total",
                        "petrichor_ring_writes_total"));
        String text = Files.readString(ROOT.resolve("docs/operate/monitoring.md"));
        Set<String> listed = new TreeSet<>(all(METRIC, text));
        assertThat(listed).isEqualTo(report);
        for (String file : List.of("alerts.yml", "dashboard.json")) {
            Path path = ROOT.resolve("docs/operate/monitoring").resolve(file);
            Set<String> used = new TreeSet<>();
            for (String name : all(METRIC_IN_EXPRESSION, Files.readString(path))) {
                used.add(name.replaceFirst("_(bucket|sum|count)$", ""));
            }
            assertThat(used).as(file).hasSizeGreaterThan(8);
            assertThat(report).as("metrics that exist, of those in " + file).containsAll(used);
        }
    }

    private static byte[] callOfAnApp() {
        return RemoteApiPb.Request.newBuilder()
                .setServiceName("system")
                .setMethod("GetSystemStats")
                .setRequest(ByteString.EMPTY)
                .setRequestId("p")
                .build()
                .toByteArray();
    }

    @Test
    void everyLimitOfTheModelIsDocumented() throws Exception {
        String text = Files.readString(ROOT.resolve("docs/reference/limits.md"));
        int limits = 0;
        for (Field limit : Limits.class.getFields()) {
            String number = String.format(Locale.ROOT, "%,d", limit.getInt(null));
            assertThat(text).as(limit.getName()).containsPattern("\\b" + number + "\\b");
            limits++;
        }
        assertThat(limits).isGreaterThan(10);
    }

    @Test
    void everyTypeThatTheArchitectureNamesIsThere() throws IOException {
        Set<String> declared = new TreeSet<>();
        for (Path source : files(".java")) {
            declared.addAll(all(DECLARATION, Files.readString(source)));
        }
        Set<String> named = new TreeSet<>();
        for (String line : Files.readAllLines(ROOT.resolve("ARCHITECTURE.md"))) {
            if (line.startsWith("|")) {
                named.addAll(all(TYPE, line));
            }
        }
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(declared).containsAll(named);
    }

    private static List<Path> pages() throws IOException {
        return files(".md");
    }

    private static List<Path> files(String ending) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes of) {
                        return NOT_OURS.contains(folder.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes of) {
                        if (file.toString().endsWith(ending)) {
                            files.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return files;
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    }

    /** The anchors that code hosts generate for headings. */
    private static List<String> headings(Path page) throws IOException {
        try (Stream<String> lines = Files.lines(page)) {
            return lines.filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                    .map(title -> title.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                    .toList();
        }
    }
}

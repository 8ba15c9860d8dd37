package petrichor.cli.serving;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerFlags;
import petrichor.cli.connection.ServerPage;
import petrichor.cli.connection.TrustedCertificates;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.config.Version;
import petrichor.server.doctor.Doctor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Writes one archive with the information that maintainers need first. All of its content passes
 * through {@link Redaction}; entities are never read.
 */
@Command(
        name = "support-bundle",
        mixinStandardHelpOptions = true,
        description = {
            "Write an archive with everything that a bug report needs.",
            "Contains versions, configuration, findings of doctor, and of a running server its"
                    + " metrics, log, threads, cluster and databases. No entities, no secrets."
        })
public final class SupportBundleCommand implements Callable<Integer> {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
    private static final DateTimeFormatter NAME_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    /** Pages of a server by file name. */
    private static final Map<String, String> PAGES = pages();

    @Mixin private ServerFlags flags = new ServerFlags();

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            description =
                    "Address of the running server. Default: localhost and the configured port")
    private @Nullable String server;

    @Option(
            names = "--token",
            description = "Token for a server that requires one. Default: PETRICHOR_TOKEN")
    private @Nullable String token;

    @Option(names = "--tls", description = "Connect with TLS.")
    private boolean tls;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description =
                    "Connect with TLS and trust the certificates in this PEM file instead of the"
                            + " system's.")
    private @Nullable Path tlsTrust;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "The file to write. Default: petrichor-support-TIME.zip")
    private @Nullable Path output;

    private static Map<String, String> pages() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("version.json", "/version");
        pages.put("readyz.txt", "/readyz?verbose");
        pages.put("metrics.txt", "/metrics");
        pages.put("log.jsonl", "/petrichor/v1/support/log");
        pages.put("threads.txt", "/petrichor/v1/support/threads");
        pages.put("cluster.json", "/petrichor/v1/cluster");
        pages.put("databases.json", "/petrichor/v1/databases");
        return pages;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Settings settings = flags.settings();
        ServerConfig config = ServerConfig.of(settings);
        String secret = token();
        Redaction redaction = Redaction.of(settings, System.getenv(), secret);
        Path file = file();
        try (ZipOutputStream zip = new ZipOutputStream(create(file))) {
            add(zip, redaction, "about.json", about());
            add(zip, redaction, "config.toml", ConfigCommand.Show.toml(settings, true));
            add(zip, redaction, "doctor.jsonl", doctor(config));
            String address = server == null ? "localhost:" + config.server().port() : server;
            Map<String, String> answers = answers(address, secret);
            for (Map.Entry<String, String> answer : answers.entrySet()) {
                add(zip, redaction, "server/" + answer.getKey(), answer.getValue());
            }
        }
        System.out.println(file);
        Terminal.open(false).say("review it before you send it to anyone");
        return ExitCode.OK.number();
    }

    private String token() {
        String given = token == null ? System.getenv("PETRICHOR_TOKEN") : token;
        return given == null ? "" : given;
    }

    private Path file() {
        return output == null
                ? Path.of("petrichor-support-" + NAME_TIME.format(Instant.now()) + ".zip")
                : output;
    }

    /** Creates the file for its owner only; never overwrites another file. */
    private static OutputStream create(Path file) throws IOException {
        OutputStream created =
                Files.newOutputStream(
                        file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return created;
    }

    private static void add(ZipOutputStream zip, Redaction redaction, String name, String text)
            throws IOException {
        zip.putNextEntry(new ZipEntry("petrichor-support/" + name));
        zip.write(redaction.of(text).getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    private static String about() {
        return new JsonLine()
                        .put("version", Version.text())
                        .put("java", Runtime.version().toString())
                        .put("system", System.getProperty("os.name"))
                        .put("systemVersion", System.getProperty("os.version"))
                        .put("architecture", System.getProperty("os.arch"))
                        .put("processors", Runtime.getRuntime().availableProcessors())
                        .put("time", Instant.now().toString())
                + "\n";
    }

    private static String doctor(ServerConfig config) {
        return Doctor.examine(config).stream()
                .map(finding -> DoctorCommand.json(finding) + "\n")
                .collect(Collectors.joining());
    }

    /** Responses by file name; for an unavailable page, the reason. */
    private Map<String, String> answers(String address, String secret) throws InterruptedException {
        SSLContext encryption =
                tls || tlsTrust != null ? TrustedCertificates.context(tlsTrust) : null;
        Map<String, String> answers = new LinkedHashMap<>();
        try (HttpClient client = ServerPage.client(encryption)) {
            for (Map.Entry<String, String> page : PAGES.entrySet()) {
                HttpRequest request =
                        ServerPage.request(address, page.getValue(), secret, encryption)
                                .timeout(ANSWER_MAX)
                                .build();
                try {
                    HttpResponse<String> answer =
                            client.send(request, HttpResponse.BodyHandlers.ofString());
                    answers.put(
                            page.getKey(),
                            answer.statusCode() < 400 || answer.statusCode() == 503
                                    ? answer.body()
                                    : "HTTP " + answer.statusCode() + ": " + answer.body());
                } catch (IOException silent) {
                    PetrichorException why = ServerPage.noAnswer(address, silent);
                    answers.put("no-answer.txt", why.getMessage() + "\n");
                    return answers;
                }
            }
        }
        return answers;
    }
}

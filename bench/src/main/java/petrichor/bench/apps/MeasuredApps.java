package petrichor.bench.apps;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;

/** The sources of apps under measurement, written into a folder. Stateless. */
final class MeasuredApps {
    /** How many instances of the small app may run, each for up to eight requests. */
    private static final String SCALING =
            """
            automatic_scaling:
              max_instances: 4
            """;

    /** Its instance ends soon, so that the next request starts another one. */
    private static final String SHORT_LIVED =
            """
            basic_scaling:
              max_instances: 1
              idle_timeout: 1s
            """;

    private static final String FLASK =
            """
            import flask

            app = flask.Flask(__name__)


            @app.get("/")
            def hello():
                return "TEXT"
            """;

    /** Of nginx as an app. */
    private static final String ORIGIN =
            """
            daemon off; pid FOLDER/nginx.pid; error_log stderr;
            worker_processes 2;
            events { worker_connections 4000; }
            http {
              access_log off; keepalive_requests 1000000000; keepalive_timeout 300s;
              client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy;
              fastcgi_temp_path FOLDER/fastcgi; uwsgi_temp_path FOLDER/uwsgi;
              scgi_temp_path FOLDER/scgi;
              server { listen 127.0.0.1:PORT backlog=4096; location / {
                default_type text/plain; return 200 "TEXT"; } }
            }
            """;

    private MeasuredApps() {}

    /** Flask with one page, which has this text. */
    static Path small(Path folder, String text) throws IOException {
        return flask(folder, text, SCALING);
    }

    static Path shortLived(Path folder, String text) throws IOException {
        return flask(folder, text, SHORT_LIVED);
    }

    private static Path flask(Path folder, String text, String scaling) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("app.yaml"), "runtime: python\n" + scaling);
        Files.writeString(folder.resolve("requirements.txt"), "Flask==3.1.2\n");
        Files.writeString(folder.resolve("main.py"), FLASK.replace("TEXT", text));
        return folder;
    }

    /**
     * An app that costs nearly nothing: nginx with 500 bytes of text. No request waits for others,
     * as in a plain reverse proxy.
     */
    static Path origin(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(
                folder.resolve("app.yaml"),
                """
                runtime: python
                entrypoint: sed "s|FOLDER|$TMPDIR|g; s|PORT|$PORT|" origin.conf > $TMPDIR/nginx.conf; exec %s -p $TMPDIR -c $TMPDIR/nginx.conf
                automatic_scaling:
                  min_instances: 1
                  max_instances: 1
                  max_concurrent_requests: 100
                instance_class: F4
                """
                        .formatted(nginx()));
        Files.writeString(
                folder.resolve("origin.conf"), ORIGIN.replace("TEXT", "0123456789".repeat(50)));
        return folder;
    }

    /** The search path of an app leads to its interpreter. */
    static Path nginx() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "nginx"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.invalid(
                                        "nginx is not on PATH; install it, or leave out the part"
                                                + " router with --only"));
    }

    /** A copy of an example with as many instances as the small app. */
    static Path scaled(Path example, Path folder) throws IOException {
        Path copy = copy(example, folder);
        Path yaml = copy.resolve("app.yaml");
        Files.writeString(yaml, Files.readString(yaml) + SCALING);
        return copy;
    }

    /** The benchmark application of seed 000, chapter 5. */
    static Path queries(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String name : List.of("app.yaml", "index.yaml", "main.py", "requirements.txt")) {
            try (InputStream in = MeasuredApps.class.getResourceAsStream("queries/" + name)) {
                Files.write(folder.resolve(name), Objects.requireNonNull(in).readAllBytes());
            }
        }
        return folder;
    }

    /** A copy that may be changed. */
    static Path copy(Path source, Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = folder.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        return folder;
    }

    /** Another last line, which means nothing. */
    static void change(Path file, String comment) throws IOException {
        Files.writeString(file, Files.readString(file) + "# " + comment + "\n");
    }
}

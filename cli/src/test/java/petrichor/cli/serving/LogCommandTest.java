package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import petrichor.cli.CommandRun;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

final class LogCommandTest {
    private static final Logger REQUESTS = Logger.getLogger("petrichor.requests");

    @Test
    void theLevelOfALoggerChangesWhileTheServerRuns() throws Exception {
        try (Server server = start(ServerConfig.defaults());
                Records records = new Records()) {
            lookup(server);
            assertThat(records.messages).isEmpty();

            CommandRun set = run(server, "set", "debug", "--logger", "petrichor.requests");
            assertThat(set.out()).contains("petrichor.requests: debug");
            lookup(server);
            assertThat(records.messages).anyMatch(message -> message.contains("Lookup over rest"));
            assertThat(run(server, "list", "--json").out())
                    .contains("\"loggers\":{\"petrichor.requests\":\"debug\"}");

            assertThat(run(server, "reset", "petrichor.requests").out())
                    .doesNotContain("petrichor.requests");
            int before = records.messages.size();
            lookup(server);
            assertThat(records.messages).hasSize(before);

            assertThat(run(server, "set", "error").out()).contains("all loggers: error");
            assertThat(run(server, "set", "info").out()).contains("all loggers: info");
        }
    }

    @Test
    void mistakesAreRefused() {
        try (Server server = start(ServerConfig.defaults())) {
            assertThat(run(server, "set", "loud").err()).contains("debug, info, warn or error");
            assertThat(run(server, "set", "info", "--logger", "a b").err())
                    .contains("cannot name a logger");
        }
    }

    @Test
    void levelsNeedTheToken() {
        try (Server server = start(ServerConfig.defaults().withToken("s3cr3t"))) {
            assertThat(run(server, "set", "info").err()).contains("requires a token");
            assertThat(run(server, "set", "info", "--token", "s3cr3t").code()).isZero();
        }
    }

    private static Server start(ServerConfig config) {
        return Server.start(config.withMemory().withPort(0));
    }

    private static CommandRun run(Server server, String... words) {
        List<String> all = new ArrayList<>(List.of("log"));
        all.addAll(List.of(words));
        all.addAll(List.of("--host", "localhost", "--port", String.valueOf(server.port())));
        return CommandRun.of(all.toArray(new String[0]));
    }

    private static void lookup(Server server) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            client.send(
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://localhost:"
                                                    + server.port()
                                                    + "/v1/projects/p:lookup"))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /** Collects the records of the request logger. */
    private static final class Records extends Handler implements AutoCloseable {
        private final List<String> messages = Collections.synchronizedList(new ArrayList<>());

        Records() {
            REQUESTS.addHandler(this);
        }

        @Override
        public void publish(LogRecord record) {
            messages.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            REQUESTS.removeHandler(this);
        }
    }
}

package petrichor.services.queues.dispatch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import petrichor.testing.process.RabbitMqServer;

/**
 * The RabbitMQ node of tests that do not stop it, started once. Needs the package rabbitmq-server;
 * without it, a test fails if CI is set, and is skipped otherwise.
 */
public final class SharedRabbitMq {
    private static @Nullable RabbitMqServer server;

    private SharedRabbitMq() {}

    /** A node of a test's own. */
    public static RabbitMqServer start(Path folder) {
        assumeTrue(
                RabbitMqServer.installed() || System.getenv("CI") != null,
                "install the package rabbitmq-server");
        return RabbitMqServer.in(folder);
    }

    public static synchronized String url() {
        RabbitMqServer started = server;
        if (started == null) {
            started = start(folder());
            Runtime.getRuntime().addShutdownHook(new Thread(started::close));
            server = started;
        }
        return started.url();
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "rabbitmq");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}

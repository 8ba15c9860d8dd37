package petrichor.cli.serving;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.Terminal;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Version;

/**
 * Status messages of the commands {@code up} and {@code server} on standard error: human-readable
 * lines, or log records if standard error is JSON. Standard output receives the connection settings
 * for programs in both cases.
 */
sealed interface Announcements {
    void warning(String text);

    void failure(String text);

    void ready(Server server);

    void stopping();

    void stopped(String how);

    /** {@code Petrichor 0.1.0 is ready after 0.8 s: data in petrichor-data}. */
    private static String readiness(Server server) {
        ServerConfig config = server.config();
        String where = "data in " + config.store().data();
        if (config.store().url().isPresent()) {
            where = "data in " + config.store().url().get();
        } else if (config.store().memory()) {
            where = "in memory, discarded at exit";
        }
        // Includes the launcher, which may have built the program in this process before.
        long millis =
                System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
        return String.format(Locale.ROOT, "is ready after %.1f s: %s", millis / 1_000.0, where);
    }

    private static String address(Server server) {
        return server.config().server().host() + ":" + server.port();
    }

    private static String scheme(Server server) {
        return server.config().tls().isPresent() ? "https://" : "http://";
    }

    /** The variables with which Google's clients and App Engine's SDKs find this server. */
    private static void printEnvironment(Server server) {
        String address = address(server);
        System.out.println("  export DATASTORE_EMULATOR_HOST=" + address);
        System.out.println("  export STORAGE_EMULATOR_HOST=" + scheme(server) + address);
        System.out.printf(
                Locale.ROOT,
                "  export API_HOST=%s API_PORT=%d%n",
                server.config().server().host(),
                server.port());
        System.out.println("  export GOOGLE_CLOUD_PROJECT=demo DATASTORE_PROJECT_ID=demo");
        System.out.flush();
    }

    /**
     * Flags with which other commands find this server; empty if it listens on the default address.
     */
    private static String addressFlags(Server server) {
        return (server.port() == ServerAddress.STANDARD_PORT ? "" : " --port " + server.port())
                + (server.config().tls().isPresent() ? " --tls" : "");
    }

    /** One record per event. */
    record Records() implements Announcements {
        private static final Logger LOG = LoggerFactory.getLogger(UpCommand.class);

        @Override
        public void warning(String text) {
            LOG.warn("{}", text);
        }

        @Override
        public void failure(String text) {
            LOG.error("{}", text);
        }

        @Override
        public void ready(Server server) {
            LOG.info("Petrichor {} {}", Version.text(), readiness(server));
            printEnvironment(server);
        }

        @Override
        public void stopping() {
            LOG.info("Stopping: waiting for running requests to finish.");
        }

        @Override
        public void stopped(String how) {
            LOG.info("{}", how);
        }
    }

    /** Human-readable lines, with hints for the user who started the server. */
    record Lines(Terminal terminal) implements Announcements {
        @Override
        public void warning(String text) {
            terminal.say("warning: " + text);
        }

        @Override
        public void failure(String text) {
            terminal.complain(text);
        }

        @Override
        public void ready(Server server) {
            ServerConfig config = server.config();
            terminal.say(terminal.bold("Petrichor " + Version.text()) + " " + readiness(server));
            if (!server.members().isEmpty()) {
                terminal.say("  servers of the cluster: " + String.join(", ", server.members()));
            }
            terminal.say("");
            terminal.say("Set these variables for your program:");
            terminal.say("");
            printEnvironment(server);
            terminal.say("");
            terminal.say(terminal.faint("  (any project id works; each project has its own data)"));
            terminal.say(
                    terminal.faint(
                            "  (clients of Cloud Tasks take "
                                    + address(server)
                                    + " as their endpoint)"));
            if (config.tls().isPresent() || config.auth().required()) {
                terminal.say("");
                terminal.say(
                        "  This server requires TLS or a token, which Google's clients do not"
                                + " send");
                terminal.say(
                        "  to an emulator host; docs/operate/security.md shows how to configure"
                                + " them.");
            }
            terminal.say("");
            terminal.say("Then try:");
            String flags = addressFlags(server);
            hint("./petrichor gql 'SELECT * FROM __kind__'" + flags, "list the kinds of entities");
            if (server.sqlPort() != 0) {
                String url =
                        "postgresql://" + config.server().host() + ":" + server.sqlPort() + "/demo";
                hint("psql " + url, "query tables and entities in SQL");
            }
            hint("./petrichor export -o backup.jsonl" + flags, "export all data at one read time");
            hint(
                    "curl " + scheme(server) + address(server) + "/metrics",
                    "show metrics for Prometheus");
            terminal.say("");
            terminal.say("Press Ctrl-C to stop.");
        }

        private void hint(String command, String what) {
            terminal.say(String.format(Locale.ROOT, "  %-44s %s", command, what));
        }

        @Override
        public void stopping() {
            terminal.say("");
            terminal.say("Stopping: waiting for running requests to finish.");
        }

        @Override
        public void stopped(String how) {
            terminal.say(how);
        }
    }
}

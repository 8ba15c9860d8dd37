package petrichor.cli.sql;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.cli.CommandRun;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** A real server in memory with a SQL port. */
record SqlServer(Server server, int port) implements AutoCloseable {
    static SqlServer start(Map<String, String> more) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Map<String, String> settings = new HashMap<>(more);
        settings.put("PETRICHOR_STORE__MEMORY", "true");
        settings.put("PETRICHOR_SERVER__PORT", "0");
        settings.put("PETRICHOR_SQL__PORT", Integer.toString(port));
        settings.put("PETRICHOR_LOG__LEVEL", "warn");
        return new SqlServer(
                Server.start(ServerConfig.of(Settings.read(Optional.empty(), settings, Map.of()))),
                port);
    }

    /** Runs {@code petrichor sql} at this server. */
    CommandRun sql(String... arguments) {
        return CommandRun.of(words(arguments));
    }

    CommandRun sqlWithInput(String input, String... arguments) {
        return CommandRun.withInput(input, words(arguments));
    }

    private String[] words(String... arguments) {
        List<String> words = new ArrayList<>(List.of("sql"));
        words.addAll(List.of(arguments));
        words.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
        return words.toArray(String[]::new);
    }

    @Override
    public void close() {
        server.close();
    }
}

package petrichor.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.Petrichor;

/** Tests the shell at a pseudo-terminal, as a user sees it. */
@Timeout(180)
final class SqlTerminalTest {
    @TempDir private Path folder;

    @Test
    void aUserSeesPromptsCompletesNamesAndCancelsStatements() throws Exception {
        try (SqlServer server = SqlServer.start(Map.of())) {
            server.sql("-c", "CREATE TABLE harbour (id int PRIMARY KEY, depth int)");
            try (Session user = Session.start(folder, server.port())) {
                user.expect("demo=> ");
                user.type("BEGIN;\r");
                user.expect("demo*> ");
                user.type("INSERT INTO harbour\r");
                user.expect("-> ");
                user.type("VALUES (1, 20);\r");
                user.expect("INSERT 0 1");
                user.type("SELECT nothing;\r");
                user.expect("ERROR 42703");
                user.expect("demo!> ");
                user.type("ROLLBACK;\r");
                user.expect("demo=> ");
                user.type("SELECT count(*) FROM har\t");
                user.expect("harbour");
                user.type(";\r");
                user.expect("(1 row)");
                user.expect("demo=> ");
                user.type(
                        "SELECT count(*) FROM system_range(1, 100000) a, system_range(1, 9876543)"
                                + " b;\r");
                user.expect("9876543)");
                // The editor of the line has ended: Ctrl-C no longer drops the line.
                user.expect("[?2004l");
                user.interruptUntil("ERROR 57014");
                user.expect("demo=> ");
                user.type("\\q\r");
                assertThat(user.exitCode()).isZero();
            }
        }
        assertThat(folder.resolve("state/petrichor/sql-history"))
                .content()
                .contains("INSERT INTO harbour");
    }

    /** A process of the shell with a terminal from {@code script}. */
    private static final class Session implements AutoCloseable {
        private static final long WAIT_MAX_S = 60;
        private static final long REPEAT_MS = 2_000;

        private final Process process;
        private final StringBuilder seen = new StringBuilder();
        private final LinkedBlockingQueue<String> screen = new LinkedBlockingQueue<>();

        private Session(Process process) {
            this.process = process;
            // A blocking read would occupy a carrier of the server's virtual threads.
            Thread.ofPlatform().daemon().start(this::read);
        }

        static Session start(Path folder, int port) throws IOException {
            String program =
                    "stty cols 100 rows 30; exec '"
                            + System.getProperty("java.home")
                            + "/bin/java' --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC"
                            + " -XX:TieredStopAtLevel=1 -cp \"$CLASSES\" "
                            + Petrichor.class.getName()
                            + " sql --host 127.0.0.1 --port "
                            + port;
            ProcessBuilder builder =
                    new ProcessBuilder("script", "-qec", program, "/dev/null")
                            .redirectErrorStream(true);
            Map<String, String> environment = builder.environment();
            environment.put("TERM", "xterm");
            environment.put("CLASSES", System.getProperty("java.class.path"));
            environment.put("XDG_STATE_HOME", folder.resolve("state").toString());
            environment.keySet().removeIf(name -> name.startsWith("DATASTORE_"));
            return new Session(builder.start());
        }

        private void read() {
            byte[] bytes = new byte[1 << 12];
            try {
                for (int count = process.getInputStream().read(bytes);
                        count >= 0;
                        count = process.getInputStream().read(bytes)) {
                    screen.add(new String(bytes, 0, count, StandardCharsets.UTF_8));
                }
            } catch (IOException ended) {
                screen.add(String.valueOf(ended.getMessage()));
            }
        }

        void type(String text) throws IOException {
            OutputStream keys = process.getOutputStream();
            keys.write(text.getBytes(StandardCharsets.UTF_8));
            keys.flush();
        }

        /** Waits for a text behind those that were expected before. */
        void expect(String text) throws InterruptedException {
            while (!found(text)) {
                String more = screen.poll(WAIT_MAX_S, TimeUnit.SECONDS);
                assertThat(more).as("no %s in %s", text, seen).isNotNull();
                seen.append(more);
            }
        }

        /** Ctrl-C may arrive before the statement runs, which it then does not cancel. */
        void interruptUntil(String text) throws IOException, InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_MAX_S);
            while (!found(text)) {
                assertThat(System.nanoTime()).as("no %s in %s", text, seen).isLessThan(end);
                type("\u0003");
                long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REPEAT_MS);
                // The terminal echoes ^C: one key at a time.
                for (long left = next - System.nanoTime();
                        left > 0 && seen.indexOf(text) < 0;
                        left = next - System.nanoTime()) {
                    String more = screen.poll(left, TimeUnit.NANOSECONDS);
                    seen.append(more == null ? "" : more);
                }
            }
        }

        private boolean found(String text) {
            int at = seen.indexOf(text);
            if (at >= 0) {
                seen.delete(0, at + text.length());
            }
            return at >= 0;
        }

        int exitCode() throws InterruptedException {
            assertThat(process.waitFor(WAIT_MAX_S, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroy();
        }
    }
}

package petrichor.kv.rocksdb;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A child process that runs a main class of the tests, and its output. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ChildJvm(List<String> command) throws IOException {
        process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        output = process.inputReader();
    }

    static ChildJvm start(Class<?> main, String... arguments) throws IOException {
        return new ChildJvm(command(main, arguments));
    }

    /** Limits the size of the files that the process writes: a write beyond it fails with EFBIG. */
    static ChildJvm startWithFileLimit(int kibibytes, Class<?> main, String... arguments)
            throws IOException {
        List<String> limited = new ArrayList<>();
        limited.addAll(List.of("bash", "-c", "ulimit -f " + kibibytes + " && exec \"$@\"", "bash"));
        limited.addAll(command(main, arguments));
        return new ChildJvm(limited);
    }

    /** Limits the number of files that the process can have open. */
    static ChildJvm startWithHandles(int handles, Class<?> main, String... arguments)
            throws IOException {
        List<String> limited = new ArrayList<>();
        limited.addAll(List.of("bash", "-c", "ulimit -n " + handles + " && exec \"$@\"", "bash"));
        limited.addAll(command(main, arguments));
        return new ChildJvm(limited);
    }

    private static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The next line; fails at the end of the output. */
    String line() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new AssertionError(
                    "the child ended before it had said all; see its errors above");
        }
        return line;
    }

    /** SIGKILL; returns the output that was not read yet. */
    List<String> kill() throws IOException, InterruptedException {
        // Through the handle: the process's own method would close the unread output.
        process.toHandle().destroyForcibly();
        List<String> rest = output.readAllLines();
        process.waitFor();
        return rest;
    }

    int waitForEnd() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

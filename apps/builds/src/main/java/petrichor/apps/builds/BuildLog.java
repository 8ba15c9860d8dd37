package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import petrichor.base.FileProblem;

/**
 * The complete output of a build, in a file of limited size. Credentials in addresses are replaced.
 * Thread-safe.
 */
final class BuildLog implements AutoCloseable {
    private static final Pattern CREDENTIALS = Pattern.compile("://[^/\\s@]+@");

    private final Path file;
    private final BufferedWriter writer;
    private final long bytesMax;
    private final Consumer<String> lines;
    private long bytes;

    /**
     * @param lines gets each line of the log
     */
    BuildLog(Path file, long bytesMax, Consumer<String> lines) throws IOException {
        this.lines = lines;
        this.file = file;
        this.bytesMax = bytesMax;
        this.writer = Files.newBufferedWriter(file);
        FileTrees.setMode(file, 0600);
    }

    Path file() {
        return file;
    }

    static String withoutCredentials(String line) {
        return CREDENTIALS.matcher(line).replaceAll("://***@");
    }

    /**
     * @return false once the log has reached its limit; the line is not written then
     */
    synchronized boolean line(String line) throws IOException {
        String text = withoutCredentials(line);
        long next = bytes + text.getBytes(UTF_8).length + 1;
        if (next > bytesMax) {
            return false;
        }
        bytes = next;
        writer.write(text);
        writer.write('\n');
        writer.flush();
        lines.accept(text);
        return true;
    }

    /** A line of the platform, which is written even if the limit is reached. */
    synchronized void note(String line) {
        try {
            writer.write("--- " + withoutCredentials(line) + "\n");
            writer.flush();
        } catch (IOException e) {
            throw FileProblem.of("cannot write the log of a build", e);
        }
    }

    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw FileProblem.of("cannot write the log of a build", e);
        }
    }
}

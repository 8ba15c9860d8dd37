package petrichor.bench.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The output lines of a job, in one file or in a folder of files, without line terminators. The
 * files of a folder are read in order of their names; metadata files are skipped.
 */
final class OutputLines {
    private static final int BUFFER_BYTES = 1 << 20;

    private OutputLines() {}

    /** Receives a line, in bytes that are valid during the call. */
    @FunctionalInterface
    interface LineConsumer {
        void take(byte[] bytes, int from, int to);
    }

    static void each(Path output, LineConsumer consumer) throws IOException {
        for (Path file : files(output)) {
            try (InputStream in = Files.newInputStream(file)) {
                lines(in, consumer);
            }
        }
    }

    private static List<Path> files(Path output) throws IOException {
        if (!Files.isDirectory(output)) {
            return List.of(output);
        }
        try (Stream<Path> all = Files.walk(output)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !String.valueOf(file.getFileName()).matches("[._].*"))
                    .sorted()
                    .toList();
        }
    }

    private static void lines(InputStream in, LineConsumer consumer) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        int kept = 0;
        while (true) {
            int read = in.read(buffer, kept, buffer.length - kept);
            int end = kept + Math.max(0, read);
            int from = 0;
            for (int at = kept; at < end; at++) {
                if (buffer[at] == '\n') {
                    take(buffer, from, at, consumer);
                    from = at + 1;
                }
            }
            if (read < 0) {
                if (from < end) {
                    take(buffer, from, end, consumer);
                }
                return;
            }
            kept = end - from;
            if (kept == buffer.length) {
                throw new IOException("there is a line of more than " + kept + " bytes");
            }
            System.arraycopy(buffer, from, buffer, 0, kept);
        }
    }

    private static void take(byte[] bytes, int from, int end, LineConsumer consumer) {
        consumer.take(bytes, from, end > from && bytes[end - 1] == '\r' ? end - 1 : end);
    }
}

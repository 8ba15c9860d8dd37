package petrichor.testing.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Runs short commands of the operating system. */
final class Commands {
    private Commands() {}

    /** Returns the output; fails with it if the command fails. */
    static String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(
                            process.getInputStream().readAllBytes(),
                            java.nio.charset.StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + " failed with " + code + ": " + output.strip());
            }
            return output;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    static boolean succeeds(List<String> command) {
        try {
            run(command);
            return true;
        } catch (IllegalStateException | UncheckedIOException failed) {
            return false;
        }
    }
}

package petrichor.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Runs a short system command, such as those that shape a network. Stateless. */
public final class SystemCommand {
    private SystemCommand() {}

    /**
     * Returns its output.
     *
     * @throws IOException when it is missing or fails; the text includes its output
     */
    public static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PetrichorException(ErrorCode.ABORTED, "the benchmark was interrupted");
        }
        return said;
    }
}

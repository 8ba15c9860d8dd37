package petrichor.testing.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Complete command lines of processes. {@link ProcessHandle.Info#commandLine()} reads one memory
 * page at most, and the class path of a Java process can be longer.
 */
public final class CommandLines {
    private CommandLines() {}

    /** The words of the command line, separated by spaces; empty if the process has ended. */
    public static String of(ProcessHandle process) {
        try {
            return Files.readString(
                            Path.of("/proc", Long.toString(process.pid()), "cmdline"),
                            StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
        } catch (IOException ended) {
            return "";
        }
    }
}

package petrichor.testing.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Programs of Go modules, built once into the {@code target} folder of the working directory. */
public final class GoTool {
    private static final Path TOOLS = Path.of("target", "tools").toAbsolutePath();
    private static final String GO = "/usr/local/go/bin";

    private GoTool() {}

    /**
     * The program.
     *
     * @param packageName of its main package, such as {@code example.com/module/cmd/program}
     * @param version such as {@code v1.2.3}
     */
    public static synchronized Path install(String packageName, String version) {
        Path folder = TOOLS.resolve(version);
        Path program = folder.resolve(packageName.substring(packageName.lastIndexOf('/') + 1));
        if (Files.isExecutable(program)) {
            return program;
        }
        try {
            Files.createDirectories(folder);
            ProcessBuilder install =
                    new ProcessBuilder(
                                    "/bin/sh",
                                    "-c",
                                    "PATH=\"$PATH:" + GO + "\" go install \"$0\"",
                                    packageName + "@" + version)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("go.log").toFile());
            install.environment().putAll(Map.of("GOBIN", folder.toString(), "GOFLAGS", "-mod=mod"));
            try (RunningProcess running = RunningProcess.start(install)) {
                if (running.process().onExit().join().exitValue() != 0) {
                    throw new IllegalStateException(
                            "go install "
                                    + packageName
                                    + " failed: "
                                    + Files.readString(folder.resolve("go.log")));
                }
            }
            return program;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}

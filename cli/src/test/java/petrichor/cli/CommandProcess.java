package petrichor.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a command in a separate process, for jobs whose code may end it. */
public final class CommandProcess {
    private static final long END_MAX_S = 180;

    private CommandProcess() {}

    public static CommandRun run(Path folder, String... arguments) throws Exception {
        return run(folder, Map.of(), List.of(), arguments);
    }

    public static CommandRun run(
            Path folder, Map<String, String> environment, List<String> jvm, String... arguments)
            throws Exception {
        Path out = Files.createTempFile(folder, "command", ".out");
        Path err = Files.createTempFile(folder, "command", ".err");
        Process process = start(folder, environment, jvm, out, err, arguments);
        if (!process.waitFor(END_MAX_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("it does not end: " + Files.readString(err));
        }
        return new CommandRun(process.exitValue(), text(out), text(err));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    public static Process start(
            Path folder,
            Map<String, String> environment,
            List<String> jvm,
            Path out,
            Path err,
            String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m"));
        command.addAll(jvm);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), Petrichor.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("DATASTORE_"));
        builder.environment().putAll(environment);
        return builder.start();
    }
}

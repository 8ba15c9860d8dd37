package petrichor.apps.instances;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

/** Starts {@link PlatformMain}. */
final class PlatformProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    /**
     * @param prefix of the command
     * @param classes folder for copies of the classes, for a user that cannot read the originals
     */
    PlatformProcess(List<String> prefix, Path classes, Path folder, String isolation, String mark)
            throws IOException {
        List<Path> copies = new ArrayList<>();
        for (Class<?> each :
                List.of(
                        Instance.class,
                        PlatformMain.class,
                        PetrichorException.class,
                        Assertions.class,
                        Assumptions.class,
                        org.opentest4j.AssertionFailedError.class,
                        org.junit.platform.commons.JUnitException.class,
                        Test.class)) {
            copies.add(copy(origin(each), classes.resolve(each.getSimpleName())));
        }
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        copies.stream().map(Path::toString).collect(Collectors.joining(":")),
                        PlatformMain.class.getName(),
                        folder.toString(),
                        isolation,
                        mark));
        process =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static Path origin(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            all.forEach(
                    each -> {
                        try {
                            Files.copy(each, to.resolve(from.relativize(each).toString()));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        }
        return to;
    }

    /** Its output up to this line; fails if it ends before. */
    List<String> until(String last) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            lines.add(line);
            if (line.equals(last)) {
                return lines;
            }
        }
        throw new AssertionError("the platform ended before \"" + last + "\": " + lines);
    }

    /** SIGKILL, as by the kernel when the machine has no memory left. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends it in order. */
    void end() throws IOException {
        process.getOutputStream().close();
        until("closed");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

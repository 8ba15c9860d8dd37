package petrichor.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The version of Petrichor. */
public final class Version {
    private Version() {}

    /** The version in the build, e.g. {@code 0.1.0}. */
    public static String text() {
        try (InputStream resource = Version.class.getResourceAsStream("version.txt")) {
            return new String(
                            Objects.requireNonNull(resource).readAllBytes(), StandardCharsets.UTF_8)
                    .strip();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

package petrichor.apps.router.table;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * How static files are served.
 *
 * @param contentType instead of the one that the file's name implies
 * @param expiration how long caches may keep a file
 * @param headers additional fields of the response; they replace the router's own
 * @param mustExist whether the next handlers are tried if the file does not exist
 */
public record FileOptions(
        Optional<String> contentType,
        Duration expiration,
        Map<String, String> headers,
        boolean mustExist) {
    /** App Engine's default. */
    public static final FileOptions DEFAULT =
            new FileOptions(Optional.empty(), Duration.ofMinutes(10), Map.of(), false);

    public FileOptions {
        headers = Map.copyOf(headers);
        if (expiration.isNegative()) {
            throw PetrichorException.invalid(
                    "the expiration {expiration} is negative", "expiration", expiration);
        }
        headers.forEach(FileOptions::requireField);
        contentType.ifPresent(type -> requireField("content-type", type));
    }

    private static void requireField(String name, String value) {
        if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
                || value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f || c > 0xff)) {
            throw PetrichorException.invalid(
                    "'{name}: {value}' is not a field of a response; remove control characters",
                    "name",
                    name,
                    "value",
                    value);
        }
    }
}

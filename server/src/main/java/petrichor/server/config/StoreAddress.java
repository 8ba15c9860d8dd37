package petrichor.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreUrl;

/** Builds the address of a datastore from its keys; the password may be in a separate file. */
final class StoreAddress {
    private StoreAddress() {}

    static Optional<StoreUrl> of(Settings from) {
        String url = from.value(ConfigKey.STORE_URL);
        String password = from.value(ConfigKey.STORE_PASSWORD);
        String file = from.value(ConfigKey.STORE_PASSWORD_FILE);
        if (url.isEmpty()) {
            if (!password.isEmpty() || !file.isEmpty()) {
                throw PetrichorException.invalid(
                        "a password for the store is set, but store.url is not");
            }
            return Optional.empty();
        }
        if (!password.isEmpty() && !file.isEmpty()) {
            throw PetrichorException.invalid(
                    "store.password and store.password-file are both set; keep one of them");
        }
        StoreUrl parsed = StoreUrl.parse(url);
        if (!file.isEmpty()) {
            return Optional.of(parsed.withPassword(firstLine(Path.of(file))));
        }
        return Optional.of(password.isEmpty() ? parsed : parsed.withPassword(password));
    }

    static String firstLine(Path file) {
        try (var lines = Files.lines(file)) {
            return lines.findFirst()
                    .orElseThrow(
                            () ->
                                    PetrichorException.invalid(
                                            "the password file {file} is empty", "file", file));
        } catch (IOException unreadable) {
            throw PetrichorException.invalid(
                    "the password file {file} cannot be read: {reason}",
                    "file",
                    file,
                    "reason",
                    unreadable.getMessage());
        }
    }
}

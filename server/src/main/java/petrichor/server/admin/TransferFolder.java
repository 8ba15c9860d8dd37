package petrichor.server.admin;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * The root folder of exports. Clients name locations in it by URLs such as {@code
 * file:///srv/exports/nightly}; nothing outside of it is read or written, not even through symbolic
 * links. Stateless.
 */
final class TransferFolder {
    private static final String KEY = "store.export-folder";

    private final @Nullable Path root;

    TransferFolder(Optional<Path> root) {
        this.root = root.map(path -> path.toAbsolutePath().normalize()).orElse(null);
    }

    /** Resolves a URL to a path, which need not exist. */
    Path resolve(String what, String url) {
        if (root == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "This server has no folder for exports; set " + KEY + " and restart it.");
        }
        Path path = path(what, url);
        if (!path.startsWith(root)) {
            throw outside(what, url, root);
        }
        try {
            Path real = Files.createDirectories(root).toRealPath();
            Path existing = path;
            while (!existing.equals(root) && !Files.exists(existing, NOFOLLOW_LINKS)) {
                existing = Objects.requireNonNull(existing.getParent(), "it is below the root");
            }
            if (!existing.toRealPath().startsWith(real)) {
                throw outside(what, url, root);
            }
        } catch (IOException unusable) {
            throw FileProblem.of("cannot use " + KEY + " " + root, unusable);
        }
        return path;
    }

    private static Path path(String what, String url) {
        try {
            URI parsed = new URI(url);
            String authority = parsed.getAuthority();
            String path = parsed.getPath();
            boolean local = authority == null || authority.equalsIgnoreCase("localhost");
            if ("file".equalsIgnoreCase(parsed.getScheme())
                    && local
                    && path != null
                    && path.startsWith("/")
                    && path.indexOf('\0') < 0
                    && parsed.getQuery() == null
                    && parsed.getFragment() == null) {
                return Path.of(path).normalize();
            }
        } catch (URISyntaxException malformed) {
            // Refused below.
        }
        throw PetrichorException.invalid(
                "{field} must be a URL of a file, such as file:///srv/exports/nightly, not"
                        + " \"{url}\".",
                "field",
                what,
                "url",
                shortened(url));
    }

    private static PetrichorException outside(String what, String url, Path root) {
        return PetrichorException.invalid(
                "{field} \"{url}\" is outside of this server's folder for exports, {exports} ("
                        + KEY
                        + ").",
                "field",
                what,
                "url",
                shortened(url),
                "exports",
                root.toUri());
    }

    private static String shortened(String text) {
        return text.length() <= 200 ? text : text.substring(0, 200) + "…";
    }
}

package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** Validates the names of files, which come from archives that anyone may have written. */
final class SourcePath {
    /** Of one component, in UTF-8: the limit of common file systems. */
    private static final int COMPONENT_BYTES_MAX = 255;

    private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:");

    private SourcePath() {}

    /**
     * The path in the form in which it is stored: without "./" in front, and without a slash at the
     * end. Empty for the root folder. INVALID_ARGUMENT if it could lead out of the folder, or could
     * mean another file to another program.
     */
    static String of(String name, SourceLimits limits) {
        String path = name;
        while (path.startsWith("./")) {
            path = path.substring(2);
        }
        if (path.endsWith("/")) {
            path = path.substring(0, path.length() - 1);
        }
        if (path.isEmpty() || path.equals(".")) {
            return "";
        }
        if (path.getBytes(UTF_8).length > limits.pathBytes()) {
            throw PetrichorException.invalid(
                    "a path in the sources has more than {bytesMax} bytes: \"{path}\"; shorten it",
                    "bytesMax",
                    limits.pathBytes(),
                    "path",
                    path.substring(0, Math.min(path.length(), 80)));
        }
        if (path.startsWith("/")
                || DRIVE.matcher(path).lookingAt()
                || path.chars().anyMatch(SourcePath::isUnsafe)) {
            throw unsafe(path);
        }
        for (String component : path.split("/", -1)) {
            if (component.isEmpty()
                    || component.equals(".")
                    || component.equals("..")
                    || component.getBytes(UTF_8).length > COMPONENT_BYTES_MAX) {
                throw unsafe(path);
            }
        }
        return path;
    }

    /** Backslashes are separators elsewhere; control characters hide the rest of a name. */
    private static boolean isUnsafe(int c) {
        return c == '\\' || c == '\uFFFD' || Character.isISOControl(c);
    }

    private static PetrichorException unsafe(String path) {
        return PetrichorException.invalid(
                "the path \"{path}\" in the sources is absolute, leads out of the folder, or has an"
                        + " invalid character: rename the file",
                "path",
                path.replaceAll("\\p{Cntrl}", "?"));
    }

    /**
     * The paths of one archive. Two that differ only in case or in the composition of characters
     * are refused: programs and file systems disagree on whether they are one file.
     */
    static final class Distinct {
        private final Map<String, String> pathsByFolded = new HashMap<>();
        private final Set<String> files = new HashSet<>();

        /** Adds a file, and the folders above it. */
        void add(String path) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                String folder = path.substring(0, slash);
                checkCase(folder);
                if (files.contains(folder)) {
                    throw twice(folder);
                }
            }
            if (pathsByFolded.containsKey(folded(path))) {
                checkCase(path);
                throw twice(path);
            }
            checkCase(path);
            files.add(path);
        }

        private void checkCase(String path) {
            String other = pathsByFolded.putIfAbsent(folded(path), path);
            if (other != null && !other.equals(path)) {
                throw PetrichorException.invalid(
                        "the archive contains \"{path}\" and \"{other}\", which are one file on"
                                + " some systems: rename one of them",
                        "path",
                        path,
                        "other",
                        other);
            }
        }

        private static String folded(String path) {
            return Normalizer.normalize(path, Normalizer.Form.NFKC)
                    .toUpperCase(Locale.ROOT)
                    .toLowerCase(Locale.ROOT);
        }

        private static PetrichorException twice(String path) {
            return PetrichorException.invalid(
                    "the archive contains \"{path}\" twice: create it again with one entry per"
                            + " file",
                    "path",
                    path);
        }
    }
}

package petrichor.services.blobs;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** Cloud Storage's rules for the names of buckets and objects. */
final class BlobNames {
    static final int OBJECT_BYTES_MAX = 1_024;
    private static final int BUCKET_CHARS_MAX = 222;
    private static final int LABEL_CHARS_MAX = 63;
    private static final Pattern BUCKET = Pattern.compile("[a-z\\d][a-z\\d._-]+[a-z\\d]");
    private static final Pattern ADDRESS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");
    private static final Pattern LINE_ENDS = Pattern.compile("[\\r\\n]");

    private BlobNames() {}

    static void requireBucket(String name) {
        boolean valid =
                name.length() <= BUCKET_CHARS_MAX
                        && BUCKET.matcher(name).matches()
                        && !ADDRESS.matcher(name).matches()
                        && !name.contains("..");
        for (String label : name.split("\\.", -1)) {
            valid &= label.length() <= LABEL_CHARS_MAX;
        }
        if (!valid) {
            throw PetrichorException.invalid(
                    "Invalid bucket name: '{name}'. A name has 3 to 63 lower-case letters, digits,"
                            + " '-', '_' and '.', and starts and ends with a letter or a digit.",
                    "name",
                    name);
        }
    }

    static void requireObject(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0
                || bytes > OBJECT_BYTES_MAX
                || LINE_ENDS.matcher(name).find()
                || name.equals(".")
                || name.equals("..")) {
            throw PetrichorException.invalid(
                    "Invalid object name: '{name}'. A name has 1 to "
                            + OBJECT_BYTES_MAX
                            + " bytes without line ends, and is neither '.' nor '..'.",
                    "name",
                    bytes > OBJECT_BYTES_MAX ? name.substring(0, 40) + "…" : name);
        }
    }
}

package petrichor.movement;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A part of a managed export: the entities of one or all namespaces and of one or all kinds.
 *
 * @param namespace null for all; empty for the default namespace
 * @param kind null for all
 */
public record ExportPart(@Nullable String namespace, @Nullable String kind) {
    /**
     * Maximum length of a name in a path; longer names are cut and end with their hash. A file name
     * has at most 255 bytes.
     */
    private static final int NAME_BYTES_MAX = 100;

    private static final String SAFE = "._- ";

    /** Path relative to the export's folder. */
    String folder() {
        return namespaces() + "/" + kinds();
    }

    /** Path relative to the export's folder. */
    String metadataFile() {
        return folder() + "/" + namespaces() + "_" + kinds() + ".export_metadata";
    }

    private String namespaces() {
        if (namespace == null) {
            return "all_namespaces";
        }
        return namespace.isEmpty() ? "default_namespace" : "namespace_" + inPath(namespace);
    }

    private String kinds() {
        return kind == null ? "all_kinds" : "kind_" + inPath(kind);
    }

    /** Percent-encodes all characters except letters, digits and safe signs, as in a URL. */
    private static String inPath(String name) {
        StringBuilder path = new StringBuilder();
        for (byte unit : name.getBytes(StandardCharsets.UTF_8)) {
            boolean safe =
                    (unit >= 'a' && unit <= 'z')
                            || (unit >= 'A' && unit <= 'Z')
                            || (unit >= '0' && unit <= '9')
                            || (unit > 0 && SAFE.indexOf(unit) >= 0);
            if (safe) {
                path.append((char) unit);
            } else {
                path.append('%').append(HexFormat.of().toHexDigits(unit));
            }
        }
        return path.length() <= NAME_BYTES_MAX
                ? path.toString()
                : path.substring(0, NAME_BYTES_MAX) + "%" + hash(name);
    }

    private static String hash(String name) {
        try {
            byte[] digest =
                    java.security.MessageDigest.getInstance("SHA-256")
                            .digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (java.security.NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }
}

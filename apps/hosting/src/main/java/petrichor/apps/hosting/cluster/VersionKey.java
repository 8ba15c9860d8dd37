package petrichor.apps.hosting.cluster;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.router.table.VersionName;

/**
 * A version as it is deployed: another deployment with the same name, or other variables of the
 * app, are another one. All servers have the same keys.
 *
 * @param deployment a hash of sources, time of deployment and variables
 */
public record VersionKey(VersionName version, String deployment) {
    /** The key of a version whose instances have these variables. */
    public static VersionKey of(VersionName name, VersionRecord record, AppVariables variables) {
        CRC32C hash = new CRC32C();
        add(hash, record.sources());
        add(hash, record.origin().toString());
        // Both maps are sorted.
        variables
                .plain()
                .forEach(
                        (variable, value) -> {
                            add(hash, variable);
                            add(hash, value);
                        });
        variables
                .secrets()
                .forEach(
                        (variable, encrypted) -> {
                            add(hash, variable);
                            hash.update(encrypted.asReadOnlyByteBuffer());
                        });
        return new VersionKey(name, Long.toHexString(hash.getValue()));
    }

    private static void add(CRC32C hash, String text) {
        hash.update(text.getBytes(StandardCharsets.UTF_8));
        hash.update(0);
    }
}

package petrichor.server.backups;

import java.nio.file.Path;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;
import petrichor.movement.backups.FolderTarget;
import petrichor.services.blobs.s3.S3Address;

/** Opens the places of backups. Stateless. */
public final class BackupTargets {
    private static final String S3 = "s3://";

    private BackupTargets() {}

    /**
     * Opens a folder, {@code s3://BUCKET/PREFIX?region=REGION&endpoint=URL}, or {@code
     * gs://BUCKET/PREFIX?endpoint=URL}.
     *
     * @param place INVALID_ARGUMENT if it is another URL
     */
    public static BackupTarget open(String place) {
        if (place.startsWith(S3)) {
            return new S3Target(S3Address.parse(place));
        }
        if (place.startsWith(CloudStorageAddress.SCHEME)) {
            return new CloudStorageTarget(CloudStorageAddress.parse(place));
        }
        if (place.contains("://")) {
            throw PetrichorException.invalid(
                    "Backups cannot be stored in {place}: name a folder,"
                            + " s3://BUCKET/PREFIX?region=REGION&endpoint=URL, or"
                            + " gs://BUCKET/PREFIX?endpoint=URL.",
                    "place",
                    place);
        }
        return new FolderTarget(Path.of(place));
    }

    /** Whether a place is a bucket, which every server reaches alike, and not a folder. */
    static boolean isBucket(String place) {
        return place.startsWith(S3) || place.startsWith(CloudStorageAddress.SCHEME);
    }

    /** Closes a target that is no longer used. */
    static void close(BackupTarget target) {
        if (target instanceof S3Target bucket) {
            bucket.close();
        }
    }
}

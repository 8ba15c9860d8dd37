package petrichor.server.backups;

import java.nio.file.Path;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;
import petrichor.movement.backups.FolderTarget;
import petrichor.services.blobs.s3.S3Address;

/** Opens the places of backups. Stateless. */
public final class BackupTargets {
    private BackupTargets() {}

    /**
     * Opens a folder, or {@code s3://BUCKET/PREFIX?region=REGION&endpoint=URL}.
     *
     * @param place INVALID_ARGUMENT if it is another URL
     */
    public static BackupTarget open(String place) {
        if (place.startsWith("s3://")) {
            return new S3Target(S3Address.parse(place));
        }
        if (place.contains("://")) {
            throw PetrichorException.invalid(
                    "Backups cannot be stored in {place}: name a folder, or"
                            + " s3://BUCKET/PREFIX?region=REGION&endpoint=URL.",
                    "place",
                    place);
        }
        return new FolderTarget(Path.of(place));
    }

    /** Closes a target that is no longer used. */
    static void close(BackupTarget target) {
        if (target instanceof S3Target bucket) {
            bucket.close();
        }
    }
}

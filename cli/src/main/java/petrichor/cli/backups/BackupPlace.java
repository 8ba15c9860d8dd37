package petrichor.cli.backups;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.movement.backups.BackupKey;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTarget;
import petrichor.server.backups.BackupTargets;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where backups are, and the key with which they are encrypted. */
final class BackupPlace {
    @Parameters(
            paramLabel = "PLACE",
            description =
                    "Folder of the backups, s3://BUCKET/PREFIX?region=REGION&endpoint=URL, or"
                            + " gs://BUCKET/PREFIX?endpoint=URL.")
    private String folder = "";

    private @Nullable BackupTarget opened;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description = "Key with which backups are encrypted; see backup key.")
    private @Nullable Path keyFile;

    BackupTarget target() {
        BackupTarget target = opened == null ? BackupTargets.open(folder) : opened;
        opened = target;
        return target;
    }

    @Nullable BackupKey key() {
        return keyFile == null ? null : BackupKey.read(keyFile);
    }

    BackupSets sets(DatabaseName database) {
        return new BackupSets(target(), database, key());
    }

    /** All databases in the folder. NOT_FOUND if there are none. */
    List<BackupSets> all() {
        List<DatabaseName> databases = BackupSets.databases(target());
        if (databases.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND, "{folder} contains no backups", "folder", target());
        }
        BackupKey key = key();
        return databases.stream().map(one -> new BackupSets(target(), one, key)).toList();
    }
}

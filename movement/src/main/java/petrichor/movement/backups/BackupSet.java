package petrichor.movement.backups;

/**
 * A complete set of a backup.
 *
 * @param hash of its manifest
 */
public record BackupSet(Manifest manifest, String hash) {
    public long version() {
        return manifest.version();
    }

    Manifest.Link link() {
        return new Manifest.Link(version(), hash);
    }
}

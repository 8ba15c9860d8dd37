package petrichor.movement.backups;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.movement.Progress;
import petrichor.movement.backups.Manifest.Content;
import petrichor.movement.backups.Manifest.Segment;

/**
 * Reads everything in a backup and compares it with the manifests: hashes, checksums of blocks,
 * numbers and order of rows, and that no set is missing. Confined to one thread.
 */
public final class BackupCheck {
    private final BackupSets sets;
    private final Progress progress;
    private final List<String> problems = new ArrayList<>();
    private long rows;
    private long bytes;

    public BackupCheck(BackupSets sets, Progress progress) {
        this.sets = sets;
        this.progress = progress;
    }

    /**
     * What was found.
     *
     * @param problems empty if the backup is sound
     */
    public record Report(int sets, long rows, long bytes, List<String> problems) {
        public Report {
            problems = List.copyOf(problems);
        }
    }

    public Report run() {
        BackupSets.Found found = sets.find();
        problems.addAll(found.problems());
        for (BackupSet set : found.sets()) {
            Manifest manifest = set.manifest();
            byte @Nullable [] last = null;
            for (Segment segment : manifest.segments(Content.SNAPSHOT)) {
                last = check(manifest, segment, last);
            }
            for (Segment segment : manifest.segments(Content.TABLES)) {
                last = check(manifest, segment, last);
            }
            for (Segment segment : manifest.segments(Content.LOG)) {
                var _ = check(manifest, segment, null);
            }
        }
        return new Report(found.sets().size(), rows, bytes, problems);
    }

    /**
     * @param after the last key before this segment
     * @return the last key
     */
    private byte @Nullable [] check(Manifest manifest, Segment segment, byte @Nullable [] after) {
        String name = sets.folder(manifest.version()) + "/" + segment.file();
        byte @Nullable [] last = after;
        try (SegmentReader reader = new SegmentReader(sets.target(), name, segment, sets.key())) {
            for (List<BackupRow> some = reader.next(); some != null; some = reader.next()) {
                for (BackupRow row : some) {
                    if (row.version() > manifest.version()) {
                        problems.add(name + ": it has a row of a later version");
                        return last;
                    }
                    if (segment.content() != Content.LOG) {
                        if (last != null && Bytes.compare(last, row.key()) >= 0) {
                            problems.add(name + ": its keys are not in order");
                            return last;
                        }
                        last = row.key();
                    }
                }
                rows += some.size();
                progress.moved(rows, bytes, -1);
            }
            bytes += segment.bytes();
        } catch (PetrichorException damaged) {
            problems.add(Objects.requireNonNullElse(damaged.getMessage(), name + " is damaged"));
        }
        return last;
    }
}

package petrichor.server.backups;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.movement.Progress;
import petrichor.movement.backups.BackupDrill;
import petrichor.movement.backups.BackupKey;
import petrichor.movement.backups.BackupRun;
import petrichor.movement.backups.BackupSet;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTarget;
import petrichor.movement.backups.RowsOwner;

/** One run of a schedule: backups, drills, and deletion of old backups. Confined to one thread. */
final class ScheduledRun {
    static final String SCRATCH = "backup-drill";

    private static final int THREADS = 2;

    private final BackupSchedule schedule;
    private final RowsOwner owner;
    private final BackupTarget target;
    private final Progress progress;
    private final Instant now;

    /**
     * @param progress may throw, to end the run
     */
    ScheduledRun(
            BackupSchedule schedule,
            RowsOwner owner,
            BackupTarget target,
            Progress progress,
            Instant now) {
        this.schedule = schedule;
        this.owner = owner;
        this.target = target;
        this.progress = progress;
        this.now = now;
    }

    /**
     * Backs up one database. FAILED_PRECONDITION if the backups are damaged, or if a drill finds a
     * difference.
     */
    void backUp(DatabaseName database) {
        BackupSets sets =
                new BackupSets(
                        target,
                        database,
                        schedule.source().keyFile().map(BackupKey::read).orElse(null));
        BackupRun.Result result =
                new BackupRun(
                                owner,
                                sets,
                                new BackupRun.Options(
                                        isFullDue(sets.find()),
                                        BackupRun.Options.CONSUMER + "-" + schedule.name(),
                                        THREADS),
                                progress)
                        .run();
        BackupSet set = result.set();
        if (schedule.timing().drill() && set.manifest().full()) {
            drill(sets, set);
        }
        prune(sets);
    }

    private boolean isFullDue(BackupSets.Found found) {
        Optional<BackupSet> full = lastFull(found.sets());
        return full.isPresent()
                && !full.get().manifest().created().plus(schedule.timing().full()).isAfter(now);
    }

    private static Optional<BackupSet> lastFull(List<BackupSet> sets) {
        return sets.reversed().stream().filter(set -> set.manifest().full()).findFirst();
    }

    private void drill(BackupSets sets, BackupSet set) {
        DatabaseName scratch = new DatabaseName(sets.database().project(), SCRATCH);
        BackupDrill.Report report =
                new BackupDrill(
                                owner,
                                sets,
                                new BackupDrill.Plan(set.version(), scratch, true),
                                progress)
                        .run();
        if (!report.passed()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The drill of {database} failed: {parts} were not restored exactly. Run"
                            + " `petrichor backup verify`.",
                    "database",
                    sets.database(),
                    "parts",
                    report.parts().stream()
                            .filter(part -> !part.equal())
                            .map(BackupDrill.Part::name)
                            .toList());
        }
    }

    private void prune(BackupSets sets) {
        BackupSets.Found found = sets.find();
        found.requireSound();
        List<BackupSet> full = found.sets().stream().filter(set -> set.manifest().full()).toList();
        int newest = full.size() - schedule.retention().keepFull();
        Instant oldest = Instant.now().minus(Duration.ofDays(schedule.retention().keepDays()));
        for (int i = Math.min(newest, full.size() - 1); i > 0; i--) {
            // A restore to any time since then starts from this backup or from a later one.
            if (!full.get(i).manifest().created().isAfter(oldest)) {
                var _ = sets.deleteBefore(found, full.get(i));
                return;
            }
        }
    }
}

package petrichor.cli.backups;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import petrichor.movement.backups.BackupDrill;
import petrichor.movement.backups.BackupSet;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tries a restore of a backup. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        description = {
            "Restore a backup into a scratch database and compare.",
            "Compares counts and hashes of every kind and table with the source at the same time,"
                    + " and empties the scratch database. Exits with 1 if anything differs."
        })
final class BackupDrillCommand implements Callable<Integer> {
    @Mixin private BackupPlace place = new BackupPlace();
    @Mixin private ServerAddress address = new ServerAddress();

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description =
                    "Time to restore, such as 2026-11-28T05:00:00Z, or a version. Default: the end"
                            + " of the last backup")
    private @Nullable String at;

    @Option(
            names = "--scratch",
            paramLabel = "DATABASE",
            description =
                    "Database of the project to restore into; it must be empty. Default:"
                            + " backup-drill")
    private String scratch = "backup-drill";

    @Option(names = "--replace", description = "Empty the scratch database first.")
    private boolean replace;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Option(names = "--json", description = "Print one line per kind and table.")
    private boolean json;

    @Override
    public Integer call() {
        Terminal terminal = Terminal.open(quiet);
        DatabaseName source = address.databaseName();
        BackupSets sets = place.sets(source);
        long version = at == null ? last(sets) : BackupTime.parse(at);
        DatabaseName database = new DatabaseName(source.project(), scratch);
        long start = System.nanoTime();
        try (ServerAddress.Connection connection = address.connect(true);
                RowsClient client = RowsClient.of(connection, address)) {
            BackupDrill.Report report =
                    new BackupDrill(
                                    client,
                                    sets,
                                    new BackupDrill.Plan(version, database, replace),
                                    (rows, bytes, total) ->
                                            terminal.progress("rows restored", rows, bytes, total))
                            .run();
            print(source, report, terminal, (System.nanoTime() - start) / 1_000_000);
            return (report.passed() ? ExitCode.OK : ExitCode.FAILURE).number();
        }
    }

    private static long last(BackupSets sets) {
        return sets.find()
                .last()
                .map(BackupSet::version)
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "there is no complete backup of {database}",
                                        "database",
                                        sets.database()));
    }

    private void print(
            DatabaseName source, BackupDrill.Report report, Terminal terminal, long milliseconds) {
        String time = BackupTime.text(report.version());
        if (json) {
            for (BackupDrill.Part part : report.parts()) {
                System.out.println(
                        new JsonLine()
                                .put("database", source.toString())
                                .put("time", time)
                                .put("comparedWith", report.withSource() ? "source" : "backup")
                                .put("part", part.name())
                                .put("expected", part.expected())
                                .put("restored", part.restored())
                                .put("equal", part.equal() ? "yes" : "no"));
            }
        } else if (!quiet) {
            TextTable table = new TextTable(System.out);
            for (BackupDrill.Part part : report.parts()) {
                Map<String, String> row = new LinkedHashMap<>();
                row.put("part", part.name());
                row.put("expected", String.valueOf(part.expected()));
                row.put("restored", String.valueOf(part.restored()));
                row.put("result", part.equal() ? "equal" : "DIFFERENT");
                table.row(row);
            }
            table.end();
        }
        if (report.passed()) {
            terminal.say(
                    String.format(
                            Locale.ROOT,
                            "the drill passed: %s as of %s, %,d rows in %.1f s, equal to the %s",
                            source,
                            time,
                            report.rows(),
                            milliseconds / 1e3,
                            report.withSource()
                                    ? "database at that time"
                                    : "files of the backup (the database no longer has that"
                                            + " time)"));
        } else {
            terminal.complain(
                    "the drill failed: "
                            + source
                            + " as of "
                            + time
                            + " was not restored exactly; run backup verify, and make a full"
                            + " backup");
        }
    }
}

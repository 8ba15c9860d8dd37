package petrichor.cli.backups;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.cli.connection.KnownDatabases;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import petrichor.movement.backups.BackupCheck;
import petrichor.movement.backups.BackupKey;
import petrichor.movement.backups.BackupRun;
import petrichor.movement.backups.BackupSet;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTime;
import petrichor.movement.backups.Manifest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Backs up databases, and manages the backups. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = "Back up and restore databases.",
        subcommands = {
            BackupCommand.Create.class,
            BackupCommand.ListSets.class,
            BackupCommand.Show.class,
            BackupCommand.Verify.class,
            RestoreCommand.class,
            BackupDrillCommand.class,
            BackupScheduleCommand.class,
            BackupCommand.Prune.class,
            BackupCommand.CreateKey.class
        })
public final class BackupCommand {
    private BackupCommand() {}

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = {
                "Add a backup of a database to a folder.",
                "The first one is full; later ones add the commits since the last one."
            })
    static final class Create implements Callable<Integer> {
        @Mixin private BackupPlace place = new BackupPlace();
        @Mixin private ServerAddress address = new ServerAddress();

        @Option(names = "--all", description = "Back up every database of the server.")
        private boolean all;

        @Option(names = "--full", description = "Copy all entities, even if not needed.")
        private boolean full;

        @Option(
                names = "--consumer",
                paramLabel = "NAME",
                description =
                        "Consumer of changes that keeps the log until the next backup; use another"
                                + " one for each folder. Default: backup")
        private String consumer = BackupRun.Options.CONSUMER;

        @Option(
                names = "--threads",
                paramLabel = "N",
                description = "Key ranges that are read in parallel. Default: 4")
        private int threads = 4;

        @Option(names = "--quiet", description = "Print only errors.")
        private boolean quiet;

        @Option(names = "--json", description = "Print the summary as JSON.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            Terminal terminal = Terminal.open(quiet);
            try (ServerAddress.Connection connection = address.connect(false);
                    RowsClient client = RowsClient.of(connection, address)) {
                List<DatabaseName> databases =
                        all
                                ? KnownDatabases.of(connection, address)
                                : List.of(address.databaseName());
                for (DatabaseName database : databases) {
                    create(client, database, terminal);
                }
            }
            return ExitCode.OK.number();
        }

        private void create(RowsClient client, DatabaseName database, Terminal terminal) {
            long start = System.nanoTime();
            BackupRun.Result result =
                    new BackupRun(
                                    client,
                                    place.sets(database),
                                    new BackupRun.Options(full, consumer, threads),
                                    (entities, bytes, total) ->
                                            terminal.progress(
                                                    "entities backed up", entities, bytes, total))
                            .run();
            Manifest manifest = result.set().manifest();
            if (result.gap()) {
                terminal.complain(
                        "warning: the commits since the last backup are no longer kept, or the"
                                + " database was created again, so this backup is full and times"
                                + " between the two cannot be restored; back up at least once a"
                                + " day");
            }
            if (result.otherRows()) {
                terminal.complain(
                        "warning: "
                                + database
                                + " also has tuples, tasks, objects or other data of"
                                + " services, which backups do not contain yet");
            }
            if (json) {
                System.out.println(
                        line(database, manifest)
                                .put("milliseconds", (System.nanoTime() - start) / 1_000_000));
            } else {
                terminal.say(
                        String.format(
                                Locale.ROOT,
                                "backed up %s as of %s: %s, %,d bytes",
                                database,
                                BackupTime.text(manifest.version()),
                                content(manifest),
                                manifest.bytes()));
            }
        }
    }

    static JsonLine line(DatabaseName database, Manifest manifest) {
        return new JsonLine()
                .put("database", database.toString())
                .put("version", String.valueOf(manifest.version()))
                .put("time", BackupTime.text(manifest.version()))
                .put("created", manifest.created().toString())
                .put("type", type(manifest))
                .put("entities", manifest.rows(Manifest.Content.SNAPSHOT))
                .put("tableRows", manifest.rows(Manifest.Content.TABLES))
                .put("changes", manifest.rows(Manifest.Content.LOG))
                .put("bytes", manifest.bytes())
                .put("key", manifest.keyId().orElse(""));
    }

    private static String type(Manifest manifest) {
        return manifest.full() ? "full" : "log";
    }

    private static String content(Manifest manifest) {
        List<String> parts = new ArrayList<>();
        if (manifest.full()) {
            parts.add(
                    String.format(
                            Locale.ROOT, "%,d entities", manifest.rows(Manifest.Content.SNAPSHOT)));
            long tables = manifest.rows(Manifest.Content.TABLES);
            if (tables > 0) {
                parts.add(String.format(Locale.ROOT, "%,d rows of tables", tables));
            }
        }
        if (manifest.previous().isPresent()) {
            parts.add(
                    String.format(Locale.ROOT, "%,d changes", manifest.rows(Manifest.Content.LOG)));
        }
        return String.join(", ", parts);
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the backups in a folder.")
    static final class ListSets implements Callable<Integer> {
        @Mixin private BackupPlace place = new BackupPlace();

        @Option(names = "--json", description = "Print one backup per line.")
        private boolean json;

        @Override
        public Integer call() {
            TextTable table = new TextTable(System.out);
            List<String> problems = new ArrayList<>();
            for (BackupSets sets : place.all()) {
                BackupSets.Found found = sets.find();
                problems.addAll(found.problems());
                for (BackupSet set : found.sets()) {
                    if (json) {
                        System.out.println(line(sets.database(), set.manifest()));
                    } else {
                        table.row(row(sets.database(), set.manifest()));
                    }
                }
            }
            if (!json) {
                table.end();
            }
            problems.forEach(problem -> Terminal.open(false).complain("damaged: " + problem));
            return (problems.isEmpty() ? ExitCode.OK : ExitCode.FAILURE).number();
        }

        private static Map<String, String> row(DatabaseName database, Manifest manifest) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("database", database.toString());
            row.put("time", BackupTime.text(manifest.version()));
            row.put("type", type(manifest));
            row.put(
                    "entities",
                    manifest.full()
                            ? String.valueOf(manifest.rows(Manifest.Content.SNAPSHOT))
                            : "-");
            row.put("changes", String.valueOf(manifest.rows(Manifest.Content.LOG)));
            row.put("bytes", String.valueOf(manifest.bytes()));
            row.put("key", manifest.keyId().orElse("-"));
            return row;
        }
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Show which times a folder can restore, and its files.")
    static final class Show implements Callable<Integer> {
        @Mixin private BackupPlace place = new BackupPlace();

        @Override
        public Integer call() {
            for (BackupSets sets : place.all()) {
                BackupSets.Found found = sets.find();
                System.out.println(sets.database());
                for (BackupSet set : found.sets()) {
                    Manifest manifest = set.manifest();
                    System.out.println(
                            "  "
                                    + BackupTime.text(manifest.version())
                                    + "  "
                                    + content(manifest)
                                    + manifest.previous()
                                            .map(
                                                    link ->
                                                            ", every commit since "
                                                                    + BackupTime.text(
                                                                            link.version()))
                                            .orElse(", no commits before it"));
                    for (Manifest.Segment segment : manifest.contents().segments()) {
                        System.out.printf(
                                Locale.ROOT,
                                "    %-18s %,12d rows %,14d bytes  sha256 %s%n",
                                segment.file(),
                                segment.rows(),
                                segment.bytes(),
                                segment.sha256());
                    }
                    System.out.print(manifest.contents().declared().indent(4));
                }
                found.incomplete().forEach(one -> System.out.println("  incomplete: " + one));
                found.problems().forEach(one -> System.out.println("  damaged: " + one));
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Read all backups in a folder and check every hash.")
    static final class Verify implements Callable<Integer> {
        @Mixin private BackupPlace place = new BackupPlace();

        @Option(names = "--quiet", description = "Print only problems.")
        private boolean quiet;

        @Option(names = "--json", description = "Print one line per database.")
        private boolean json;

        @Override
        public Integer call() {
            Terminal terminal = Terminal.open(quiet);
            boolean sound = true;
            for (BackupSets sets : place.all()) {
                BackupCheck.Report report =
                        new BackupCheck(
                                        sets,
                                        (rows, bytes, total) ->
                                                terminal.progress(
                                                        "rows verified", rows, bytes, total))
                                .run();
                sound &= report.problems().isEmpty();
                report.problems().forEach(problem -> terminal.complain("damaged: " + problem));
                if (json) {
                    System.out.println(
                            new JsonLine()
                                    .put("database", sets.database().toString())
                                    .put("sets", report.sets())
                                    .put("rows", report.rows())
                                    .put("bytes", report.bytes())
                                    .put("problems", report.problems().size()));
                } else if (report.problems().isEmpty()) {
                    terminal.say(
                            String.format(
                                    Locale.ROOT,
                                    "%s: %d backups with %,d rows are intact",
                                    sets.database(),
                                    report.sets(),
                                    report.rows()));
                }
            }
            return (sound ? ExitCode.OK : ExitCode.FAILURE).number();
        }
    }

    @Command(
            name = "prune",
            mixinStandardHelpOptions = true,
            description = {
                "Delete old backups, and parts of backups that did not end.",
                "A full backup is deleted only together with everything before it."
            })
    static final class Prune implements Callable<Integer> {
        @Mixin private BackupPlace place = new BackupPlace();

        @Option(
                names = "--keep-full",
                paramLabel = "N",
                description =
                        "Keep this many full backups of each database, and the log after them."
                                + " Default: 2")
        private int keep = 2;

        @Override
        public Integer call() {
            if (keep < 1) {
                throw PetrichorException.invalid("--keep-full must be at least 1.");
            }
            Terminal terminal = Terminal.open(false);
            for (BackupSets sets : place.all()) {
                BackupSets.Found found = sets.find();
                found.requireSound();
                List<BackupSet> full =
                        found.sets().stream().filter(set -> set.manifest().full()).toList();
                if (full.isEmpty()) {
                    throw PetrichorException.of(
                            ErrorCode.FAILED_PRECONDITION,
                            "{database} has no complete full backup; nothing was deleted",
                            "database",
                            sets.database());
                }
                BackupSet first = full.get(Math.max(0, full.size() - keep));
                int deleted = sets.deleteBefore(found, first);
                terminal.say(
                        sets.database()
                                + ": deleted "
                                + deleted
                                + ", restorable from "
                                + BackupTime.text(first.version()));
            }
            return ExitCode.OK.number();
        }
    }

    @Command(
            name = "key",
            mixinStandardHelpOptions = true,
            description = "Create a key file for encrypted backups.")
    static final class CreateKey implements Callable<Integer> {
        @Parameters(paramLabel = "FILE", description = "The file to create.")
        private @Nullable Path file;

        @Override
        public Integer call() {
            Path created = java.util.Objects.requireNonNull(file);
            String id = BackupKey.create(created).id();
            Terminal.open(false)
                    .say(
                            "created the key "
                                    + id
                                    + " in "
                                    + created
                                    + "; keep a copy elsewhere: without it, the backups cannot be"
                                    + " read");
            return ExitCode.OK.number();
        }
    }
}

package petrichor.cli.backups;

import com.google.datastore.v1.Key;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import petrichor.movement.backups.BackupFilter;
import petrichor.movement.backups.BackupSet;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.BackupTime;
import petrichor.movement.backups.Restore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Restores a database from a backup. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = {
            "Make a database, or a part of it, equal to a backup.",
            "Shows the difference; --apply writes it. Entities that the backup does not contain"
                    + " are deleted."
        })
final class RestoreCommand implements Callable<Integer> {
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
            names = "--from",
            paramLabel = "PROJECT[/DATABASE]",
            description =
                    "Database whose backup to restore. Default: the one that is restored, or the"
                            + " only one in the folder")
    private @Nullable String from;

    @Option(names = "--kind", description = "Restore only entities of this kind.")
    private @Nullable String kind;

    @Option(
            names = "--namespace",
            description = "Restore only this namespace. \"\" is the default one.")
    private @Nullable String namespace;

    @Option(
            names = "--key",
            paramLabel = "JSON",
            description =
                    "Restore only the entity with this key, in JSON as in the REST API, and its"
                            + " descendants.")
    private @Nullable String key;

    @Option(names = "--apply", description = "Restore, instead of showing the difference.")
    private boolean apply;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the difference as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        Terminal terminal = Terminal.open(quiet);
        DatabaseName target = address.databaseName();
        BackupSets sets = place.sets(source(target));
        long version = at == null ? last(sets) : BackupTime.parse(at);
        Restore.Plan plan = new Restore.Plan(version, filter(), target);
        try (ServerAddress.Connection connection = address.connect(true);
                RowsClient client = RowsClient.of(connection, address)) {
            Restore restore =
                    new Restore(
                            client,
                            sets,
                            plan,
                            (entities, bytes, total) ->
                                    terminal.progress("entities compared", entities, bytes, total));
            report(plan, apply ? restore.apply() : restore.preview(), terminal);
        }
        return ExitCode.OK.number();
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

    private DatabaseName source(DatabaseName target) {
        if (from != null) {
            int slash = from.indexOf('/');
            return slash < 0
                    ? new DatabaseName(from, "")
                    : new DatabaseName(from.substring(0, slash), from.substring(slash + 1));
        }
        List<DatabaseName> present = place.all().stream().map(BackupSets::database).toList();
        return present.contains(target) || present.size() > 1 ? target : present.getFirst();
    }

    private BackupFilter filter() {
        Key.Builder parsed = Key.newBuilder();
        if (key != null) {
            try {
                JsonFormat.parser().merge(key, parsed);
            } catch (InvalidProtocolBufferException malformed) {
                throw PetrichorException.invalid(
                        "--key is not a key in JSON, such as {example}: {reason}",
                        "example",
                        "{\"path\": [{\"kind\": \"City\", \"name\": \"Oslo\"}]}",
                        "reason",
                        malformed.getMessage());
            }
            if (parsed.getPathCount() == 0) {
                throw PetrichorException.invalid("--key is a key without a path");
            }
        }
        return new BackupFilter(
                Optional.ofNullable(kind),
                Optional.ofNullable(namespace),
                key == null ? Optional.empty() : Optional.of(parsed.build()));
    }

    private void report(Restore.Plan plan, Restore.Difference difference, Terminal terminal) {
        if (json) {
            System.out.println(
                    new JsonLine()
                            .put("database", plan.target().toString())
                            .put("time", BackupTime.text(plan.version()))
                            .put("applied", apply ? "yes" : "no")
                            .put("added", difference.added())
                            .put("changed", difference.changed())
                            .put("deleted", difference.deleted())
                            .put("unchanged", difference.unchanged()));
            return;
        }
        if (!apply) {
            difference.examples().forEach(System.out::println);
        }
        terminal.say(
                String.format(
                        Locale.ROOT,
                        "%s %s to %s: %,d entities added, %,d changed, %,d deleted, %,d"
                                + " unchanged%s",
                        apply ? "restored" : "would restore",
                        plan.target(),
                        BackupTime.text(plan.version()),
                        difference.added(),
                        difference.changed(),
                        difference.deleted(),
                        difference.unchanged(),
                        apply || difference.none() ? "" : "; add --apply to do it"));
    }
}

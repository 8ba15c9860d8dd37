package petrichor.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import petrichor.cli.apps.AppCommand;
import petrichor.cli.apps.DeployCommand;
import petrichor.cli.apps.ScalingCommand;
import petrichor.cli.backups.BackupCommand;
import petrichor.cli.data.ChangesCommand;
import petrichor.cli.data.DatabaseCommand;
import petrichor.cli.data.ExportCommand;
import petrichor.cli.data.GqlCommand;
import petrichor.cli.data.ImportCommand;
import petrichor.cli.data.IndexCommand;
import petrichor.cli.data.MigrateCommand;
import petrichor.cli.data.ReplicateCommand;
import petrichor.cli.data.UpstreamCommand;
import petrichor.cli.jobs.FlinkCommand;
import petrichor.cli.jobs.JobCommand;
import petrichor.cli.jobs.JobResumeCommand;
import petrichor.cli.serving.ClusterCommand;
import petrichor.cli.serving.ConfigCommand;
import petrichor.cli.serving.DoctorCommand;
import petrichor.cli.serving.LogCommand;
import petrichor.cli.serving.ServerCommand;
import petrichor.cli.serving.SupportBundleCommand;
import petrichor.cli.serving.TokenCommand;
import petrichor.cli.serving.UpCommand;
import petrichor.cli.serving.UserCommand;
import petrichor.cli.sql.SqlCommand;
import petrichor.cli.stores.StoreCommand;
import petrichor.cli.tuples.PlacementCommand;
import petrichor.cli.tuples.RingCommand;
import petrichor.cli.tuples.TupleCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The {@code petrichor} command: parses the command line, runs one command and exits with its code.
 */
@Command(
        name = "petrichor",
        mixinStandardHelpOptions = true,
        commandListHeading = "",
        versionProvider = VersionCommand.Text.class,
        description = "A datastore that speaks Google Datastore's API, on your own machines.",
        subcommands = {
            UpCommand.class,
            ServerCommand.class,
            ClusterCommand.class,
            ConfigCommand.class,
            TokenCommand.class,
            LogCommand.class,
            UserCommand.class,
            DeployCommand.class,
            AppCommand.class,
            ScalingCommand.class,
            DoctorCommand.class,
            SupportBundleCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            GqlCommand.class,
            SqlCommand.class,
            ChangesCommand.class,
            BackupCommand.class,
            MigrateCommand.class,
            UpstreamCommand.class,
            RingCommand.class,
            ReplicateCommand.class,
            TupleCommand.class,
            PlacementCommand.class,
            IndexCommand.class,
            DatabaseCommand.class,
            StoreCommand.class,
            FlinkCommand.class,
            JobCommand.class,
            CompletionCommand.class,
            HelpCommand.class,
            VersionCommand.class
        },
        footerHeading = "%n",
        footer = {
            "Exit codes: 0 done, 1 failed, 2 wrong command line, 3 conflict, 4 not found,"
                    + " 5 server unavailable.",
            "Start here:  petrichor up"
        })
public final class Petrichor {
    private Petrichor() {}

    public static void main(String[] arguments) {
        CommandRunner.runAndExit(Petrichor::commandLine, arguments);
    }

    /** As {@link #main}, but returns the exit code. */
    static int run(String... arguments) {
        return CommandRunner.run(commandLine(), arguments);
    }

    /** The commands of the product, without the developers' tools. */
    public static CommandLine commandLine() {
        CommandLine line = CommandRunner.configure(new CommandLine(new Petrichor()));
        line.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, CommandGroups::list);
        CommandLine job = Objects.requireNonNull(line.getSubcommands().get("job"));
        passArgumentsBehindTheJar(job.getSubcommands());
        JobResumeCommand resume =
                Objects.requireNonNull(job.getSubcommands().get("resume")).getCommand();
        resume.program(Petrichor::commandLine);
        return line;
    }

    private static void passArgumentsBehindTheJar(Map<String, CommandLine> job) {
        for (String command : List.of("run", "tune", "explain")) {
            Objects.requireNonNull(job.get(command)).setStopAtPositional(true);
        }
    }
}

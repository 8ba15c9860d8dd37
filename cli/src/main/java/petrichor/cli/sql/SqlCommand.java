package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.FileProblem;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.cli.sql.ResultWriter.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The SQL shell; with {@code -c}, {@code -f} or a pipe, it runs a script. */
@Command(
        name = "sql",
        mixinStandardHelpOptions = true,
        description = "Run SQL: a shell, a statement or a script.",
        subcommands = {SqlImportCommand.class, SqlDumpCommand.class},
        footer = {
            "",
            "  petrichor sql",
            "  petrichor sql shop -c \"SELECT * FROM city WHERE country = :'c'\" -v c=PT",
            "  petrichor sql shop -f schema.sql",
            "  petrichor sql --json -c \"SELECT count(*) FROM city\""
        })
public final class SqlCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private SqlAddress address = new SqlAddress();

    @Parameters(
            arity = "0..1",
            paramLabel = "DATABASE",
            description = "PROJECT, PROJECT/DATABASE, or a URL as for --url")
    private String target = "";

    @Option(
            names = {"-c", "--command"},
            paramLabel = "SQL",
            description = "Run these statements and exit; may be repeated.")
    private List<String> statements = new ArrayList<>();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Run this file and exit, after those of -c; - for standard input")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-v", "--variable"},
            paramLabel = "NAME=VALUE",
            description =
                    "Set a variable: :NAME in a statement is its text, :'NAME' a literal,"
                            + " :\"NAME\" an identifier.")
    private Map<String, String> variables = new LinkedHashMap<>();

    @Option(
            names = "--format",
            paramLabel = "FORM",
            description =
                    "table, csv, json (one document) or jsonl (one object per row). Default: table")
    private Format format = Format.TABLE;

    @Option(names = "--json", description = "Same as --format json.")
    private boolean json;

    @Option(names = "--keep-going", description = "Continue a script after an error. Default: stop")
    private boolean keepGoing;

    @Option(names = "--quiet", description = "Print only results and errors.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        for (String name : variables.keySet()) {
            if (!name.matches("\\w+")) {
                throw new ParameterException(
                        spec.commandLine(),
                        "-v " + name + "=… is not a variable: a name has letters, digits and _");
            }
        }
        SqlShell.Options options =
                new SqlShell.Options(json ? Format.JSON : format, quiet, keepGoing, variables);
        PrintStream out = System.out;
        PrintStream err = System.err;
        try (SqlShell shell = SqlShell.open(address.target(target), options, out, err)) {
            Thread cancel = new Thread(shell::cancel, "cancel");
            Runtime.getRuntime().addShutdownHook(cancel);
            try {
                run(shell);
            } finally {
                Runtime.getRuntime().removeShutdownHook(cancel);
            }
            return shell.failure()
                    .map(SqlFailure::sqlState)
                    .map(ExitCode::ofSqlState)
                    .orElse(ExitCode.OK)
                    .number();
        }
    }

    private void run(SqlShell shell) throws IOException {
        if (statements.isEmpty() && files.isEmpty()) {
            if (Terminal.standardInputIsTerminal()) {
                shell.runInteractively();
            } else {
                shell.runScript(standardInput(), "");
            }
            return;
        }
        for (String text : statements) {
            shell.runText(text);
        }
        for (String file : files) {
            if (file.equals(STANDARD_INPUT)) {
                shell.runScript(standardInput(), "standard input");
            } else {
                try (BufferedReader script = open(Path.of(file))) {
                    shell.runScript(script, file);
                }
            }
        }
    }

    private static BufferedReader open(Path file) {
        try {
            return Files.newBufferedReader(file);
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + file, unreadable);
        }
    }

    private static BufferedReader standardInput() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }
}

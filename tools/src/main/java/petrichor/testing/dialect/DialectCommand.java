package petrichor.testing.dialect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code petrichor lab dialect}; see the package. */
@Command(
        name = "dialect",
        description =
                "Compares SQL with PostgreSQL: runs its regression scripts against both servers.",
        mixinStandardHelpOptions = true)
public final class DialectCommand implements Callable<Integer> {
    /** Creates the tables that the other scripts read. */
    private static final String SETUP = "test_setup";

    private static final String START = "<!-- regression scripts: start -->";
    private static final String END = "<!-- regression scripts: end -->";

    private static final String SCRIPTS =
            "select,select_distinct,select_distinct_on,select_having,select_implicit,select_into,"
                    + "join,union,subselect,case,limit,aggregates,groupingsets,window,with,insert,"
                    + "insert_conflict,returning,update,delete,truncate,temp,sequence,copy,copy2,"
                    + "copyselect,prepare,portals,transactions,boolean,int2,int4,int8,float8,"
                    + "numeric,char,varchar,text,strings,arrays,json,jsonb,date,time,timestamp,"
                    + "interval,uuid,rangefuncs";

    @Spec CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--sources",
            required = true,
            description =
                    "Folder src/test/regress of PostgreSQL's source: apt-get source postgresql-15.")
    Path sources = Path.of("");

    @Option(
            names = "--scripts",
            split = ",",
            defaultValue = SCRIPTS,
            description = "Scripts to run, without .sql. Default: those of the documentation")
    List<String> scripts = List.of();

    @Option(
            names = "--script-seconds",
            defaultValue = "180",
            description = "Time limit of a script on one server (${DEFAULT-VALUE}).")
    int scriptSeconds = 180;

    @Option(
            names = "--differences",
            defaultValue = "5",
            description = "Differences to print per script (${DEFAULT-VALUE}).")
    int differences = 5;

    @Option(
            names = "--page",
            description = "Replace the table in this page, docs/sql/postgresql.md.")
    @Nullable Path page;

    @Option(names = "--json", description = "Print the result as JSON.")
    boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isRegularFile(sources.resolve("sql/test_setup.sql"))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--sources: no sql/test_setup.sql in "
                            + sources
                            + "; unpack PostgreSQL 15 (apt-get source postgresql-15) and name its"
                            + " folder src/test/regress");
        }
        Path folder = Files.createTempDirectory("petrichor-dialect");
        try (PostgresProcess postgres = PostgresProcess.start(folder)) {
            DialectReport report = run(folder, postgres);
            Path written = page;
            if (written != null) {
                replace(written, report);
            }
            System.out.print(json ? report.json() + "\n" : report.text());
        } finally {
            delete(folder);
        }
        return 0;
    }

    private DialectReport run(Path folder, PostgresProcess postgres)
            throws IOException, InterruptedException {
        RegressionScript setup = script(SETUP);
        PsqlSession admin = session(postgres.url("postgres"), folder);
        String version =
                String.join(
                        "", run(admin, "SHOW server_version;").rows().stream().limit(1).toList());
        PsqlSession.Outcome _ = run(admin, "CREATE DATABASE setup;");
        Map<Integer, PsqlSession.Outcome> _ = session(postgres.url("setup"), folder).run(setup);
        List<DialectReport.ScriptResult> results = new ArrayList<>();
        for (String name : scripts) {
            RegressionScript script = script(name);
            PsqlSession.Outcome _ =
                    run(
                            admin,
                            "CREATE DATABASE \""
                                    + name
                                    + "\" TEMPLATE "
                                    + (name.equals(SETUP) ? "template0" : "setup")
                                    + ";");
            Map<Integer, PsqlSession.Outcome> expected =
                    session(postgres.url(name), folder).run(script);
            try (MemorySql ours = new MemorySql()) {
                PsqlSession session = session(ours.url(), folder);
                if (!name.equals(SETUP)) {
                    Map<Integer, PsqlSession.Outcome> _ = session.run(setup);
                }
                DialectReport.ScriptResult result =
                        DialectReport.compare(
                                name, script, expected, session.run(script), differences);
                System.err.println(
                        name + ": " + result.same() + " of " + result.compared() + " the same");
                results.add(result);
            }
        }
        return new DialectReport(version, LocalDate.now(ZoneOffset.UTC).toString(), results);
    }

    private static PsqlSession.Outcome run(PsqlSession session, String statement)
            throws IOException, InterruptedException {
        return session.run(RegressionScript.parse(statement))
                .getOrDefault(0, PsqlSession.Outcome.NONE);
    }

    private PsqlSession session(String url, Path folder) {
        return new PsqlSession(
                url, folder, sources.toAbsolutePath(), Duration.ofSeconds(scriptSeconds));
    }

    private RegressionScript script(String name) throws IOException {
        return RegressionScript.parse(Files.readString(sources.resolve("sql/" + name + ".sql")));
    }

    private static void replace(Path page, DialectReport report) throws IOException {
        String text = Files.readString(page);
        int from = text.indexOf(START);
        int to = text.indexOf(END);
        if (from < 0 || to < from) {
            throw new IOException(page + " has no place for the table: " + START);
        }
        Files.writeString(
                page,
                text.substring(0, from + START.length())
                        + "\nPostgreSQL "
                        + report.version()
                        + ", "
                        + report.date()
                        + ":\n\n"
                        + report.table()
                        + "\n"
                        + text.substring(to));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}

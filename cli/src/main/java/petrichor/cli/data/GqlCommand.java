package petrichor.cli.data;

import com.google.datastore.v1.AggregationResult;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.ExplainOptions;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.GqlQueryParameter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.StandardOutput;
import petrichor.cli.console.Terminal;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs one GQL query and prints all of its results, page by page. */
@Command(
        name = "gql",
        mixinStandardHelpOptions = true,
        description = "Run a GQL query and print the results.",
        footer = {
            "",
            "  petrichor gql \"SELECT * FROM City WHERE country = @c LIMIT 5\" --bind c=PT",
            "  petrichor gql \"SELECT COUNT(*) FROM City WHERE country = @1\" --bind 1=PT",
            "  petrichor gql \"SELECT __key__ FROM City\" --json"
        })
public final class GqlCommand implements Callable<Integer> {
    /** Output format of the results. */
    enum Output {
        TABLE,
        JSON
    }

    private static final Pattern AGGREGATION =
            Pattern.compile(
                    "\\s*(AGGREGATE\\b|SELECT\\s+(COUNT|COUNT_UP_TO|SUM|AVG)\\s*\\().*",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final JsonFormat.Printer JSON =
            JsonFormat.printer().omittingInsignificantWhitespace();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private ServerAddress address = new ServerAddress();

    @Parameters(paramLabel = "QUERY", description = "The query; literals are allowed.")
    private String query = "";

    @Option(
            names = "--bind",
            paramLabel = "NAME=VALUE",
            description = {
                "Bind @NAME, or @1, @2 … by position. The value is a number, true, false, null, a"
                        + " time (2026-01-31T12:00:00Z) or a string;",
                "quotes force a string: --bind 'zip=\"0815\"'."
            })
    private Map<String, String> bindings = new LinkedHashMap<>();

    @Option(names = "--namespace", description = "Default: the default namespace")
    private String namespace = "";

    @Option(
            names = "--output",
            paramLabel = "FORM",
            description = "table, or json: one entity per line. Default: table")
    private Output output = Output.TABLE;

    @Option(names = "--json", description = "Same as --output json.")
    private boolean json;

    @Option(names = "--explain", description = "Also print the indexes used and what was read.")
    private boolean explain;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        Terminal terminal = Terminal.open(quiet);
        output = json ? Output.JSON : output;
        GqlQuery gql = bound();
        try (ServerAddress.Connection connection = address.connect(false)) {
            if (AGGREGATION.matcher(query).matches()) {
                aggregate(connection.client(), gql, terminal);
            } else {
                find(connection.client(), gql, terminal);
            }
        }
        return ExitCode.OK.number();
    }

    private void find(DatastoreClient client, GqlQuery gql, Terminal terminal) throws IOException {
        GqlResults results =
                new GqlResults(client, address.databaseName(), namespace, gql, options());
        TextTable table = new TextTable(System.out);
        long count = 0;
        for (List<EntityResult> page = results.next();
                !page.isEmpty() || results.goesOn();
                page = results.next()) {
            for (EntityResult result : page) {
                if (output == Output.JSON) {
                    System.out.println(json(result.getEntity()));
                } else {
                    table.row(row(result.getEntity()));
                }
                count++;
            }
            StandardOutput.requireTaken();
        }
        table.end();
        System.out.flush();
        if (output == Output.TABLE) {
            terminal.say(
                    count == 1 ? "1 result" : String.format(Locale.ROOT, "%,d results", count));
            if (count == 0 && !quiet) {
                UnknownKind.hint(client, address.databaseName(), namespace, results.query())
                        .ifPresent(terminal::say);
            }
        }
        explain(results.metrics(), terminal);
    }

    private void aggregate(DatastoreClient client, GqlQuery gql, Terminal terminal) {
        DatabaseName database = address.databaseName();
        RunAggregationQueryRequest.Builder request =
                RunAggregationQueryRequest.newBuilder()
                        .setProjectId(database.project())
                        .setDatabaseId(database.database())
                        .setPartitionId(database.partition(namespace))
                        .setGqlQuery(gql);
        options().ifPresent(request::setExplainOptions);
        RunAggregationQueryResponse answer = client.runAggregationQuery(request.build());
        TextTable table = new TextTable(System.out);
        for (AggregationResult result : answer.getBatch().getAggregationResultsList()) {
            if (output == Output.JSON) {
                System.out.println(json(result));
            } else {
                Map<String, String> row = new TreeMap<>();
                result.getAggregatePropertiesMap()
                        .forEach((name, value) -> row.put(name, ValueText.of(value)));
                table.row(row);
            }
        }
        table.end();
        System.out.flush();
        explain(answer.getExplainMetrics(), terminal);
    }

    /** Always requests analysis, because options without it return the plan only. */
    private Optional<ExplainOptions> options() {
        return explain
                ? Optional.of(ExplainOptions.newBuilder().setAnalyze(true).build())
                : Optional.empty();
    }

    private void explain(ExplainMetrics metrics, Terminal terminal) {
        if (!explain) {
            return;
        }
        if (output == Output.JSON) {
            System.out.println("{\"explainMetrics\":" + json(metrics) + "}");
            return;
        }
        metrics.getPlanSummary()
                .getIndexesUsedList()
                .forEach(index -> terminal.say("index  " + json(index)));
        terminal.say("read   " + json(metrics.getExecutionStats()));
    }

    private static Map<String, String> row(Entity entity) {
        Map<String, String> row = new LinkedHashMap<>();
        Key key = entity.getKey();
        if (key.getPathCount() > 0) {
            row.put("__key__", ValueText.of(key));
        }
        new TreeMap<>(entity.getPropertiesMap())
                .forEach((name, value) -> row.put(name, ValueText.of(value)));
        return row;
    }

    private GqlQuery bound() {
        GqlQuery.Builder gql = GqlQuery.newBuilder().setQueryString(query).setAllowLiterals(true);
        TreeMap<Integer, String> positions = new TreeMap<>();
        bindings.forEach(
                (name, text) -> {
                    if (name.matches("[1-9]\\d{0,3}")) {
                        positions.put(Integer.parseInt(name), text);
                    } else {
                        gql.putNamedBindings(name, parameter(text));
                    }
                });
        positions.forEach(
                (position, text) -> {
                    if (position != gql.getPositionalBindingsCount() + 1) {
                        throw new ParameterException(
                                spec.commandLine(),
                                "--bind "
                                        + position
                                        + "=… is set, but "
                                        + (gql.getPositionalBindingsCount() + 1)
                                        + " is missing");
                    }
                    gql.addPositionalBindings(parameter(text));
                });
        return gql.build();
    }

    private static GqlQueryParameter parameter(String text) {
        return GqlQueryParameter.newBuilder().setValue(ValueText.parse(text)).build();
    }

    private static String json(com.google.protobuf.MessageOrBuilder message) {
        try {
            return JSON.print(message);
        } catch (InvalidProtocolBufferException impossible) {
            throw new IllegalStateException("no Any in a datastore message", impossible);
        }
    }
}

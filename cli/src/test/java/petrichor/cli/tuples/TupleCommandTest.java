package petrichor.cli.tuples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.cli.CommandRun;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.console.ExitCode;
import petrichor.client.tuples.CollectionClient;
import petrichor.client.tuples.TuplesClient;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

final class TupleCommandTest {
    private static CommandRun run(Server server, String... words) {
        List<String> all = new ArrayList<>(List.of("tuple"));
        all.addAll(List.of(words));
        all.addAll(List.of("--port", String.valueOf(server.port())));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private static CommandRun succeed(Server server, String... words) {
        CommandRun run = run(server, words);
        assertThat(run.code()).as(run.err()).isZero();
        return run;
    }

    @Test
    void tuplesAreWrittenFoundMovedAndDeleted() {
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            succeed(server, "collection", "create", "users");
            succeed(
                    server,
                    "collection",
                    "create",
                    "tweets",
                    "--placement",
                    "colocated",
                    "--with",
                    "users");
            succeed(server, "put", "tweets", "ann/1", "first", "--tag", "day=01");
            succeed(server, "put", "tweets", "ann/2", "second", "--tag", "day=02", "--tag", "hot");
            succeed(server, "put", "tweets", "bob/1", "third", "--tag", "day=03");
            assertThat(succeed(server, "get", "tweets", "ann/2").out()).isEqualTo("second\n");
            assertThat(run(server, "get", "tweets", "cy/1").code())
                    .isEqualTo(ExitCode.NOT_FOUND.number());
            CommandRun refused = run(server, "put", "tweets", "ann/1", "x", "--if", "absent");
            assertThat(refused.code()).isEqualTo(ExitCode.CONFLICT.number());
            assertThat(refused.err()).contains("its revision is");
            assertThat(succeed(server, "scan", "tweets", "--prefix", "ann/", "--json").out())
                    .contains("\"ann/1\"", "\"ann/2\"")
                    .doesNotContain("bob");
            assertThat(
                            succeed(
                                            server,
                                            "find",
                                            "tweets",
                                            "--all",
                                            "day=02..03",
                                            "--any",
                                            "hot",
                                            "--any",
                                            "day=*3")
                                    .out())
                    .contains("ann/2", "bob/1")
                    .doesNotContain("ann/1");
            succeed(server, "collection", "place", "tweets", "--placement", "ordered");
            assertThat(succeed(server, "collection", "list").out()).contains("ordered");
            assertThat(succeed(server, "delete", "tweets", "ann/1", "--all", "day=0*").out())
                    .isEqualTo("deleted 3\n");
            succeed(server, "collection", "drop", "tweets");
            assertThat(run(server, "scan", "tweets").code()).isEqualTo(ExitCode.NOT_FOUND.number());
        }
    }

    @Test
    void aPlacementThatATupleCannotHaveIsReported() {
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            succeed(server, "collection", "create", "c", "--placement", "ordered");
            succeed(server, "put", "c", "k", "--tag", "a=1", "--tag", "a=2");
            CommandRun refused =
                    run(
                            server,
                            "collection",
                            "place",
                            "c",
                            "--placement",
                            "tagged",
                            "--dimensions",
                            "a,b");
            assertThat(refused.code()).isEqualTo(ExitCode.FAILURE.number());
            assertThat(refused.err()).contains("several tags in the dimension a");
            assertThat(succeed(server, "collection", "list").out()).contains("ordered");
            assertThat(succeed(server, "get", "c", "k", "--json").out()).contains("a=2");
        }
    }

    @Test
    void aPlacementIsAdvisedExplainedAndApplied() {
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            succeed(server, "collection", "create", "c");
            try (TuplesClient client =
                    TuplesClient.of(
                            "http://localhost:" + server.port(), ServerAddress.standardProject())) {
                CollectionClient tuples = client.collection("c");
                for (int k = 0; k < 10; k++) {
                    var _ = tuples.put("ann/" + k, "value");
                }
                assertThat(said(placement(server, "advise"))).contains("Only 5 operations");
                assertThat(placement(server, "apply").code()).isEqualTo(ExitCode.FAILURE.number());
                for (int k = 0; k < 120; k++) {
                    assertThat(tuples.scan("ann/")).hasSize(10);
                }
            }
            assertThat(said(placement(server, "advise", "--nodes", "4")))
                    .contains("recommended", "random over 16 buckets", "Change to ordered");
            assertThat(placement(server, "advise", "--json").out())
                    .startsWith("{\"text\":\"Change to ordered");
            assertThat(placement(server, "explain").out()).contains("range", "write", "all");
            assertThat(said(placement(server, "apply")) + said(placement(server, "advise")))
                    .contains("No change pays off");
            assertThat(succeed(server, "collection", "list").out()).contains("ordered");
        }
    }

    private static String said(CommandRun run) {
        return run.out() + run.err();
    }

    private static CommandRun placement(Server server, String verb, String... words) {
        List<String> all = new ArrayList<>(List.of("placement", verb, "c"));
        all.addAll(List.of(words));
        all.addAll(List.of("--port", String.valueOf(server.port())));
        return CommandRun.of(all.toArray(String[]::new));
    }
}

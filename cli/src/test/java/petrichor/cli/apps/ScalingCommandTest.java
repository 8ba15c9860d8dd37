package petrichor.cli.apps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;
import petrichor.cli.CommandRun;
import petrichor.cli.console.ExitCode;

final class ScalingCommandTest {
    private static final String EXAMPLES = "../examples/scaling/";

    @TempDir Path folder;

    private static CommandRun simulate(String trace, String... options) {
        String[] arguments = new String[options.length + 3];
        arguments[0] = "scaling";
        arguments[1] = "simulate";
        arguments[2] = trace;
        System.arraycopy(options, 0, arguments, 3, options.length);
        return CommandRun.of(arguments);
    }

    private static JsonObject json(String trace, String policy) {
        CommandRun run = simulate(trace, "--json", "--policy", EXAMPLES + policy);
        assertThat(run.err()).isEmpty();
        return JsonParser.parseString(run.out()).getAsJsonObject();
    }

    @Test
    void theSummaryShowsInstancesWaitsAndCost() {
        CommandRun run = simulate(EXAMPLES + "launch.csv", "--start-up", "2");
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("26,400 requests")
                .containsPattern("pending latency: p50 0 ms, p99 \\d+ ms|p99 \\d\\.\\d s")
                .containsPattern("instances: at most \\d+, \\d+ cold starts")
                .contains("15 minutes after the end of each")
                .contains("max_pending_latency");
    }

    @Test
    void thePolicyChangesTheResult() {
        JsonObject ready = json(EXAMPLES + "launch.csv", "always-ready.yaml");
        JsonObject thrifty = json(EXAMPLES + "launch.csv", "thrifty.yaml");
        assertThat(ready.get("instancesMax").getAsInt()).isGreaterThanOrEqualTo(2);
        assertThat(thrifty.get("instancesMax").getAsInt()).isLessThanOrEqualTo(2);
        assertThat(ready.get("waited").getAsLong()).isLessThan(thrifty.get("waited").getAsLong());
        assertThat(ready.get("unfinished").getAsLong()).isZero();
        assertThat(ready.getAsJsonArray("changes")).isNotEmpty();
    }

    @Test
    void concurrencyOfADayKeepsInstancesInProportion() {
        CommandRun run = simulate(EXAMPLES + "day.csv", "--csv", "--price", "0");
        int most = 0;
        for (String line : run.out().lines().skip(1).toList()) {
            most = Math.max(most, Integer.parseInt(line.split(",", -1)[2]));
        }
        assertThat(most).as("21 requests in progress, 6 of an instance").isBetween(4, 6);
        assertThat(run.out()).startsWith("seconds,wanted,ready,");
    }

    @Test
    void theDrawingIsWellFormed() throws Exception {
        String svg = simulate(EXAMPLES + "launch.csv", "--svg").out();
        var document =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new java.io.StringReader(svg)));
        assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(4);
    }

    @Test
    void aRequestLogIsReplayed() throws IOException {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 120; i++) {
            log.append(
                    """
                    {"time":"2026-11-28T10:%02d:%02dZ","app":"shop","service":"default",\
                    "version":"v%d","instance":"i","latency_us":90000,"pending_us":0}
                    """
                            .formatted(i / 60, i % 60, i % 2));
        }
        Path file = Files.writeString(folder.resolve("requests.log"), log);
        CommandRun several = simulate(file.toString());
        assertThat(several.code()).isEqualTo(ExitCode.FAILURE.number());
        assertThat(several.err()).contains("shop/default/v0, shop/default/v1");
        assertThat(simulate(file.toString(), "--recorded-version", "shop/default/v1").out())
                .contains("60 requests, 1 of them (1.7 %) waited");
    }

    @Test
    void errorsNameTheFile() throws IOException {
        assertThat(simulate("/no/such/trace.csv").err())
                .contains("cannot read /no/such/trace.csv: there is no such file");
        Path yaml = Files.writeString(folder.resolve("app.yaml"), "runtime: python312\nscale: 1\n");
        assertThat(simulate(EXAMPLES + "day.csv", "--policy", yaml.toString()).err())
                .contains("app.yaml")
                .contains("scale");
        Path binary =
                Files.write(
                        folder.resolve("log.gz"),
                        "\u00ff\u00fe".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(simulate(binary.toString()).err()).contains("not text in UTF-8");
        assertThat(simulate(EXAMPLES + "day.csv", "--csv", "--svg").code())
                .isEqualTo(ExitCode.USAGE.number());
    }
}

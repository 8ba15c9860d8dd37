package petrichor.cli.serving;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import petrichor.base.TextTable;
import petrichor.cli.connection.ServerFlags;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.doctor.Doctor;
import petrichor.server.doctor.Finding;
import petrichor.server.doctor.Finding.Status;
import petrichor.server.logs.Logging;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the requirements of a server, before it starts or to find the cause of a problem. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = {
            "Check this machine and the configuration for a server.",
            "Exits with 1 if a check failed; warnings do not count."
        })
public final class DoctorCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Option(names = "--json", description = "Print one JSON object per finding.")
    private boolean json;

    @Override
    public Integer call() {
        Logging.installForCommand();
        Settings settings = flags.settings();
        List<Finding> findings = Doctor.examine(ServerConfig.of(settings));
        if (json) {
            findings.forEach(finding -> System.out.println(json(finding)));
        } else {
            print(findings);
        }
        return findings.stream().anyMatch(one -> one.status() == Status.FAILED)
                ? ExitCode.FAILURE.number()
                : ExitCode.OK.number();
    }

    static JsonLine json(Finding finding) {
        return new JsonLine()
                .put("check", finding.check())
                .put("status", finding.status().name().toLowerCase(Locale.ROOT))
                .put("found", finding.what())
                .put("remedy", finding.remedy());
    }

    private static void print(List<Finding> findings) {
        TextTable table = TextTable.uncut(System.out);
        for (Finding finding : findings) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("status", finding.status().name().toLowerCase(Locale.ROOT));
            row.put("check", finding.check());
            row.put(
                    "found",
                    finding.what() + (finding.remedy().isEmpty() ? "" : "; " + finding.remedy()));
            table.row(row);
        }
        table.end();
    }
}

package petrichor.cli;

import java.util.concurrent.Callable;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.JsonLine;
import petrichor.server.config.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        description = "Show version information.")
final class VersionCommand implements Callable<Integer> {
    /** The line printed by {@code --version}. */
    static final class Text implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"petrichor " + Version.text()};
        }
    }

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        String java = Runtime.version().toString();
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (json) {
            System.out.println(
                    new JsonLine()
                            .put("version", Version.text())
                            .put("java", java)
                            .put("system", system));
        } else {
            System.out.println(
                    "petrichor " + Version.text() + " (Java " + java + ", " + system + ")");
        }
        return ExitCode.OK.number();
    }
}

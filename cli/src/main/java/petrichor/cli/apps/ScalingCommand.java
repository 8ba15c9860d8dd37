package petrichor.cli.apps;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.apps.manifest.AppScaling;
import petrichor.apps.manifest.AppYaml;
import petrichor.apps.manifest.InstanceClass;
import petrichor.apps.scaling.InstancePrice;
import petrichor.apps.scaling.LoadTrace;
import petrichor.apps.scaling.RecordedRequests;
import petrichor.apps.scaling.ScalingPolicy;
import petrichor.apps.scaling.ScalingSimulation;
import petrichor.apps.scaling.SimulationReport;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "scaling",
        mixinStandardHelpOptions = true,
        description = "Examine the scaling of apps.",
        subcommands = ScalingCommand.Simulate.class)
public final class ScalingCommand {
    private ScalingCommand() {}

    @Command(
            name = "simulate",
            mixinStandardHelpOptions = true,
            description = "Replay a load against the scaling policy of an app.")
    static final class Simulate implements Callable<Integer> {
        private static final double NANOS_PER_SECOND = 1e9;
        private static final double START_UP_S_MAX = 3_600;
        private static final long POLICY_BYTES_MAX = 1 << 20;

        @Parameters(
                paramLabel = "TRACE",
                description =
                        "File of lines time,requests,duration or time,concurrency,duration, or a"
                                + " request log of the router.")
        private Path trace = Path.of("");

        @Option(
                names = "--policy",
                paramLabel = "FILE",
                description = "app.yaml with the scaling. Default: automatic scaling")
        private @Nullable Path policy;

        @Option(
                names = "--start-up",
                paramLabel = "SECONDS",
                description = "Until a new instance takes requests. Default: 1")
        private double startUp = 1;

        @Option(
                names = "--recorded-version",
                paramLabel = "PROJECT/SERVICE/VERSION",
                description = "Version whose requests to replay. Default: the only one in the log")
        private @Nullable String version;

        @Option(
                names = "--price",
                paramLabel = "DOLLARS",
                description = "Of an instance for an hour. Default: App Engine's list price")
        private @Nullable Double price;

        @ArgGroup private Format format = new Format();

        /** At most one of them. */
        static final class Format {
            @Option(names = "--json", description = "Print one JSON object.")
            private boolean json;

            @Option(names = "--csv", description = "Print a line per second.")
            private boolean csv;

            @Option(names = "--svg", description = "Print a drawing.")
            private boolean svg;
        }

        @Override
        public Integer call() {
            if (!(startUp >= 0 && startUp <= START_UP_S_MAX)) {
                throw PetrichorException.invalid("--start-up must be from 0 to 3600 seconds");
            }
            AppScaling scaling = AppScaling.Automatic.DEFAULT;
            InstanceClass instanceClass = InstanceClass.F1;
            if (policy != null) {
                AppYaml yaml = yaml(policy);
                scaling = yaml.scaling();
                instanceClass = yaml.execution().instanceClass();
            }
            InstancePrice hour =
                    price == null
                            ? InstancePrice.ofAppEngine(instanceClass)
                            : InstancePrice.of(price);
            SimulationReport report =
                    ScalingSimulation.run(
                            load(),
                            ScalingPolicy.of(scaling),
                            Duration.ofNanos(Math.round(startUp * NANOS_PER_SECOND)));
            SimulationText text = new SimulationText(report, hour);
            if (format.json) {
                System.out.println(text.json());
            } else if (format.csv) {
                System.out.print(text.csv());
            } else if (format.svg) {
                System.out.print(SimulationChart.svg(report));
            } else {
                System.out.print(text.summary());
            }
            return ExitCode.OK.number();
        }

        private static AppYaml yaml(Path file) {
            try {
                if (Files.size(file) > POLICY_BYTES_MAX) {
                    throw PetrichorException.invalid(
                            "{file} has more than {bytesMax} bytes; it cannot be an app.yaml",
                            "file",
                            file,
                            "bytesMax",
                            POLICY_BYTES_MAX);
                }
                return AppYaml.parse(file.toString(), Files.readString(file));
            } catch (IOException failed) {
                throw unreadable(file, failed);
            }
        }

        private LoadTrace load() {
            String name = trace.toString();
            try (Stream<String> lines = Files.lines(trace)) {
                if (isLog()) {
                    RecordedRequests recorded =
                            RecordedRequests.parse(name, lines, Optional.ofNullable(version));
                    if (recorded.otherRequests() > 0) {
                        System.err.println(
                                recorded.version()
                                        + ": left out "
                                        + recorded.otherRequests()
                                        + " requests that no instance answered");
                    }
                    return recorded.trace();
                }
                return LoadTrace.parse(name, lines.limit(LoadTrace.STEPS_MAX * 2L).toList());
            } catch (UncheckedIOException failed) {
                throw unreadable(trace, Objects.requireNonNull(failed.getCause()));
            } catch (IOException failed) {
                throw unreadable(trace, failed);
            }
        }

        private boolean isLog() throws IOException {
            try (Stream<String> lines = Files.lines(trace)) {
                return lines.map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .findFirst()
                        .filter(RecordedRequests::isLogLine)
                        .isPresent();
            }
        }

        private static PetrichorException unreadable(Path file, IOException failed) {
            if (failed instanceof MalformedInputException) {
                return PetrichorException.invalid(
                        "{file} is not text in UTF-8; expand a compressed file first",
                        "file",
                        file);
            }
            return FileProblem.of("cannot read " + file, failed);
        }
    }
}

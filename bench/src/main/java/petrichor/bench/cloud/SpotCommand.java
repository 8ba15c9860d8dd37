package petrichor.bench.cloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.spot.Backtest;
import petrichor.cloud.spot.TerminationCost;
import petrichor.cloud.spot.TraceGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench spot}. */
@Command(
        name = "spot",
        description = {
            "Predict spot machine lifetimes from the first half of a price trace, and compare with"
                    + " the second half.",
            "Without --trace, prices are generated from --seed."
        },
        mixinStandardHelpOptions = true)
public final class SpotCommand implements Callable<Integer> {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final TerminationCost EXAMPLE =
            new TerminationCost(Duration.ofSeconds(30), Duration.ofHours(1), 6);

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Price trace with lines `2026-01-01T00:00:00Z,0.0317`, the earliest first.")
    @Nullable Path trace;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "Seed of generated prices (${DEFAULT-VALUE}).")
    long seed = 1;

    @Option(
            names = "--days",
            defaultValue = "90",
            description = "Days of generated prices (${DEFAULT-VALUE}).")
    int days = 90;

    @Option(
            names = "--on-demand",
            defaultValue = "0.10",
            description = "On-demand price, around which prices are generated (${DEFAULT-VALUE}).")
    String onDemand = "0.10";

    @Option(
            names = "--hours",
            defaultValue = "168",
            description = "Longest lifetime to predict, in hours (${DEFAULT-VALUE}).")
    int hours = 168;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for the report as CSV, and for generated prices.")
    @Nullable Path out;

    @Override
    public Integer call() throws IOException {
        Backtest test;
        PriceTrace prices;
        try {
            prices =
                    trace == null
                            ? TraceGenerator.generate(seed, Money.parse(onDemand), BEGIN, days)
                            : PriceTrace.read(trace);
            test = Backtest.of(prices, hours);
        } catch (PetrichorException e) {
            System.err.println(e.getMessage());
            return 1;
        }
        System.out.print(test.text());
        System.out.printf(
                Locale.ROOT,
                "%nA job that maps for an hour on six machines loses %.1f minutes with one of them,"
                        + " %.1f with three (noticed after 30 s).%n",
                EXAMPLE.of(1).toSeconds() / 60.0,
                EXAMPLE.of(3).toSeconds() / 60.0);
        if (out != null) {
            Files.createDirectories(out);
            Files.write(out.resolve("spot.csv"), test.csv());
            if (trace == null) {
                Files.write(out.resolve("spot-prices.csv"), prices.lines());
            }
        }
        return 0;
    }
}

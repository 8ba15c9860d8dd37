package petrichor.bench.compression;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.jobs.channels.ChannelToken;
import petrichor.jobs.channels.compression.Sweep;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench compression}. */
@Command(
        name = "compression",
        description = {
            "Send files over links of known rates, compressed at each fixed level, by the thesis'"
                    + " rule and by Petrichor's.",
            "Uses a shaped link between two network namespaces as root, a proxy over loopback"
                    + " otherwise."
        },
        mixinStandardHelpOptions = true)
public final class CompressionCommand implements Callable<Integer> {
    /** Slow levels on fast links would take minutes: they are stopped, and counted up to then. */
    private static final double TIME_MAX_FACTOR = 2;

    private static final int SLOW_MEGABITS = 5;

    @Option(
            names = "--data",
            required = true,
            description = "Folder with ptt5 and alice29.txt of the Canterbury corpus.")
    Path data = Path.of(".");

    @Option(
            names = "--rates",
            split = ",",
            defaultValue = "1000,100,50,20,5",
            description = "The links' rates in Mbit/s (${DEFAULT-VALUE}).")
    List<Integer> rates = List.of();

    @Option(
            names = "--contents",
            split = ",",
            description = "Files to send: ptt5, alice29.txt, photo.jpg. Default: all.")
    List<String> contents = new ArrayList<>();

    @Option(
            names = "--seconds",
            defaultValue = "2",
            description = "Seconds of one transfer at the best fixed level (${DEFAULT-VALUE}).")
    double seconds = 2;

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "Transfers per file, rate and contender (${DEFAULT-VALUE}).")
    int rounds = 3;

    @Option(names = "--proxy", description = "Use the loopback proxy even as root.")
    boolean proxy;

    @Option(names = "--add", description = "Append to the results of an earlier run in --out.")
    boolean add;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        TransferReport report = new TransferReport();
        if (add) {
            report.readEarlier(TransferReport.csv(out));
        }
        Path temporary = Files.createTempDirectory("petrichor-compression");
        try (ShapedLink link = link()) {
            System.out.println("link: " + link.how());
            measure(report, link, Content.all(data, temporary));
        } catch (PetrichorException e) {
            System.err.println(e.getMessage());
            return 1;
        } finally {
            remove(temporary);
        }
        report.print(System.out);
        report.write(out);
        return report.allMet() ? 0 : 1;
    }

    private ShapedLink link() throws IOException {
        return proxy || !NamespaceLink.possible() ? new ProxyLink() : NamespaceLink.open();
    }

    private void measure(TransferReport report, ShapedLink link, List<Content> all)
            throws IOException {
        Progress progress = Progress.onTerminal(System.err);
        ChannelToken token = ChannelToken.random();
        Map<Content, Sweep> costs = new HashMap<>();
        for (Content content : all) {
            costs.put(content, content.sweep());
        }
        try (TransferPeer receiver =
                        new TransferPeer(link.receiverPrefix(), link.receiverAddress(), token);
                TransferPeer sender =
                        new TransferPeer(link.senderPrefix(), link.senderAddress(), token)) {
            Transfers transfers = new Transfers(link, sender, receiver);
            warmUp(transfers, all);
            for (int round = 1; round <= rounds; round++) {
                for (int rate : rates) {
                    for (Content content : all) {
                        if (!contents.isEmpty() && !contents.contains(content.name())) {
                            continue;
                        }
                        progress.say(
                                "round "
                                        + round
                                        + ": "
                                        + content.name()
                                        + " at "
                                        + rate
                                        + " Mbit/s");
                        cell(report, transfers, content, rate, costs.get(content), round);
                    }
                }
            }
        }
        progress.done();
    }

    /** The order rotates from round to round, so that no contender always follows the same one. */
    private void cell(
            TransferReport report,
            Transfers transfers,
            Content content,
            int rate,
            @Nullable Sweep costs,
            int round)
            throws IOException {
        if (costs == null) {
            return;
        }
        double length = rate <= SLOW_MEGABITS ? 2 * seconds : seconds;
        long bytes = Content.bytes(costs, rate, length);
        List<Contender> order = new ArrayList<>(Contender.all());
        Collections.shuffle(order, new Random(round * 31L + rate));
        for (Contender contender : order) {
            report.add(
                    transfers.measure(content, rate, contender, bytes, length * TIME_MAX_FACTOR));
        }
    }

    /** Lets the JIT compilers of both processes warm up. */
    private static void warmUp(Transfers transfers, List<Content> all) throws IOException {
        for (Content content : all) {
            for (Contender contender : Contender.all()) {
                transfers.measure(content, 1_000, contender, 20_000_000, 0.5);
            }
        }
    }

    private static void remove(Path folder) throws IOException {
        try (var inside = Files.newDirectoryStream(folder)) {
            for (Path file : inside) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}

package petrichor.bench.tuning;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import petrichor.bench.ResultTable;
import petrichor.bench.SystemCommand;

/**
 * Chapter 4's other bottleneck: readers send pages to OCR in another process over a link of a known
 * rate. The detected bottleneck is compared with the real one: the time on the link of the pages
 * that cross it, which is half of them, against the time of OCR. Pages of noise cannot be
 * compressed; blank ones can, and then the engine's adaptive compression removes the bottleneck of
 * the link. Needs root, for the link.
 */
public final class NetworkExperiment {
    private static final int[] MEGABITS = {10, 20, 400};

    private final Path out;
    private final int pages;
    private final List<List<String>> rows = new ArrayList<>();

    public NetworkExperiment(Path out, int pages) {
        this.out = out;
        this.pages = pages;
    }

    /**
     * @return whether every bottleneck was detected
     */
    public boolean run() throws IOException {
        System.out.printf(
                Locale.ROOT, "%npages over a network, %,d of %d kB%n", pages, kilobytes());
        boolean right = true;
        for (int megabits : MEGABITS) {
            right &= run(megabits, true);
        }
        right &= run(MEGABITS[0], false);
        new ResultTable(List.of("link", "pages", "took", "at least", "named", "true"), rows)
                .write(out.resolve("nephele-network-results.csv"));
        return right;
    }

    private static int kilobytes() {
        return NetworkRun.PAGE_BYTES / 1000;
    }

    private boolean run(int megabits, boolean noise) throws IOException {
        List<String> command = new ArrayList<>();
        String said;
        try (SlowLoopback loopback = SlowLoopback.open(megabits)) {
            command.addAll(loopback.prefix());
            command.addAll(NetworkRun.command(pages, noise));
            said = SystemCommand.run(command.toArray(new String[0])).strip();
        }
        int blank = said.indexOf(' ');
        String named = blank < 0 ? "" : said.substring(blank + 1);
        double seconds = Double.parseDouble(blank < 0 ? said : said.substring(0, blank));
        double crossing = noise ? 8e-6 * pages * NetworkRun.PAGE_BYTES / 2 / megabits : 0;
        double ocr = NetworkRun.OCR_MILLIS / 1e3 * pages / NetworkRun.WORKERS;
        String truth =
                crossing > ocr ? "io " + DocumentPipeline.READER : "cpu " + DocumentPipeline.OCR;
        double least = Math.max(crossing, ocr);
        boolean right = named.equals(truth);
        System.out.printf(
                Locale.ROOT,
                "%4d Mbit/s, %s: %6.2f s (%.2f s at least); named: %s; true: %s%s%n",
                megabits,
                noise ? "noise" : "blank pages",
                seconds,
                least,
                named,
                truth,
                right ? "" : "; WRONG");
        rows.add(
                List.of(
                        megabits + " Mbit/s",
                        noise ? "noise" : "blank",
                        String.format(Locale.ROOT, "%.2f s", seconds),
                        String.format(Locale.ROOT, "%.2f s", least),
                        named,
                        truth));
        return right;
    }
}

package petrichor.bench.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import petrichor.base.AotCache;
import petrichor.bench.jobs.GraphBuilder;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.workers.WorkerEngine;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.tuning.BottleneckSearch;
import petrichor.jobs.tuning.JobProfile;

/**
 * Readers that send pages to OCR in another worker process, over the network of this process'
 * namespace: {@code NetworkRun PAGES noise|blank}. Prints the seconds that it took, a blank, and
 * the bottleneck.
 */
public final class NetworkRun {
    static final int PAGE_BYTES = 100_000;
    static final int WORKERS = 2;

    /** Time of OCR for a page: an external service. */
    static final double OCR_MILLIS = 8;

    private static final RecordType PAGE =
            RecordType.of(Field.int64("page"), Field.bytes("content"));

    private NetworkRun() {}

    static List<String> command(int pages, boolean noise) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(AotCache.flags());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NetworkRun.class.getName(),
                        Integer.toString(pages),
                        noise ? "noise" : "blank"));
        return command;
    }

    public static void main(String[] arguments) {
        int pages = Integer.parseInt(arguments[0]);
        byte[] image = new byte[PAGE_BYTES];
        if (arguments[1].equals("noise")) {
            new Random(1).nextBytes(image);
        }
        JobMaster run =
                new WorkerEngine(EngineOptions.ofThisProcess(), WORKERS, List.of("-Xmx512m"))
                        .start(graph(pages, image));
        double seconds = run.await().elapsed().toNanos() / 1e9;
        JobProfile profile = JobProfile.of(run.image());
        String found =
                BottleneckSearch.STANDARD.in(profile).stream()
                        .map(
                                finding ->
                                        finding.displayName()
                                                + " "
                                                + PipelineRun.shortName(
                                                        profile.task(finding.task()).name()))
                        .collect(Collectors.joining(" + "));
        System.out.printf(Locale.ROOT, "%.3f %s%n", seconds, found);
    }

    private static JobGraph graph(int pages, byte[] image) {
        GraphBuilder graph = new GraphBuilder("pages over a network");
        JobVertex reader =
                graph.add(
                        DocumentPipeline.READER,
                        new Operation.Read(new PageSource(PAGE, pages, 0, image)),
                        WORKERS,
                        List.of());
        JobVertex ocr =
                graph.add(
                        DocumentPipeline.OCR,
                        new Operation.Relay(),
                        WORKERS,
                        List.of(GraphBuilder.In.of(reader, new Shipping.Rebalance())),
                        new Step.Map(
                                DocumentPipeline.OCR,
                                DocumentPipeline.paying(Cost.waiting(OCR_MILLIS)),
                                PAGE));
        graph.add(
                "text writer",
                new Operation.Write(new DiscardingSink("text writer")),
                WORKERS,
                List.of(GraphBuilder.In.of(ocr, new Shipping.Forward())));
        return graph.graph();
    }
}

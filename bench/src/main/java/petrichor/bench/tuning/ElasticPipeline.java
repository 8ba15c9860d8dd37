package petrichor.bench.tuning;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import petrichor.bench.jobs.GraphBuilder;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * A pipeline that starts with one subtask per task and is scaled while it runs.
 *
 * @param pages in total
 * @param phases number of equal parts of the pages, with different costs of OCR
 * @param begins when the first page of each phase reached the OCR, by the clock of the machine
 */
record ElasticPipeline(
        String title, int pages, int phases, AtomicLongArray begins, JobGraph graph) {
    private static final int PAGE_BYTES = 100_000;
    private static final RecordType PAGE =
            RecordType.of(Field.int64("page"), Field.bytes("content"));

    /** The thesis' pipeline, with the same bottleneck from the beginning. */
    static ElasticPipeline of(DocumentPipeline pipeline) {
        return new ElasticPipeline(
                pipeline.title(),
                pipeline.pages(),
                1,
                new AtomicLongArray(1),
                pipeline.graph(Map.of()));
    }

    /**
     * An OCR service that answers slowly for some of the pages, followed by a PDF service that is
     * never the bottleneck.
     *
     * @param ocr cost of a page in each phase
     */
    static ElasticPipeline changing(
            String title, int pages, double linkMillis, List<Cost> ocr, Cost pdf) {
        AtomicLongArray begins = new AtomicLongArray(ocr.size());
        GraphBuilder graph = new GraphBuilder("changing documents");
        JobVertex reader =
                graph.add(
                        DocumentPipeline.READER,
                        new Operation.Read(
                                new PageSource(PAGE, pages, (long) (linkMillis * 1e6), PAGE_BYTES)),
                        1,
                        List.of());
        Clock.BEGINS.set(begins);
        List<Cost> costs = List.copyOf(ocr);
        int each = (pages + costs.size() - 1) / costs.size();
        JobVertex read =
                graph.add(
                        DocumentPipeline.OCR,
                        new Operation.Relay(),
                        1,
                        List.of(GraphBuilder.In.of(reader, new Shipping.Rebalance())),
                        new Step.Map(
                                DocumentPipeline.OCR,
                                (in, out) -> {
                                    int phase = (int) (in.int64(0) / each);
                                    Clock.begin(phase);
                                    if (costs.get(phase).pay() != 42) {
                                        out.emit(in);
                                    }
                                },
                                PAGE));
        JobVertex created =
                graph.add(
                        DocumentPipeline.PDF,
                        new Operation.Relay(),
                        1,
                        List.of(GraphBuilder.In.of(read, new Shipping.Rebalance())),
                        new Step.Map(
                                DocumentPipeline.PDF,
                                (in, out) -> {
                                    if (pdf.pay() != 42) {
                                        out.emit(in);
                                    }
                                },
                                PAGE));
        graph.add(
                "pdf writer",
                new Operation.Write(new EveryPage("pdf writer", pages, 0, 1)),
                1,
                List.of(GraphBuilder.In.of(created, new Shipping.Rebalance())));
        return new ElasticPipeline(title, pages, costs.size(), begins, graph.graph());
    }

    /** Shared by all copies of the OCR's code. */
    private static final class Clock {
        private static final AtomicReference<AtomicLongArray> BEGINS =
                new AtomicReference<>(new AtomicLongArray(0));

        static void begin(int phase) {
            AtomicLongArray begins = BEGINS.get();
            if (begins.get(phase) == 0) {
                begins.compareAndSet(phase, 0, System.nanoTime());
            }
        }
    }
}
